import { signal } from '@preact/signals';

const STORAGE_KEY = 'keyrank.theme';
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(readTheme());
const darkPreference = window.matchMedia('(prefers-color-scheme: dark)');
/** Counts changes of the colours in force, for what is drawn on a canvas. */
export const paintCount = signal(0);

function readTheme(): Theme {
  const kept = localStorage.getItem(STORAGE_KEY);
  return THEMES.find((each) => each === kept) ?? 'system';
}

export function applyTheme(): void {
  showTheme();
  darkPreference.addEventListener('change', () => {
    paintCount.value += 1;
  });
}

/** To the opposite of what is seen. */
export function toggleTheme(): void {
  theme.value = isDark() ? 'light' : 'dark';
  localStorage.setItem(STORAGE_KEY, theme.value);
  showTheme();
}

export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && darkPreference.matches);
}

function showTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
  paintCount.value += 1;
}

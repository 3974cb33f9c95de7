import { signal } from '@preact/signals';

interface Toast {
  readonly text: string;
  readonly isFailure: boolean;
}

const TOAST_MS = 5000;
const toast = signal<Toast | null>(null);
let toastTimer: ReturnType<typeof setTimeout> | undefined;

/** One line that goes away by itself. */
export function showToast(text: string, { isFailure = false }: { readonly isFailure?: boolean } = {}): void {
  clearTimeout(toastTimer);
  toast.value = { text, isFailure };
  toastTimer = setTimeout(() => {
    toast.value = null;
  }, TOAST_MS);
}

export function ToastLine() {
  const current = toast.value;
  return (
    <div class="toast-place" role="status">
      {current && <div class={current.isFailure ? 'toast is-failure' : 'toast'}>{current.text}</div>}
    </div>
  );
}

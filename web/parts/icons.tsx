// Icons as paths on a grid of 16; they take the colour of the text around them.
const PATHS = {
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5 14 14',
  bookmark: 'M4.5 2.5h7v11L8 10.8l-3.5 2.7Z',
  edit: 'M3 13l.6-2.8 7.2-7.2 2.2 2.2-7.2 7.2ZM9.4 4.4l2.2 2.2',
  star: 'M8 1.8l1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.6l-3.8 2 .7-4.3-3.1-3 4.3-.6Z',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  down: 'M4 6l4 4 4-4',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10',
  code: 'M5 4.5 1.5 8 5 11.5M11 4.5 14.5 8 11 11.5M9.2 3 6.8 13',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.4M8 13.6V15M1 8h1.4M13.6 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6l7.5-4.8Z',
  trash: 'M2.5 4.5h11M6 4.5V2.8h4v1.7M4 4.5l.7 8.7h6.6l.7-8.7M6.6 7v3.6M9.4 7v3.6',
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5M2.8 11.5h10.4M6.7 13.8h2.6',
  compare: 'M2 12.5 6 7l3 3 5-6.5',
  user: 'M8 8.2a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM2.8 13.6c.7-2.4 2.7-3.6 5.2-3.6s4.5 1.2 5.2 3.6',
  check: 'M3 8.5 6.5 12 13 4.5',
  flag: 'M4 14V2.5M4 3h8l-2 2.8L12 8.6H4',
  columns: 'M2.5 3.5h11v9h-11ZM6.2 3.5v9M9.8 3.5v9',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8Z',
  roots: 'M8 2v4M8 6 3.5 10.5M8 6l4.5 4.5M8 6v7.5',
  link: 'M6.8 9.2 9.2 6.8M7 4.6l1.6-1.6a2.8 2.8 0 0 1 4 4L11 8.6M9 11.4 7.4 13a2.8 2.8 0 0 1-4-4L5 7.4',
  zoom: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5 14 14M5 7h4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, isFilled = false }: { readonly name: IconName; readonly isFilled?: boolean }) {
  return (
    <svg class={isFilled ? 'icon is-filled' : 'icon'} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

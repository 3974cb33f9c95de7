import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

interface PopoverProps {
  readonly text: ComponentChildren;
  readonly icon?: IconName;
  readonly title: string;
  readonly className?: string;
  readonly align?: 'left' | 'right';
  /** Given a way to close, for when the matter is settled. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button with a small panel below it. Escape and a click elsewhere close it. */
export function Popover({ text, icon, title, className = 'button', align = 'left', children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };

  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>('.popover-panel :is(input, select, textarea, button)')?.focus();
    const onPointer = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [isOpen]);

  useLayoutEffect(() => {
    if (!isOpen || !panel.current) return;
    const element = panel.current;
    keepInSight(element);
    // One that opens at the foot of the window is not to be missed.
    element.scrollIntoView({ block: 'nearest' });
    // It grows when what it shows has come.
    const onResize = () => keepInSight(element);
    const growth = new ResizeObserver(onResize);
    growth.observe(element);
    window.addEventListener('resize', onResize);
    return () => {
      growth.disconnect();
      window.removeEventListener('resize', onResize);
    };
  }, [isOpen]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is heard for whatever is focused inside.
    <div class="popover" ref={box} onKeyDown={(event) => event.key === 'Escape' && isOpen && close()}>
      <button
        ref={button}
        type="button"
        class={className}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {icon && <Icon name={icon} />}
        <span>{text}</span>
      </button>
      {isOpen && (
        <div ref={panel} class={`popover-panel is-${align}`} id={id} role="dialog" aria-label={title}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

const MARGIN_PX = 12;

/** Moves a panel sideways until nothing of it is cut off by an edge of the window. */
function keepInSight(panel: HTMLElement): void {
  panel.style.translate = '';
  const { left, right } = panel.getBoundingClientRect();
  const shift =
    left < MARGIN_PX ? MARGIN_PX - left : Math.min(0, document.documentElement.clientWidth - MARGIN_PX - right);
  if (shift !== 0) panel.style.translate = `${shift}px`;
}

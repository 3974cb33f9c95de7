// A few words beside the pointer. One for the whole page, above everything else, so that no table cuts it off.
let box: HTMLElement | undefined;

const MARGIN_PX = 8;

export function showPointHint(text: string, at: { readonly x: number; readonly y: number }): void {
  box ??= document.body.appendChild(document.createElement('div'));
  box.className = 'point-hint';
  // Whoever cannot see it has the same in the name of the drawing.
  box.ariaHidden = 'true';
  box.textContent = text;
  const { width, height } = box.getBoundingClientRect();
  const left = Math.min(
    Math.max(MARGIN_PX, at.x - width / 2),
    document.documentElement.clientWidth - width - MARGIN_PX,
  );
  const top = at.y - height - MARGIN_PX;
  box.style.translate = `${left}px ${top < 0 ? at.y + 2 * MARGIN_PX : top}px`;
}

export function hidePointHint(): void {
  box?.remove();
  box = undefined;
}

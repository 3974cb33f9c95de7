// A chart as a picture: what is seen, with its title and legend, in the colours of the page as it is.
import { saveFile } from '../parts/download.ts';

export interface ChartPicture {
  readonly drawing: SVGSVGElement;
  /** Of the file, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly legend: readonly { readonly text: string; readonly colour: string }[];
}

const HEAD_PX = 40;
const LINE_PX = 20;
const MARGIN_PX = 16;
/** Of a letter, about. */
const LETTER_PX = 7;
const MAX_LETTERS = 60;
/** Sharp on dense screens and in print. */
const PNG_SCALE = 2;
const COPIED = [
  ...['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin'],
  ...['stroke-opacity', 'opacity', 'font-size', 'font-family'],
];

export function saveSvg(picture: ChartPicture): void {
  saveFile(`${picture.name}.svg`, new Blob([writeSvg(picture).text], { type: 'image/svg+xml' }));
}

export async function savePng(picture: ChartPicture): Promise<void> {
  const { text, width, height } = writeSvg(picture);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * PNG_SCALE, height * PNG_SCALE];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('The browser cannot make a picture of this chart.');
  saveFile(`${picture.name}.png`, blob);
}

/** A drawing that needs no style sheet: colours and lines stand in it as they were computed. */
function writeSvg({ drawing, title, legend }: ChartPicture) {
  const width = drawing.width.baseVal.value;
  const rows = placeLegend(legend, width);
  const headHeight = HEAD_PX + rows.height;
  const height = headHeight + drawing.height.baseVal.value;
  const root = element('svg', {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    xmlns: 'http://www.w3.org/2000/svg',
  });
  const styles = getComputedStyle(drawing);
  const font = { 'font-family': 'system-ui, sans-serif', 'font-size': 13, fill: styles.color };
  const paper = getComputedStyle(drawing.closest('.panel') ?? document.body).backgroundColor;
  root.append(
    element('rect', { width, height, fill: paper }),
    element('text', { ...font, x: MARGIN_PX, y: 26, 'font-size': 16, 'font-weight': 600 }, title),
    ...rows.items.flatMap(({ text, colour, x, y }) => [
      element('circle', { cx: x + 5, cy: y - 4, r: 5, fill: computedColour(colour, drawing) }),
      element('text', { ...font, x: x + 16, y }, text),
    ]),
  );
  const plot = element('g', { transform: `translate(0 ${headHeight})` });
  for (const child of drawing.children) {
    if (!child.hasAttribute('data-passing')) plot.append(copyWithStyles(child));
  }
  root.append(plot);
  return { text: new XMLSerializer().serializeToString(root), width, height };
}

function placeLegend(legend: ChartPicture['legend'], width: number) {
  let [x, y] = [MARGIN_PX, HEAD_PX + 12];
  const items = legend.map(({ text, colour }) => {
    const shown = text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS - 1)}…` : text;
    const length = 36 + shown.length * LETTER_PX;
    if (x > MARGIN_PX && x + length > width) [x, y] = [MARGIN_PX, y + LINE_PX];
    const placed = { text: shown, colour, x, y };
    x += length;
    return placed;
  });
  return { items, height: items.length === 0 ? 0 : y - HEAD_PX + 10 };
}

function copyWithStyles(source: Element): Element {
  const copy = source.cloneNode(false) as Element;
  copy.removeAttribute('class');
  copy.removeAttribute('style');
  const styles = getComputedStyle(source);
  if (source instanceof SVGGraphicsElement) {
    for (const name of COPIED) copy.setAttribute(name, styles.getPropertyValue(name));
  }
  for (const child of source.childNodes)
    copy.append(child instanceof Element ? copyWithStyles(child) : child.cloneNode());
  return copy;
}

function element(name: string, attributes: Readonly<Record<string, string | number>>, text = ''): Element {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) if (key !== 'xmlns') made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** The colour of a variable as the browser computes it. */
function computedColour(variable: string, beside: Element): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  (beside.parentElement ?? document.body).append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

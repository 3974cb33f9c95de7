// The look of the workbook: a closed list of cell styles and the part of the file that defines them.
//
// Improved and worsened differ in hue (bluish green, vermilion) and in lightness, so they stay apart for colour-blind
// readers and on a black-and-white print; styles.test.ts measures both, and the contrast of the text on them.
import type { ValueFormat } from '../domain/keyword-export.ts';
import { TONES, type Tone } from './cells.ts';

export const PALETTE = {
  ink: '1F2933',
  muted: '5F6B7A',
  header: '243B53',
  periodHeader: '3E5C76',
  onHeader: 'FFFFFF',
  improvedFill: 'D3F0E3',
  improvedText: '004D38',
  worsenedFill: 'F2AD98',
  worsenedText: '4A0E00',
  tileLine: 'FFFFFF',
  rule: 'CBD2D9',
} as const;

const FONTS = {
  body: font({ color: PALETTE.ink }),
  header: font({ color: PALETTE.onHeader, bold: true }),
  improved: font({ color: PALETTE.improvedText }),
  worsened: font({ color: PALETTE.worsenedText }),
  title: font({ color: PALETTE.header, bold: true, size: 16 }),
  label: font({ color: PALETTE.muted }),
  section: font({ color: PALETTE.header, bold: true, size: 12 }),
} as const;

// Excel reserves the first two fills, whatever they say.
const FILLS = {
  none: '<fill><patternFill patternType="none"/></fill>',
  reserved: '<fill><patternFill patternType="gray125"/></fill>',
  header: fill(PALETTE.header),
  periodHeader: fill(PALETTE.periodHeader),
  improved: fill(PALETTE.improvedFill),
  worsened: fill(PALETTE.worsenedFill),
} as const;

const BORDERS = {
  none: '<border><left/><right/><top/><bottom/><diagonal/></border>',
  tile: `<border>${['left', 'right', 'top', 'bottom'].map((side) => line(side, PALETTE.tileLine)).join('')}<diagonal/></border>`,
  section: `<border><left/><right/><top/>${line('bottom', PALETTE.rule)}<diagonal/></border>`,
} as const;

// Numbers from 164 on are free for a workbook's own formats; 49 is Excel's "text", which keeps an edited cell text.
const NUMBER_FORMATS = {
  general: { id: 0 },
  text: { id: 49 },
  rank: { id: 3 },
  average: { id: 164, code: '#,##0.0' },
  delta: { id: 165, code: '+#,##0;-#,##0;0' },
  percentage: { id: 166, code: '+#,##0.0%;-#,##0.0%;0.0%' },
  share: { id: 167, code: '0.00%' },
  time: { id: 168, code: 'yyyy-mm-dd hh:mm:ss "UTC"' },
  ratio: { id: 169, code: '0.0000' },
} as const satisfies Record<string, { readonly id: number; readonly code?: string }>;

interface CellStyle {
  readonly font?: keyof typeof FONTS;
  readonly fill?: keyof typeof FILLS;
  readonly border?: keyof typeof BORDERS;
  readonly number?: keyof typeof NUMBER_FORMATS;
  readonly alignment?: string;
}

const TONE_STYLES: Readonly<Record<Tone, CellStyle>> = {
  improved: { font: 'improved', fill: 'improved', border: 'tile' },
  worsened: { font: 'worsened', fill: 'worsened', border: 'tile' },
  neutral: {},
};

const FORMAT_NUMBERS: Readonly<Record<ValueFormat, keyof typeof NUMBER_FORMATS>> = {
  raw: 'rank',
  delta: 'delta',
  percentage: 'percentage',
};

const TOP = 'vertical="top"';
const HEADER = {
  font: 'header',
  fill: 'header',
  number: 'text',
  alignment: 'horizontal="center" vertical="center" wrapText="1"',
} as const satisfies CellStyle;
const STYLES = {
  body: {},
  text: { number: 'text', alignment: 'horizontal="left" indent="1"' },
  rank: { number: 'rank' },
  average: { number: 'average' },
  share: { number: 'share' },
  header: { ...HEADER, alignment: 'horizontal="left" vertical="center" wrapText="1" indent="1"' },
  numberHeader: HEADER,
  periodHeader: { ...HEADER, fill: 'periodHeader' },
  ...toneStyles('raw'),
  ...toneStyles('delta'),
  ...toneStyles('percentage'),
  title: { font: 'title', number: 'text', alignment: 'vertical="center"' },
  section: { font: 'section', border: 'section', number: 'text' },
  label: { font: 'label', number: 'text', alignment: TOP },
  fact: { number: 'text', alignment: `horizontal="left" ${TOP} wrapText="1" indent="1"` },
  count: { number: 'rank', alignment: `horizontal="left" ${TOP} indent="1"` },
  time: { number: 'time', alignment: `horizontal="left" ${TOP} indent="1"` },
  improvedLegend: { ...TONE_STYLES.improved, number: 'text', alignment: TOP },
  worsenedLegend: { ...TONE_STYLES.worsened, number: 'text', alignment: TOP },
  ratio: { number: 'ratio' },
} as const satisfies Record<string, CellStyle>;

export type StyleName = keyof typeof STYLES;

const STYLE_NAMES = Object.keys(STYLES) as readonly StyleName[];
const STYLE_NUMBERS = new Map(STYLE_NAMES.map((name, index) => [name, index]));

/** Whether its format shows a fraction in percent. */
export function isPercent(name: StyleName): boolean {
  const { number } = STYLES[name] as CellStyle;
  return number === 'share' || number === 'percentage';
}

/** The number by which a cell's `s` attribute refers to a style. */
export function styleNumber(name: StyleName): number {
  return STYLE_NUMBERS.get(name) ?? 0;
}

export function periodStyle(format: ValueFormat, tone: Tone): StyleName {
  return `${format}-${tone}`;
}

export function stylesXml(): string {
  const own = Object.values(NUMBER_FORMATS).flatMap((format) => ('code' in format ? [format] : []));
  const formats = own.map(({ id, code }) => `<numFmt numFmtId="${id}" formatCode="${attribute(code)}"/>`);
  const cells = STYLE_NAMES.map((name) => cellFormat(STYLES[name]));
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
    counted('numFmts', formats),
    counted('fonts', Object.values(FONTS)),
    counted('fills', Object.values(FILLS)),
    counted('borders', Object.values(BORDERS)),
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
    counted('cellXfs', cells),
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
    '</styleSheet>',
  ].join('');
}

function toneStyles<F extends ValueFormat>(format: F): Readonly<Record<`${F}-${Tone}`, CellStyle>> {
  const styles = TONES.map((tone) => [`${format}-${tone}`, { ...TONE_STYLES[tone], number: FORMAT_NUMBERS[format] }]);
  return Object.fromEntries(styles) as Readonly<Record<`${F}-${Tone}`, CellStyle>>;
}

function cellFormat(style: CellStyle): string {
  const number = NUMBER_FORMATS[style.number ?? 'general'].id;
  const attributes = [
    `numFmtId="${number}" fontId="${position(FONTS, style.font ?? 'body')}" fillId="${position(FILLS, style.fill ?? 'none')}"`,
    `borderId="${position(BORDERS, style.border ?? 'none')}" xfId="0"`,
    'applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1"',
  ].join(' ');
  if (style.alignment === undefined) return `<xf ${attributes}/>`;
  return `<xf ${attributes} applyAlignment="1"><alignment ${style.alignment}/></xf>`;
}

function position(table: Readonly<Record<string, string>>, name: string): number {
  return Object.keys(table).indexOf(name);
}

function counted(name: string, elements: readonly string[]): string {
  return `<${name} count="${elements.length}">${elements.join('')}</${name}>`;
}

function font({ color, bold = false, size = 11 }: { color: string; bold?: boolean; size?: number }): string {
  return `<font>${bold ? '<b/>' : ''}<sz val="${size}"/><color rgb="FF${color}"/><name val="Calibri"/><family val="2"/></font>`;
}

function fill(color: string): string {
  return `<fill><patternFill patternType="solid"><fgColor rgb="FF${color}"/><bgColor indexed="64"/></patternFill></fill>`;
}

function line(side: string, color: string): string {
  return `<${side} style="thin"><color rgb="FF${color}"/></${side}>`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

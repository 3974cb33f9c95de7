// A table as an Excel workbook (Office Open XML), streamed: what a reader has not taken yet is not built yet.
import type { Readable } from 'node:stream';
import { RequestError } from '../domain/error.ts';
import { ABOUT_SHEET_NAME, aboutSheetXml } from './about-sheet.ts';
import { openBytes } from './byte-stream.ts';
import { columnLetters, MAX_COLUMNS } from './columns.ts';
import { stylesXml } from './styles.ts';
import type { Table, TableContent } from './table.ts';
import { tableSheet } from './table-sheet.ts';
import { MAX_ENTRY_BYTES, type ZipEntry, zipArchive } from './zip.ts';

/** Excel's last row, less the header. */
const MAX_ROWS = 1_048_576 - 1;

/** A long number cell with its reference and style; text comes on top and is bounded by the archive itself. */
const NUMBER_CELL_BYTES = 44;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/**
 * The bytes of the workbook. Throws a RequestError at once when the rows or columns do not fit in a sheet; any later
 * failure destroys the stream before the archive's directory is written, so what was sent cannot be opened as complete.
 */
export function openWorkbook<Row>(table: Table<Row>): Readable {
  checkSheetLimits(table);
  return openBytes(zipArchive(workbookEntries(table), table.exportedAtMs));
}

export function checkSheetLimits({ rowCount, columns }: TableContent): void {
  const columnCount = columns.length;
  if (columnCount > MAX_COLUMNS) {
    throw new RequestError(
      'INVALID_PARAMETERS',
      `A spreadsheet holds ${MAX_COLUMNS} columns and this export has ${columnCount}.`,
      "Use file_format 'csv' or 'ndjson', which have no such limit.",
    );
  }
  if (rowCount > MAX_ROWS || rowCount * columnCount * NUMBER_CELL_BYTES > MAX_ENTRY_BYTES) {
    throw new RequestError(
      'INVALID_PARAMETERS',
      `${rowCount} rows of ${columnCount} columns do not fit in one spreadsheet.`,
      "Narrow the search, or use file_format 'csv' or 'ndjson'.",
    );
  }
}

/** The large sheet comes last: a reader that inspects the start of the stream finds all the small parts. */
function workbookEntries<Row>(table: Table<Row>): readonly ZipEntry[] {
  const parts: readonly (readonly [name: string, xml: string])[] = [
    ['[Content_Types].xml', contentTypesXml()],
    ['_rels/.rels', packageRelationsXml()],
    ['docProps/core.xml', propertiesXml(table)],
    ['xl/workbook.xml', workbookXml(table)],
    ['xl/_rels/workbook.xml.rels', workbookRelationsXml()],
    ['xl/styles.xml', stylesXml()],
    ['xl/worksheets/sheet2.xml', aboutSheetXml(table)],
  ];
  return [
    ...parts.map(([name, xml]) => ({ name, chunks: [Buffer.from(xml, 'utf8')] })),
    { name: 'xl/worksheets/sheet1.xml', chunks: tableSheet(table) },
  ];
}

function contentTypesXml(): string {
  return [
    `${XML}<Types xmlns="${PACKAGE}/content-types">`,
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
    `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>`,
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/>`,
    `<Override PartName="/xl/worksheets/sheet2.xml" ContentType="${CONTENT}.worksheet+xml"/>`,
    `<Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/>`,
    '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>',
    '</Types>',
  ].join('');
}

function packageRelationsXml(): string {
  return relationsXml([
    [`${DOCUMENT}/officeDocument`, 'xl/workbook.xml'],
    [`${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'],
  ]);
}

function workbookRelationsXml(): string {
  return relationsXml([
    [`${DOCUMENT}/worksheet`, 'worksheets/sheet1.xml'],
    [`${DOCUMENT}/worksheet`, 'worksheets/sheet2.xml'],
    [`${DOCUMENT}/styles`, 'styles.xml'],
  ]);
}

/** Fixed targets only: no text of a row ever becomes a relation, so the file can point at nothing outside itself. */
function relationsXml(relations: readonly (readonly [type: string, target: string])[]): string {
  const elements = relations.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`;
}

function propertiesXml({ title, exportedAtMs }: TableContent): string {
  const at = new Date(exportedAtMs).toISOString().replace(/\.[0-9]+Z$/, 'Z');
  return [
    `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"`,
    ' xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    `<dc:title>${title}</dc:title><dc:creator>keyrank</dc:creator>`,
    `<dcterms:created xsi:type="dcterms:W3CDTF">${at}</dcterms:created>`,
    `<dcterms:modified xsi:type="dcterms:W3CDTF">${at}</dcterms:modified>`,
    '</cp:coreProperties>',
  ].join('');
}

/** The hidden name is how Excel records a filter; the other one repeats header and terms on every printed page. */
function workbookXml({ sheetName: sheet, columns, rowCount }: TableContent): string {
  const last = columnLetters(columns.length - 1);
  return [
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}">`,
    '<bookViews><workbookView xWindow="0" yWindow="0" windowWidth="28800" windowHeight="15000" activeTab="0"/></bookViews>',
    `<sheets><sheet name="${sheet}" sheetId="1" r:id="rId1"/><sheet name="${ABOUT_SHEET_NAME}" sheetId="2" r:id="rId2"/></sheets>`,
    '<definedNames>',
    `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">${sheet}!$A$1:$${last}$${rowCount + 1}</definedName>`,
    `<definedName name="_xlnm.Print_Titles" localSheetId="0">${sheet}!$A:$A,${sheet}!$1:$1</definedName>`,
    '</definedNames>',
    '</workbook>',
  ].join('');
}

// Brands are found without regard to case, and reports spell one brand in several ways: the index is over folded names and
// may hold several brands under one of them.
import { foldBrand } from '../../domain/search-filter.ts';
import {
  hashBytes,
  indexCells,
  insertEntry,
  listCandidates,
  readText,
  type TextColumn,
  type TextIndex,
} from '../format/text-column.ts';
import { currentText, type GrowingText } from './growing.ts';

export function buildBrandIndex(brands: GrowingText): TextIndex {
  const texts = currentText(brands);
  const index = new Uint32Array(indexCells(brands.ends.count));
  for (let brand = 0; brand < brands.ends.count; brand += 1) {
    insertEntry(index, { hash: hashName(foldBrand(readText(texts, brand))), entry: brand });
  }
  return index;
}

/** All brands with this folded name. */
export function listBrands(index: TextIndex, brands: TextColumn, foldedName: string): readonly number[] {
  return [...listCandidates(index, hashName(foldedName))].filter(
    (brand) => foldBrand(readText(brands, brand)) === foldedName,
  );
}

function hashName(foldedName: string): number {
  const bytes = Buffer.from(foldedName, 'utf8');
  return hashBytes(bytes, { start: 0, end: bytes.length });
}

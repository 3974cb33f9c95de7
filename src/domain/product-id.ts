// How shops number their products: ASINs are ten letters and digits, Walmart's item ids any number of them. Whatever a report may
// hold can be searched for.

export const MAX_PRODUCT_ID_CHARACTERS = 20;

/** In upper case, as products are stored; undefined when it cannot be the id of a product. */
export function parseProductId(text: string): string | undefined {
  return text.length <= MAX_PRODUCT_ID_CHARACTERS && /^[A-Za-z0-9]+$/.test(text) ? text.toUpperCase() : undefined;
}

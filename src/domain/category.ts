// Friendly category buckets over Amazon's internal product groups. Stored names are kept as they come; a bucket only says
// which of them belong together.

export const OTHER_CATEGORY = 'Other';

const STORED_NAMES_BY_BUCKET: Readonly<Record<string, readonly string[]>> = {
  Appliances: ['Major Appliances'],
  'Apparel, Shoes & Jewelry': [
    'Apparel',
    'Shoes',
    'Jewelry',
    'Watches',
    'Luggage',
    'Softlines_Private_Label',
    'Loose Stones',
  ],
  Automotive: ['Automotive', 'Tires'],
  Baby: ['Baby'],
  'Beauty & Personal Care': ['Beauty', 'Luxury_Beauty', 'Personal_Care_Appliances'],
  'Books & Audible': ['Books', 'Digital_Ebook_Purchase', 'Audible', 'Digital_Periodicals', 'Magazine'],
  'Cell Phones & Accessories': ['Wireless', 'Wireless_Accessory'],
  'Computers & Software': ['PC', 'Software', 'Digital_Software', 'Mobile_Apps'],
  Electronics: [
    'Electronics',
    'Camera',
    'Home Entertainment',
    'Mobile_Electronics',
    'Batteries',
    'Digital_Text',
    'Digital_Text_2',
    'Digital_Devices_4',
  ],
  'Gift Cards': ['Gift Card', 'Consumables_Physical_Gift_Cards', 'Consumables_Email_Gift_Cards'],
  Grocery: [
    'Grocery',
    'Gourmet',
    'Pantry',
    'Fresh_Perishable',
    'Fresh_Produce',
    'Fresh_Prepared',
    'Fresh_Ambient',
    'Protein',
    'Wine',
  ],
  'Handmade & Collectibles': ['Guild', 'Entertainment_Collectibles'],
  'Health & Household': [
    'Health & Personal Care',
    'Prescription_Drugs',
    'Digital_Health_Services',
    // Amazon spells it so.
    'Commerical_Onemedical_Membership',
  ],
  'Home & Kitchen': ['Home', 'Kitchen', 'Furniture'],
  'Industrial & Scientific': ['Biss'],
  'Movies, TV & Music': ['Digital_Video_Download', 'Video DVD', 'Video', 'Music', 'Digital_Music_Purchase'],
  'Musical Instruments': ['Musical Instruments'],
  'Office & Crafts': ['Office Products', 'Art and Craft Supplies'],
  'Patio, Lawn & Garden': ['Lawn and Garden'],
  'Pet Supplies': ['Pet Products'],
  'Sports & Outdoors': ['Sports', 'Outdoors'],
  'Tools & Home Improvement': ['Tools', 'Home Improvement'],
  'Toys & Games': ['Toys'],
  'Video Games': ['Video Games', 'Digital_Video_Games'],
};

export const CATEGORY_BUCKETS: readonly string[] = [...Object.keys(STORED_NAMES_BY_BUCKET), OTHER_CATEGORY];

const BUCKET_BY_FOLDED_BUCKET = new Map(CATEGORY_BUCKETS.map((bucket) => [foldCategory(bucket), bucket]));
const BUCKET_BY_FOLDED_NAME = new Map(
  Object.entries(STORED_NAMES_BY_BUCKET).flatMap(([bucket, names]) =>
    names.map((name) => [foldCategory(name), bucket] as const),
  ),
);

/** A whole bucket, or one stored name in its folded form. */
export type CategoryFilter =
  | { readonly kind: 'bucket'; readonly bucket: string }
  | { readonly kind: 'stored'; readonly foldedName: string };

/** Case and separators do not count: "Luxury_Beauty" is "luxury beauty". */
export function foldCategory(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

export function findBucket(storedName: string): string {
  return BUCKET_BY_FOLDED_NAME.get(foldCategory(storedName)) ?? OTHER_CATEGORY;
}

/** A bucket name wins over an equal stored name; what is neither is treated as Other (Spec 4.1). */
export function parseCategoryFilter(value: string): CategoryFilter {
  const foldedName = foldCategory(value);
  const bucket = BUCKET_BY_FOLDED_BUCKET.get(foldedName);
  if (bucket !== undefined) return { kind: 'bucket', bucket };
  if (BUCKET_BY_FOLDED_NAME.has(foldedName)) return { kind: 'stored', foldedName };
  return { kind: 'bucket', bucket: OTHER_CATEGORY };
}

/** Whether a keyword with this stored category passes the filter. */
export function matchesCategory(storedName: string, filter: CategoryFilter): boolean {
  return filter.kind === 'bucket'
    ? findBucket(storedName) === filter.bucket
    : foldCategory(storedName) === filter.foldedName;
}

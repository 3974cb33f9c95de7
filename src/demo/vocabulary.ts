// All product families of the demo data.

import type { FamilySource } from './family.ts';
import { BEAUTY } from './vocabulary/beauty.ts';
import { CELEBRATIONS } from './vocabulary/celebrations.ts';
import { CLOTHING } from './vocabulary/clothing.ts';
import { ELECTRONICS } from './vocabulary/electronics.ts';
import { GROCERY } from './vocabulary/grocery.ts';
import { HEALTH } from './vocabulary/health.ts';
import { HOME } from './vocabulary/home.ts';
import { KITCHEN } from './vocabulary/kitchen.ts';
import { MEDIA } from './vocabulary/media.ts';
import { OFFICE } from './vocabulary/office.ts';
import { PETS } from './vocabulary/pets.ts';
import { SHOES } from './vocabulary/shoes.ts';
import { SPANISH } from './vocabulary/spanish.ts';
import { SPORTS } from './vocabulary/sports.ts';
import { TOYS } from './vocabulary/toys.ts';
import { WORKSHOP } from './vocabulary/workshop.ts';

export const FAMILIES: readonly FamilySource[] = [
  ...CLOTHING,
  ...SHOES,
  ...ELECTRONICS,
  ...HOME,
  ...KITCHEN,
  ...BEAUTY,
  ...HEALTH,
  ...GROCERY,
  ...TOYS,
  ...SPORTS,
  ...WORKSHOP,
  ...PETS,
  ...OFFICE,
  ...MEDIA,
  ...CELEBRATIONS,
  ...SPANISH,
];

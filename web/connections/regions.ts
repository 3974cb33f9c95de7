import type { ConnectionRow } from '../api/wire.ts';

/** Where an account at Amazon sells; an application is authorised for each region by itself. */
export const REGIONS: readonly {
  readonly name: ConnectionRow['region'];
  readonly text: string;
  readonly codes: readonly string[];
}[] = [
  { name: 'na', text: 'North America', codes: ['US', 'CA', 'MX', 'BR'] },
  {
    name: 'eu',
    text: 'Europe',
    codes: ['UK', 'DE', 'FR', 'IT', 'ES', 'NL', 'SE', 'PL', 'BE', 'IE', 'TR', 'AE', 'SA', 'EG', 'ZA', 'IN'],
  },
  { name: 'fe', text: 'Far East', codes: ['JP', 'AU', 'SG'] },
];

import { clickHouse } from './clickhouse.ts';
import { contractFuzz } from './contract-fuzz.ts';
import { downloads } from './downloads.ts';
import { durability } from './durability.ts';
import { importing } from './import.ts';
import { keys } from './keys.ts';
import { limiter } from './limiter.ts';
import { malformedHttp } from './malformed-http.ts';
import { memory } from './memory.ts';
import { overload } from './overload.ts';
import type { Promised } from './promised.ts';
import { simulation } from './simulation.ts';
import { supplyChain } from './supply-chain.ts';
import { tenancy } from './tenancy.ts';

/** All promises by area, in the order in which they are tried. `--only` takes a part of an area's or a promise's name. */
export const AREAS: Readonly<Record<string, readonly Promised[]>> = {
  'contract-fuzz': contractFuzz,
  'malformed-http': malformedHttp,
  tenancy,
  keys,
  limiter,
  import: importing,
  downloads,
  durability,
  clickhouse: clickHouse,
  simulation,
  overload,
  memory,
  'supply-chain': supplyChain,
};

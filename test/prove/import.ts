import { tryHostileReports } from './hostile-reports.ts';
import { tryCalls, tryDiskFaults, tryMoments, tryPostgresKills, tryStoredMoments } from './interrupted-import.ts';
import { tryMalformedReports } from './malformed-reports.ts';
import type { Promised } from './promised.ts';

const WHOLE = '0 partial periods seen by a polling reader, identical digest after the repeat';

export const importing: readonly Promised[] = [
  { name: 'an import killed at random moments', goal: `50 times: ${WHOLE}`, run: tryMoments },
  {
    name: 'an import into an object storage killed at random moments',
    goal: `50 times: ${WHOLE}`,
    run: tryStoredMoments,
  },
  { name: 'an import killed at system calls', goal: `200 times: ${WHOLE}`, run: tryCalls },
  { name: 'an import whose PostgreSQL is killed', goal: `20 times: ${WHOLE}`, run: tryPostgresKills },
  { name: 'an import on a full disk, or one that fails on fsync', goal: WHOLE, run: tryDiskFaults },
  {
    name: 'malformed report files',
    goal: '300 of 300 refused with file and line, nothing published',
    run: tryMalformedReports,
  },
  {
    name: 'hostile report files',
    goal: 'every kind refused in plain words with at most 800 MB of memory (--memory 300) and 200 MB of disk beside one copy of the file, nothing left behind',
    run: tryHostileReports,
  },
];

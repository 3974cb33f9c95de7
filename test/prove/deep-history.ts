// A history of 104 periods in which a quarter of the terms is new each time, in the memory that it takes.
import { runBench } from '../support/process.ts';
import type { Finding, Promised, Trial } from './promised.ts';

const RANK_GOAL = 1 / 3;
const ALL_GOAL = 1 / 2;

async function trySizes({ quick }: Trial): Promise<Finding> {
  const rows = quick ? '2000' : '200000';
  const { code, stdout, stderr } = await runBench(['deep', '--rows', rows, '--periods', '104', '--json']);
  if (code !== 0) return { kept: false, figure: `the benchmark failed: ${stderr.slice(-200)}` };
  const { rankBytes, plainRankBytes, allBytes, plainAllBytes, keywords, points } = JSON.parse(stdout);
  const [ranks, all] = [rankBytes / plainRankBytes, allBytes / plainAllBytes];
  const perRank = (rankBytes / points).toFixed(1);
  return {
    kept: ranks <= RANK_GOAL && all <= ALL_GOAL,
    figure: `ranks ${ranks.toFixed(2)} × (${perRank} bytes each), all columns ${all.toFixed(2)} × (${(allBytes / keywords).toFixed(0)} bytes per keyword)`,
  };
}

export const deepHistory: readonly Promised[] = [
  {
    name: 'the size of a deep history',
    goal: '104 periods, a quarter of each new: ranks at most 0.33 × and all columns at most 0.50 × of plain columns',
    run: trySizes,
  },
];

import type { Frequency } from '../api/wire.ts';
import { formatNumber, formatPeriodShort } from './format.ts';

interface LatestRankProps {
  readonly rank: number;
  readonly period: string;
  readonly type: Frequency;
  readonly newest: string | undefined;
}

/** The newest known rank, and of when it is unless it is of the newest period. */
export function LatestRank({ rank, period, type, newest }: LatestRankProps) {
  const isOld = newest !== undefined && period !== newest;
  return (
    <span class={isOld ? 'latest is-old' : 'latest'}>
      {formatNumber(rank)}
      {isOld && <small>{formatPeriodShort(period, type)}</small>}
    </span>
  );
}

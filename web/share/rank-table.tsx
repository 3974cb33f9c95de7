// Keywords with their ranks, for reading alone: nothing in it leads anywhere.
import type { Frequency } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';
import { EmptyNotice } from '../parts/notices.tsx';
import { Sparkline } from '../parts/sparkline.tsx';

interface RankRow {
  readonly key: string;
  readonly name: string;
  readonly remark: string;
  readonly history: readonly { readonly period: string; readonly rank: number | null | undefined }[] | null;
  readonly latest: number | null;
  readonly best: number | null;
}

interface RankTableProps {
  readonly rows: readonly RankRow[];
  readonly type: Frequency;
  readonly empty: string;
}

export function RankTable({ rows, type, empty }: RankTableProps) {
  if (rows.length === 0) return <EmptyNotice title={empty} />;
  return (
    <div class="panel">
      <table class="plain-table rank-table">
        <thead>
          <tr>
            <th scope="col">Keyword or product</th>
            <th scope="col">History</th>
            <th scope="col" class="is-right">
              Latest
            </th>
            <th scope="col" class="is-right wide-only">
              Best
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, remark, history, latest, best }) => (
            <tr key={key}>
              <th scope="row">
                {name}
                {remark !== '' && <small class="muted">{remark}</small>}
              </th>
              <td>{history && <Sparkline history={history} type={type} />}</td>
              <td class="is-right">{latest === null ? '–' : formatNumber(latest)}</td>
              <td class="is-right wide-only">{best === null ? '–' : formatNumber(best)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

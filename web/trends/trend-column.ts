import type { Column } from '../parts/data-grid.tsx';

/** With its width, as the style sheet would say it. */
export interface TrendColumn<Row> extends Column<Row> {
  readonly track: string;
}

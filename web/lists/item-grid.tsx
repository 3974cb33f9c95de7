import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { ListItem } from '../api/wire.ts';
import { addressOf, changeParams, navigate, place } from '../app/location.ts';
import { Change } from '../parts/change.tsx';
import { type Column, DataGrid } from '../parts/data-grid.tsx';
import { formatNumber } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/popover.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { sortBy, sortedRows, sortOf } from '../tracked/row-order.ts';
import { RowOrderMenu } from '../tracked/row-order-menu.tsx';
import { Star } from '../tracked/star.tsx';
import { ItemForm, TagForm } from './item-forms.tsx';

interface ItemGridProps {
  readonly items: readonly ListItem[];
  readonly onRemove: (items: readonly ListItem[]) => void;
  readonly onTag: (items: readonly ListItem[], tags: object) => Promise<boolean>;
  readonly onChange: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** What rows are sorted by, by column. */
const VALUES: Readonly<Record<string, (item: ListItem) => string | number | null>> = {
  value: ({ value }) => value.toLowerCase(),
  latest: ({ keyword }) => keyword?.latest_rank ?? null,
  change: ({ keyword }) => keyword?.rank_change ?? null,
  best: ({ keyword }) => keyword?.best_rank ?? null,
  tags: ({ tags }) => tags.join(', ').toLowerCase() || null,
};

const ORDERS = { value: 'Name', latest: 'Latest rank', change: 'Change', best: 'Best rank', tags: 'Tags' };

export function ItemGrid({ items, onRemove, onTag, onChange }: ItemGridProps) {
  const { params } = place.value;
  const [tag, kind] = [params.get('tag'), params.get('kind')];
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const kept = items.filter(
    (item) => (kind === null || item.kind === kind) && (tag === null || item.tags.some((each) => isSameTag(tag, each))),
  );
  const sort = sortOf('');
  const rows = sortedRows(kept, sort, VALUES[sort.order]);
  const chosen = rows.filter(({ id }) => picked.has(id));
  const pick = ({ id }: ListItem) => {
    setPicked((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]));
  };
  const pickAll = () => setPicked(new Set(chosen.length === rows.length ? [] : rows.map(({ id }) => id)));
  return (
    <>
      <div class="list-tools">
        <fieldset class="chips" aria-label="Show">
          {[null, 'keyword', 'product'].map((each) => (
            <FilterChip
              key={each}
              name="kind"
              value={each}
              text={each === null ? 'All' : `${each}s`}
              isOn={kind === each}
            />
          ))}
          {tagsOf(items).map((each) => (
            <FilterChip
              key={`tag ${each}`}
              name="tag"
              value={isSameTag(tag, each) ? null : each}
              text={each}
              isOn={isSameTag(tag, each)}
            />
          ))}
        </fieldset>
        <RowOrderMenu sort={sort} texts={ORDERS} />
        <ChosenTools chosen={chosen} onRemove={onRemove} onTag={onTag} />
      </div>
      {rows.length === 0 && <p class="muted">Nothing in this list has this kind and tag.</p>}
      <DataGrid
        label="Items of the list"
        className="item-grid"
        columns={columnsOf({
          pick,
          pickAll,
          picked,
          isAll: chosen.length === rows.length && rows.length > 0,
          onChange,
        })}
        rows={rows}
        keyOf={(row) => row.id}
        rowHeight={{ wide: 48, narrow: 100 }}
        sort={sort}
        onSort={(order) => sortBy(order, sort)}
        onOpen={(row) => navigate(addressOfItem(row))}
        onKey={(key, row) => key === 'x' && pick(row)}
      />
    </>
  );
}

type ChosenToolsProps = Pick<ItemGridProps, 'onRemove' | 'onTag'> & { readonly chosen: readonly ListItem[] };

function ChosenTools({ chosen, onRemove, onTag }: ChosenToolsProps) {
  if (chosen.length === 0) return null;
  return (
    <>
      <Popover text={`Tag ${formatNumber(chosen.length)}`} icon="edit" title="Tags of the selected items">
        {(close) => (
          <TagForm count={chosen.length} known={tagsOf(chosen)} onSave={(tags) => onTag(chosen, tags)} onDone={close} />
        )}
      </Popover>
      <button type="button" class="button" onClick={() => onRemove(chosen)}>
        <Icon name="trash" /> <span>Remove {formatNumber(chosen.length)}</span>
      </button>
    </>
  );
}

/** Case does not tell two apart, as in the service: the spelling that comes first is shown. */
function tagsOf(items: readonly ListItem[]): readonly string[] {
  const spellings = new Map(
    items.flatMap((item) => item.tags.map((tag): [string, string] => [tag.toLowerCase(), tag])).toReversed(),
  );
  return [...spellings.values()].toSorted();
}

function isSameTag(a: string | null, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}

interface FilterChipProps {
  readonly name: string;
  readonly value: string | null;
  readonly text: string;
  readonly isOn: boolean;
}

function FilterChip({ name, value, text, isOn }: FilterChipProps) {
  return (
    <button
      type="button"
      class="chip is-add"
      aria-pressed={isOn}
      onClick={() => changeParams({ [name]: value }, { replaces: true })}
    >
      {text}
    </button>
  );
}

function addressOfItem({ kind, value }: ListItem): string {
  return kind === 'keyword' ? addressOfKeyword(value, { type: 'monthly' }) : addressOf('/product', { asin: value });
}

interface ColumnOptions {
  readonly pick: (item: ListItem) => void;
  readonly pickAll: () => void;
  readonly picked: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly onChange: ItemGridProps['onChange'];
}

function columnsOf({ pick, pickAll, picked, isAll, onChange }: ColumnOptions): readonly Column<ListItem>[] {
  const rank = (value: number | null | undefined) =>
    value == null ? <span class="muted">–</span> : <span>{formatNumber(value)}</span>;
  return [
    {
      id: 'pick',
      title: <input type="checkbox" aria-label="Select all rows" checked={isAll} onChange={pickAll} />,
      cell: (row) => (
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${row.value}`}
          checked={picked.has(row.id)}
          onChange={() => pick(row)}
        />
      ),
    },
    {
      id: 'star',
      title: <span class="spoken">Track</span>,
      cell: (row) => (row.kind === 'keyword' ? <Star term={row.value} /> : null),
    },
    { id: 'term', title: 'Keyword or product', order: 'value', cell: (row) => <ValueCell row={row} /> },
    {
      id: 'trend',
      title: 'History',
      cell: ({ keyword }) => keyword && <Sparkline history={keyword.history} type="monthly" />,
    },
    {
      id: 'latest',
      title: 'Latest',
      order: 'latest',
      align: 'right',
      cell: ({ keyword }) => rank(keyword?.latest_rank),
    },
    {
      id: 'change',
      title: 'Change',
      order: 'change',
      align: 'right',
      cell: ({ keyword }) => <Change value={keyword?.rank_change} />,
    },
    { id: 'best', title: 'Best', order: 'best', align: 'right', cell: ({ keyword }) => rank(keyword?.best_rank) },
    { id: 'tags', title: 'Tags', order: 'tags', cell: (row) => <TagCell row={row} onChange={onChange} /> },
  ];
}

function ValueCell({ row }: { readonly row: ListItem }) {
  const { product, keyword } = row;
  const remarks = [
    product ? product.title : '',
    product ? `in ${formatNumber(product.keywords)} keywords` : '',
    keyword && keyword.latest_rank === null ? 'not in the data yet' : '',
    row.notes,
  ].filter((remark) => remark !== '');
  return (
    <span class="term-cell">
      <a href={addressOfItem(row)} data-view tabIndex={-1} title={row.value}>
        {row.value}
      </a>
      {remarks.length > 0 && <small class="muted">{remarks.join(' · ')}</small>}
    </span>
  );
}

function TagCell({ row, onChange }: { readonly row: ListItem; readonly onChange: ItemGridProps['onChange'] }) {
  return (
    <Popover
      text={
        <>
          {row.tags.join(', ') || 'Tags, notes'}
          <span class="spoken"> of {row.value}</span>
        </>
      }
      icon="edit"
      title={`Tags and notes of ${row.value}`}
      className={row.tags.length > 0 ? 'link rule is-on' : 'link rule'}
      align="right"
    >
      {(close) => (
        <ItemForm
          item={row}
          onSave={(body) => onChange(() => ask(`/v1/list-items/${row.id}`, { method: 'PATCH', body }))}
          onDone={close}
        />
      )}
    </Popover>
  );
}

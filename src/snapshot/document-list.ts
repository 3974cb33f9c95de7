// Set algebra on sorted lists of documents. When one list is much shorter, its members are looked up in the longer one by
// galloping search; otherwise both are walked.

export type DocumentList = Uint32Array;

const GALLOP_RATIO = 16;

/** How many members are below the limit. */
export function countBelow(list: DocumentList, limit: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function intersect(a: DocumentList, b: DocumentList): DocumentList {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const out = new Uint32Array(short.length);
  let count = 0;
  if (long.length > short.length * GALLOP_RATIO) {
    for (let i = 0, at = 0; i < short.length && at < long.length; i += 1) {
      const document = short[i] ?? 0;
      at = findFrom(long, { from: at, document });
      if (long[at] === document) {
        out[count] = document;
        count += 1;
      }
    }
    return out.subarray(0, count);
  }
  for (let i = 0, j = 0; i < short.length && j < long.length; ) {
    const left = short[i] ?? 0;
    const right = long[j] ?? 0;
    // Written without branches: which side advances is unpredictable.
    out[count] = left;
    count += left === right ? 1 : 0;
    i += left <= right ? 1 : 0;
    j += right <= left ? 1 : 0;
  }
  return out.subarray(0, count);
}

export function subtract(list: DocumentList, removed: DocumentList): DocumentList {
  const out = new Uint32Array(list.length);
  const isSparse = removed.length > list.length * GALLOP_RATIO;
  let count = 0;
  for (let i = 0, j = 0; i < list.length; i += 1) {
    const document = list[i] ?? 0;
    if (isSparse) j = findFrom(removed, { from: j, document });
    else while (j < removed.length && (removed[j] ?? 0) < document) j += 1;
    if (removed[j] !== document) {
      out[count] = document;
      count += 1;
    }
  }
  return out.subarray(0, count);
}

/** Members of any list, each once. */
export function unite(lists: readonly DocumentList[]): DocumentList {
  const [first, ...rest] = lists;
  if (!first) return new Uint32Array(0);
  // Two halves at a time, so that no member is copied more than log2(lists) times.
  if (rest.length === 0) return first;
  const middle = lists.length >>> 1;
  return unitePair(unite(lists.slice(0, middle)), unite(lists.slice(middle)));
}

function unitePair(a: DocumentList, b: DocumentList): DocumentList {
  const out = new Uint32Array(a.length + b.length);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a[i] ?? 0;
    const right = b[j] ?? 0;
    out[count] = Math.min(left, right);
    count += 1;
    i += left <= right ? 1 : 0;
    j += right <= left ? 1 : 0;
  }
  out.set(a.subarray(i), count);
  count += a.length - i;
  out.set(b.subarray(j), count);
  return out.subarray(0, count + b.length - j);
}

/** The first position from `from` on whose member is not below the document. */
export function findFrom(
  list: DocumentList,
  { from, document }: { readonly from: number; readonly document: number },
): number {
  let step = 1;
  let low = from;
  let high = from;
  while (high < list.length && (list[high] ?? 0) < document) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, list.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < document) low = middle + 1;
    else high = middle;
  }
  return low;
}

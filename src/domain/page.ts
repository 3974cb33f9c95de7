/** Spec 2.2. */
export interface Pagination {
  readonly currentPage: number;
  readonly pageSize: number;
  readonly totalCount: number;
  readonly totalPages: number;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

export function sliceOfPage({ page, limit }: { page: number; limit: number }): Slice {
  return { offset: (page - 1) * limit, limit };
}

/**
 * The page that a slice of a list is. An offset need not be a multiple of the limit: the current page is then the one
 * its first row stands on, and next and previous still say exactly whether rows follow or precede.
 */
export function pageOfSlice({ offset, limit }: Slice, totalCount: number): Pagination {
  return {
    currentPage: Math.floor(offset / limit) + 1,
    pageSize: limit,
    totalCount,
    totalPages: Math.ceil(totalCount / limit),
    hasNext: offset + limit < totalCount,
    hasPrevious: offset > 0 && totalCount > 0,
  };
}

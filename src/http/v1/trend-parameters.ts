// The trend lists name frequencies and directions in other words than the searches do (Spec 4.3, 4.4).
import { choice } from '../parameters.ts';

export const TREND_FREQUENCIES = { M: 'monthly', W: 'weekly' } as const;
export const TREND_DIRECTIONS = { ASC: 'asc', DESC: 'desc' } as const;

export const trendType = choice('Monthly or weekly.', { values: ['M', 'W'], absent: 'M' });
export const trendDirection = choice('Direction of the order.', { values: ['ASC', 'DESC'], absent: 'DESC' });

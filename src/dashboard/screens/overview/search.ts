// What the URL of the overview names: the range, the unit, the figure of the chart, and whether test devices count.
import { z } from 'zod';
import { rangeSearch } from '../../parts/range/range.ts';
import { flag } from '../../parts/searchParameters.ts';

export const chartFigures = ['active', 'new', 'sessions', 'events'] as const;

export const overviewSearch = rangeSearch.extend({
  figure: z.enum(chartFigures).optional().catch(undefined),
  test: flag,
});
export type OverviewSearch = z.infer<typeof overviewSearch>;

// What the URL of one campaign names: the campaign, and the range and measure of its chart.
import { z } from 'zod';
import { rangeSearch } from '../../parts/range/range.ts';

export const campaignSearch = rangeSearch.extend({
  id: z.string().catch(''),
  measure: z.enum(['COUNT', 'UNIQUE']).optional().catch(undefined),
});

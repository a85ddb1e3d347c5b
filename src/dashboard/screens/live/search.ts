// What the URL of the live view names: the filters, and whether test devices are shown.
import { z } from 'zod';
import { filtersSearch } from '../../parts/filters/filters.ts';

export const liveSearch = z.object({
  filters: filtersSearch,
  test: z.boolean().optional().catch(undefined),
});

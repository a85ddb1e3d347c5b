// What the URL of the live view names: the filters, and whether test devices are shown.
import { z } from 'zod';
import { filters } from '../../parts/filters/filters.ts';
import { flag, json } from '../../parts/searchParameters.ts';

export const liveSearch = z.object({
  filters: json(filters),
  test: flag,
});

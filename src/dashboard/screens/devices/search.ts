// What the URL of the list of devices names: the search, the filters, the order and the page.
import { z } from 'zod';
import { filtersSearch } from '../../parts/filters/filters.ts';
import { givenText } from '../../parts/searchText.ts';

export const deviceSorts = ['LAST_SEEN', 'FIRST_SEEN', 'SESSIONS'] as const;

export const devicesSearch = z.object({
  /** A part of the id or of the present user. */
  search: givenText,
  /** One user: all devices that are or were this user's. The other filters do not hold then. */
  user: givenText,
  filters: filtersSearch,
  /** A date in the application's zone. */
  since: z.iso.date().optional().catch(undefined),
  sort: z.enum(deviceSorts).optional().catch(undefined),
  test: z.boolean().optional().catch(undefined),
  after: givenText,
});

export type DevicesSearch = z.infer<typeof devicesSearch>;

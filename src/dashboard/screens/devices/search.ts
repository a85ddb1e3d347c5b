// What the URL of the list of devices names: the search, the filters, the order and the page.
import { z } from 'zod';
import { filters } from '../../parts/filters/filters.ts';
import { flag, json, text } from '../../parts/searchParameters.ts';

export const deviceSorts = ['LAST_SEEN', 'FIRST_SEEN', 'SESSIONS'] as const;

export const devicesSearch = z.object({
  /** A part of the id or of the present user. */
  search: text,
  /** One user: all devices that are or were this user's. The other filters do not hold then. */
  user: text,
  filters: json(filters),
  /** A date in the application's zone. */
  since: z.iso.date().optional().catch(undefined),
  sort: z.enum(deviceSorts).optional().catch(undefined),
  test: flag,
  after: text,
});

export type DevicesSearch = z.infer<typeof devicesSearch>;

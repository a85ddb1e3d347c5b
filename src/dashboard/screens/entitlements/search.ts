// What the URL of the entitlements names: the filters, the page, and the opened line.
import { z } from 'zod';
import { searchText } from '../../parts/searchText.ts';

export const entitlementsSearch = z.object({
  user: searchText,
  device: searchText,
  active: z.boolean().optional().catch(undefined),
  after: searchText,
  /** The id of the line that is shown in full. */
  open: searchText,
});

export type EntitlementsSearch = z.infer<typeof entitlementsSearch>;

// What the URL of the entitlements names: the filters, the page, and the opened line.
import { z } from 'zod';
import { givenText } from '../../parts/searchText.ts';

export const entitlementsSearch = z.object({
  user: givenText,
  device: givenText,
  active: z.boolean().optional().catch(undefined),
  after: givenText,
  /** The id of the line that is shown in full. */
  open: givenText,
});

export type EntitlementsSearch = z.infer<typeof entitlementsSearch>;

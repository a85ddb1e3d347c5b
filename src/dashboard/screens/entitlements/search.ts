// What the URL of the entitlements names: the filters, the page, and the opened line.
import { z } from 'zod';
import { flag, text } from '../../parts/searchParameters.ts';

export const entitlementsSearch = z.object({
  user: text,
  device: text,
  active: flag,
  after: text,
  /** The id of the line that is shown in full. */
  open: text,
});

export type EntitlementsSearch = z.infer<typeof entitlementsSearch>;

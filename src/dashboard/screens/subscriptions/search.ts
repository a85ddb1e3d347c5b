// What the URL of the subscriptions names: the instant, and whether the sandbox counts.
import { z } from 'zod';
import { flag } from '../../parts/searchParameters.ts';

export const subscriptionsSearch = z.object({
  at: z.iso.datetime().optional().catch(undefined),
  test: flag,
});

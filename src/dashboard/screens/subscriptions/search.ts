// What the URL of the subscriptions names: the instant, and whether the sandbox counts.
import { z } from 'zod';

export const subscriptionsSearch = z.object({
  at: z.iso.datetime().optional().catch(undefined),
  test: z.boolean().optional().catch(undefined),
});

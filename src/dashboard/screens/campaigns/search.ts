// What the URL of the list names: the text that is searched, the states, the order and the page.
import { z } from 'zod';
import { campaignStates } from '../../parts/campaignState/states.ts';

export const campaignsSearch = z.object({
  // The router reads `q=2026` as a number.
  q: z
    .union([z.string(), z.number().transform(String)])
    .pipe(z.string().max(256))
    .optional()
    .catch(undefined),
  /** None: all but the archived ones. */
  states: z.array(z.enum(campaignStates)).min(1).optional().catch(undefined),
  sort: z.enum(['CREATED', 'UPDATED', 'NAME', 'PRIORITY', 'STATE']).optional().catch(undefined),
  page: z.int().min(1).max(1_000_000).optional().catch(undefined),
});

export type CampaignsSearch = z.infer<typeof campaignsSearch>;

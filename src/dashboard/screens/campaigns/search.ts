// What the URL of the list names: the text that is searched, the states, the order and the page.
import { z } from 'zod';
import { campaignStates } from '../../parts/campaignState/states.ts';
import { json, text, wholeNumber } from '../../parts/searchParameters.ts';

export const campaignsSearch = z.object({
  q: text,
  /** None: all but the archived ones. */
  states: json(z.array(z.enum(campaignStates)).min(1)),
  sort: z.enum(['CREATED', 'UPDATED', 'NAME', 'PRIORITY', 'STATE']).optional().catch(undefined),
  page: wholeNumber(1, 1_000_000),
});

export type CampaignsSearch = z.infer<typeof campaignsSearch>;

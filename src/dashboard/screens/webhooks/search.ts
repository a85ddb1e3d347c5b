// What the URL of the webhooks names: whose deliveries are listed, in which state, and from which page on.
import { z } from 'zod';
import { text } from '../../parts/searchParameters.ts';

export const deliveryStates = ['PENDING', 'DELIVERED', 'PARKED'] as const;

export const webhooksSearch = z.object({
  webhook: z.uuid().optional().catch(undefined),
  state: z.enum(deliveryStates).optional().catch(undefined),
  after: text,
});

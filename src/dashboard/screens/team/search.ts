// What the URL of the team names: the searched text, the role and the status.
import { z } from 'zod';
import { text } from '../../parts/searchParameters.ts';

export const statuses = ['active', 'invited', 'disabled'] as const;

export const teamSearch = z.object({
  q: text,
  role: z.enum(['viewer', 'editor', 'admin', 'owner']).optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});

export type TeamSearch = z.infer<typeof teamSearch>;

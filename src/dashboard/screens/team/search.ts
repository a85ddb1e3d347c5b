// What the URL of the team names: the searched text, the role and the status.
import { z } from 'zod';

export const statuses = ['active', 'invited', 'disabled'] as const;

export const teamSearch = z.object({
  q: z.string().max(256).optional().catch(undefined),
  role: z.enum(['viewer', 'editor', 'admin', 'owner']).optional().catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
});

export type TeamSearch = z.infer<typeof teamSearch>;

// What the URL of the audit log names: its filters, and the moment before which the page begins.
import { z } from 'zod';
import { text } from '../../parts/searchParameters.ts';

export const auditSearch = z.object({
  actor: text,
  action: text,
  objectType: text,
  objectId: text,
  before: z.iso.datetime().optional().catch(undefined),
});

export type AuditSearch = z.infer<typeof auditSearch>;
export type AuditFilter = Omit<AuditSearch, 'before'>;

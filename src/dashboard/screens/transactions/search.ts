// What the URL of the transactions names: the filters, the page, the opened transaction, and whose revenue is explained.
import { z } from 'zod';
import { flag, text } from '../../parts/searchParameters.ts';

const day = z.iso.date().optional().catch(undefined);

export const transactionsSearch = z.object({
  state: z.enum(['PENDING', 'RESOLVED', 'NOT_FOUND', 'FAILED']).optional().catch(undefined),
  product: text,
  user: text,
  device: text,
  from: day,
  to: day,
  after: text,
  /** The id of the transaction that is shown in full. */
  open: text,
  /** Says of each transaction whether it counts in the revenue of this currency. */
  revenue: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .catch(undefined),
  /** The figure of that revenue that was opened: only its purchases, or only its renewals. */
  counts: z.enum(['purchase', 'renewal']).optional().catch(undefined),
  /** Whether that revenue has the sandbox in it. */
  test: flag,
});

export type TransactionsSearch = z.infer<typeof transactionsSearch>;

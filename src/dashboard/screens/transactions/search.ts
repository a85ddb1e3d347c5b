// What the URL of the transactions names: the filters, the page, the opened transaction, and whose revenue is explained.
import { z } from 'zod';
import { givenText } from '../../parts/searchText.ts';

const day = z.iso.date().optional().catch(undefined);

export const transactionsSearch = z.object({
  state: z.enum(['PENDING', 'RESOLVED', 'NOT_FOUND', 'FAILED']).optional().catch(undefined),
  product: givenText,
  user: givenText,
  device: givenText,
  from: day,
  to: day,
  after: givenText,
  /** The id of the transaction that is shown in full. */
  open: givenText,
  /** Says of each transaction whether it counts in the revenue of this currency. */
  revenue: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .catch(undefined),
  /** The figure of that revenue that was opened: only its purchases, or only its renewals. */
  counts: z.enum(['purchase', 'renewal']).optional().catch(undefined),
  /** Whether that revenue has the sandbox in it. */
  test: z.boolean().optional().catch(undefined),
});

export type TransactionsSearch = z.infer<typeof transactionsSearch>;

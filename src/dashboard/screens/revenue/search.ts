// What the URL of the revenue names: range, currency, breakdown, the figure of the chart, and whether the sandbox counts.
import { z } from 'zod';
import { rangeSearch } from '../../parts/range/range.ts';
import { flag } from '../../parts/searchParameters.ts';

export const figures = ['gross', 'net', 'refunds', 'purchases', 'renewals', 'payers'] as const;
export type Figure = (typeof figures)[number];

export const breakdowns = ['NONE', 'PRODUCT', 'COUNTRY', 'PLATFORM'] as const;
export type Breakdown = (typeof breakdowns)[number];

export const revenueSearch = rangeSearch.omit({ unit: true }).extend({
  interval: z.enum(['DAY', 'WEEK', 'MONTH']).optional().catch(undefined),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .catch(undefined),
  by: z.enum(breakdowns).optional().catch(undefined),
  figure: z.enum(figures).optional().catch(undefined),
  test: flag,
});

export type RevenueSearch = z.infer<typeof revenueSearch>;

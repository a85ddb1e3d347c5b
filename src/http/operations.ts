// The operation list: one line for each operationId of openapi.yaml; an operation without a line does not compile.
import type { Deps } from '../deps.ts';
import { reportStoreTransactions } from '../purchases/reportStoreTransactions.ts';
import { reportSessions } from '../sessions/reportSessions.ts';
import type { OperationHandlers } from './operationTypes.ts';
import { notImplemented } from './unwritten.ts';

export const operations = {
  reportSessions,
  reportAttribution: notImplemented('reportAttribution'),
  reportStoreTransactions,
  getCampaigns: notImplemented('getCampaigns'),
} satisfies OperationHandlers<Deps>;

// The operation list: one line for each operationId of openapi.yaml. An operation without a line does not compile.
import { reportAttribution } from '../attribution/reportAttribution.ts';
import { getCampaigns } from '../campaigns/getCampaigns.ts';
import type { Deps } from '../deps.ts';
import { receiveStoreNotification } from '../purchases/receiveStoreNotification.ts';
import { reportStoreTransactions } from '../purchases/reportStoreTransactions.ts';
import { reportSessions } from '../sessions/reportSessions.ts';
import type { OperationHandlers } from './operationTypes.ts';

export const operations = {
  reportSessions,
  reportAttribution,
  reportStoreTransactions,
  getCampaigns,
  receiveStoreNotification,
} satisfies OperationHandlers<Deps>;

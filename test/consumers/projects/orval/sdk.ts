// An SDK's client over orval's functions: the status tells the types of the bodies apart.
import type { Refusal, SdkClient, SdkSettings } from '../shared/sdkClient.ts';
import {
  getCampaigns,
  reportAttribution,
  reportSessions,
  reportStoreTransactions,
  type AttributionReport,
  type CampaignConfig,
  type SessionReport,
  type StoreTransactionReport,
  type getCampaignsResponse,
  type reportSessionsResponse,
} from './client.ts';
import { connect } from './request.ts';

export function createSdk(
  settings: SdkSettings,
): SdkClient<SessionReport, AttributionReport, StoreTransactionReport, CampaignConfig> {
  return {
    async uploadSessions(report) {
      connect(settings);
      const answer = await reportSessions(report);
      if (answer.status !== 200) return refusalOf(answer);
      return { status: 200, revision: answer.headers.get('X-Config-Revision') };
    },
    async reportAttribution(report) {
      connect(settings);
      const answer = await reportAttribution(report);
      return answer.status === 200 ? { status: 200 } : refusalOf(answer);
    },
    async reportStoreTransactions(report) {
      connect(settings);
      const answer = await reportStoreTransactions(report);
      return answer.status === 200 ? { status: 200 } : refusalOf(answer);
    },
    async fetchCampaigns(facts, tag) {
      connect(settings);
      const answer = await getCampaigns(facts, tag === undefined ? {} : { 'If-None-Match': tag });
      if (answer.status === 304) return { status: 304 };
      if (answer.status !== 200) return refusalOf(answer);
      return { status: 200, config: answer.data, tag: answer.headers.get('ETag') };
    },
  };
}

/** An upload has the refusals of every operation, and more. */
function refusalOf(answer: Exclude<reportSessionsResponse | getCampaignsResponse, { status: 200 | 304 }>): Refusal {
  switch (answer.status) {
    case 403:
      return { status: 403, reason: answer.data.reason, serverTime: answer.data.serverTime };
    case 404:
      return { status: 404, detail: answer.data.detail };
    case 413:
      return { status: 413, unit: answer.data.unit, limit: answer.data.limit };
    case 422:
      return { status: 422, paths: answer.data.fields.map(({ path }) => path) };
    default:
      return { status: answer.status };
  }
}

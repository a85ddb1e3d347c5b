// An SDK's client over hey-api's functions: an interceptor signs, and the types tell the bodies of refusals apart.
import type { Refusal, SdkClient, SdkSettings } from '../shared/sdkClient.ts';
import { signedRequest } from '../shared/signing.ts';
import { createClient, type Client } from './client/client/index.ts';
import {
  getCampaigns,
  reportAttribution,
  reportSessions,
  reportStoreTransactions,
  type AttributionReport,
  type CampaignConfig,
  type GetCampaignsError,
  type ReportSessionsError,
  type SessionReport,
  type StoreTransactionReport,
} from './client/index.ts';

export function createApiClient({ baseUrl, publicKey, sign }: SdkSettings): Client {
  const client = createClient({ baseUrl, auth: () => publicKey });
  client.interceptors.request.use((request, { url }) =>
    url === '/api/v1/session' ? signedRequest(request, sign) : request,
  );
  return client;
}

export function createSdk(
  settings: SdkSettings,
): SdkClient<SessionReport, AttributionReport, StoreTransactionReport, CampaignConfig> {
  const client = createApiClient(settings);
  return {
    async uploadSessions(body) {
      const { data, error, response } = await reportSessions({ client, body });
      return data ? { status: 200, revision: response.headers.get('X-Config-Revision') } : refusalOf(error);
    },
    async reportAttribution(body) {
      const { data, error } = await reportAttribution({ client, body });
      return data ? { status: 200 } : refusalOf(error);
    },
    async reportStoreTransactions(body) {
      const { data, error } = await reportStoreTransactions({ client, body });
      return data ? { status: 200 } : refusalOf(error);
    },
    async fetchCampaigns(query, tag) {
      const headers = tag === undefined ? {} : { 'If-None-Match': tag };
      const { data, error, response } = await getCampaigns({ client, query, headers });
      if (data) return { status: 200, config: data, tag: response.headers.get('ETag') };
      return response.status === 304 ? { status: 304 } : refusalOf(error);
    },
  };
}

/** An upload has the errors of every operation, and more. */
function refusalOf(problem: ReportSessionsError | GetCampaignsError): Refusal {
  if ('detail' in problem) return { status: 404, detail: problem.detail };
  switch (problem.status) {
    case 403:
      return { status: 403, reason: problem.reason, serverTime: problem.serverTime };
    case 413:
      return { status: 413, unit: problem.unit, limit: problem.limit };
    case 422:
      return { status: 422, paths: problem.fields.map(({ path }) => path) };
    default:
      return { status: problem.status };
  }
}

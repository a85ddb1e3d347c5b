// An SDK's client over openapi-fetch: a middleware signs, and the types tell the bodies of refusals apart.
import createClient, { type Client } from 'openapi-fetch';
import type { FetchOutcome, Refusal, SdkClient, SdkSettings } from '../shared/sdkClient.ts';
import { signedRequest } from '../shared/signing.ts';
import type { components, paths } from './schema.ts';

type Schemas = components['schemas'];
type Problem = Schemas[
  | 'RequestNotAuthenticatedError'
  | 'ApplicationNotFoundError'
  | 'PayloadTooLargeError'
  | 'UnsupportedMediaTypeError'
  | 'ValidationError'
  | 'InternalError'
  | 'UnavailableError'];
type Sdk = SdkClient<
  Schemas['SessionReport'],
  Schemas['AttributionReport'],
  Schemas['StoreTransactionReport'],
  Schemas['CampaignConfig']
>;

export function createApiClient({ baseUrl, publicKey, sign }: SdkSettings): Pick<Client<paths>, 'GET' | 'POST'> {
  const client = createClient<paths>({ baseUrl, headers: { 'X-Api-Key': publicKey } });
  client.use({
    onRequest: ({ request, schemaPath }) =>
      schemaPath === '/api/v1/session' ? signedRequest(request, sign) : undefined,
  });
  return client;
}

export function createSdk(settings: SdkSettings): Sdk {
  const client = createApiClient(settings);
  return {
    async uploadSessions(body) {
      const { data, error, response } = await client.POST('/api/v1/session', { body });
      return data ? { status: 200, revision: response.headers.get('X-Config-Revision') } : refusalOf(error);
    },
    async reportAttribution(body) {
      const { data, error } = await client.POST('/api/v1/attribution', { body });
      return data ? { status: 200 } : refusalOf(error);
    },
    async reportStoreTransactions(body) {
      const { data, error } = await client.POST('/api/v1/tm/store', { body });
      return data ? { status: 200 } : refusalOf(error);
    },
    async fetchCampaigns(query, tag): Promise<FetchOutcome<Schemas['CampaignConfig']>> {
      const params = { query, header: tag === undefined ? {} : { 'If-None-Match': tag } };
      const { data, error, response } = await client.GET('/api/v1/campaigns', { params });
      if (data) return { status: 200, config: data, tag: response.headers.get('ETag') };
      return error ? refusalOf(error) : { status: 304 };
    },
  };
}

function refusalOf(problem: Problem): Refusal {
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

// The running service must return the example of each error code in schema.graphql, word by word.
import { type GraphQLEnumType } from 'graphql';
import type { ErrorCode } from '../../generated/graphql.ts';
import { AnalyticsUnavailable } from '../../src/analytics/engine/engine.ts';
import type { Deps } from '../../src/deps.ts';
import { askAdmin, type AdminAnswer, type AdminRequest } from '../support/adminClient.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, putMembership, type TestUser } from '../support/testUsers.ts';
import { adminSchema } from '../support/adminSchema.ts';

const schema = adminSchema();
const codes = (schema.getType('ErrorCode') as GraphQLEnumType).getValues();

let service: TestService;
let owner: TestUser;
let viewer: TestUser;
let campaign: string;
let nowhere: TestUser;
beforeAll(async () => {
  const attemptLimits = { perAccount: 1, perAddress: 1_000, windowSeconds: 900 };
  const hash = () => Promise.reject(new Error('for this test'));
  const matches = async (_hash: string | null, password: string) => password === 'the right one';
  const building = () => Promise.reject(new AnalyticsUnavailable({ reason: 'building', progress: 0.25 }));
  const change = (deps: Deps): Deps => ({
    ...deps,
    passwords: { ...deps.passwords, hash, matches },
    analytics: { ...deps.analytics, ask: building },
  });
  service = await startTestService({ attemptLimits, change });
  const organizationId = await organizationOf(service, service.application.id);
  owner = await newUser(service, organizationId, 'owner');
  viewer = await newUser(service, organizationId, 'viewer');
  nowhere = await newUser(service, organizationId, 'viewer');
  await putMembership(service, nowhere, { status: 'disabled' });
  campaign = (await storeCampaign(service, { state: 'DRAFT' })).id;
});
afterAll(() => service.stop());

const anybody = (operation: AdminRequest) => askAdmin(service.url, operation);
const login = (email: string, password = 'x') =>
  anybody({ query: `mutation { login(input: { email: "${email}", password: "${password}" }) { token } }` });

const provocations: Record<ErrorCode, () => Promise<AdminAnswer>> = {
  UNAUTHENTICATED: () => anybody({ query: '{ me { email } }' }),
  FORBIDDEN: () => viewer.ask('{ auditLog { at } }'),
  BAD_USER_INPUT: () => owner.ask('mutation { userInvite(input: { email: "x", role: "viewer" }) { email } }'),
  NOT_FOUND: () => owner.ask('mutation { projectDelete(id: "018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90") }'),
  CONFLICT: () => owner.ask(`mutation { campaignEdit(input: { id: "${campaign}", expectedVersion: 7 }) { id } }`),
  INVALID_CREDENTIALS: () => login('nobody@example.com'),
  INVALID_TOKEN: () => anybody({ query: 'mutation { refreshToken(token: "none") { token } }' }),
  NO_ORGANIZATION: () => login(nowhere.email, 'the right one'),
  ILLEGAL_TRANSITION: () => owner.ask(`mutation { campaignChangeState(id: "${campaign}", state: FINISHED) { id } }`),
  async RATE_LIMITED() {
    await login('often@example.com');
    return login('often@example.com');
  },
  async UNAVAILABLE() {
    const none = { atOnce: 0, longestQueue: 0 };
    await using busy = await startTestService({ places: { callers: none, requests: none, large: none } });
    return await askAdmin(busy.url, { query: '{ id }' });
  },
  ANALYTICS_UNAVAILABLE: () => {
    const { id } = service.application;
    return owner.ask(`{ activity(input: { applicationId: "${id}", from: "2026-03-01", to: "2026-03-01" }) { asOf } }`);
  },
  INTERNAL_SERVER_ERROR: () => {
    const input = '{ email: "ann@example.com", password: "a fine phrase", organization: "Acme", name: "Ann" }';
    return anybody({ query: `mutation { signup(input: ${input}) { token } }` });
  },
  GRAPHQL_PARSE_FAILED: () => anybody({ query: '{ me {' }),
  GRAPHQL_VALIDATION_FAILED: () => anybody({ query: '{ you }' }),
  OPERATION_RESOLUTION_FAILURE: () => anybody({ query: 'query One { id }', operationName: 'Other' }),
  BAD_REQUEST: () => anybody({} as AdminRequest),
  PAYLOAD_TOO_LARGE: () => anybody({ query: `{ id } #${' '.repeat(100_000)}` }),
};

interface Shown {
  message: string;
  path?: unknown;
  extensions: Record<string, unknown>;
}

/** The error in the form of a description, without its random retry time and challenge. */
function comparable({ message, path, extensions }: Shown): Shown {
  const { retryAfterSeconds, challenge, ...rest } = extensions;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds: typeof retryAfterSeconds };
  return {
    message,
    ...(path !== undefined && { path }),
    extensions: { ...rest, ...wait, ...(challenge !== undefined && { challenge: typeof challenge }) },
  };
}

test.each(codes.map(({ name, description }) => [name as ErrorCode, description ?? '']))(
  '%s is given as it is shown',
  async (code, description) => {
    const block = description.split('\n\n').find((part) => part.startsWith('    {"message"'));
    const { errors } = await provocations[code]();
    expect(errors.map(comparable)).toEqual([comparable(JSON.parse(block ?? '{"extensions":{}}') as Shown)]);
  },
);

// Shared by the tests of the log: the service at level trace with a worker, every operation of both contracts filled with canaries, and the search for them.
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { OpenAPIV3 } from 'openapi-types';
import { writeCursor } from '../../src/purchases/lists.ts';
import type { Tracing } from '../../src/platform/observability/tracing/tracing.ts';
import { canary, canaryBody, canaryOperation, type Canaries, type Fixed } from './canaries.ts';
import { storeCampaign } from './campaigns.ts';
import { captureLog, type CapturedLog } from './capturedLog.ts';
import { newAccount } from './fakeStore.ts';
import { rootFields } from './rootFields.ts';
import { newMailFolder, startMailWorker } from './mail.ts';
import { readMail } from './mailServer.ts';
import { loadPublicDocument, requiredQuery, type PublicDocument } from './publicDocument.ts';
import { storeServiceToken } from './serviceTokens.ts';
import { storeWebhook } from './webhooks.ts';
import { startTestService, type TestService } from './testService.ts';
import { newUser, organizationOf, type TestUser } from './testUsers.ts';
import { json, signedHeaders } from './uploads.ts';
import { adminSchema } from './adminSchema.ts';

/** Inputs that the log may contain: ids that the service's own lines name. */
const mayBeLogged = /^reportStoreTransactions\.transactions\.id$/;
/** Secrets of any origin by their form: tokens, keys, hashes, links with a token. */
const secretForms = [
  /eyJ[\w-]{10}/,
  /sec_[0-9A-Za-z]{10}/,
  /whsec_/,
  /svc_[\w-]{10}/,
  /PRIVATE KEY/,
  /\$argon2/,
  /Bearer /,
  /[?&]token=/,
  /v1=[0-9a-f]{64}/,
];

const schema = adminSchema();

export interface LogTest {
  service: TestService;
  owner: TestUser;
  captured: CapturedLog;
  document: PublicDocument;
  canaries: Canaries;
  /** Secrets that responses and mails contained, such as tokens and secret keys. */
  served: Set<string>;
  mailFolder: string;
  stop(): Promise<void>;
}

export async function startLogTest(tracing?: Tracing): Promise<LogTest> {
  const captured = captureLog();
  const { log } = captured;
  const service = await startTestService({
    log,
    tracing,
    findStore: async () => ({ rootCertificates: [], apiUrl: undefined }),
  });
  const owner = await newUser(service, await organizationOf(service, service.application.id));
  const mailFolder = newMailFolder();
  const stopWorker = await startMailWorker(service, { dataDir: mailFolder }, { log, tracing });
  const stop = async (): Promise<void> => {
    await stopWorker();
    await service.stop();
    captured.stop();
    await rm(mailFolder, { recursive: true });
  };
  const document = await loadPublicDocument();
  return { service, owner, captured, document, canaries: new Map(), served: new Set(), mailFolder, stop };
}

export const expectNothingLogged = (test: LogTest): void => expectNothingIn(test.captured.text(), test);

export function expectNothingIn(text: string, { canaries, served: servedOf }: LogTest): void {
  const lower = text.toLowerCase();
  const found = [...canaries].filter(
    ([value, place]) => lower.includes(value.toLowerCase()) && !mayBeLogged.test(place),
  );
  expect(found.map(([, place]) => place)).toEqual([]);
  expect([...servedOf].filter((value) => text.includes(value))).toEqual([]);
  expect(secretForms.filter((form) => form.test(text)).map(String)).toEqual([]);
}

export async function post(
  { service, served: servedOf }: LogTest,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${service.url}/admin/graphql/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
  const text = await response.text();
  for (const [, value] of text.matchAll(/"(?:token|refreshToken|secret)":"([^"]+)"/g)) servedOf.add(value!);
  return { status: response.status, text };
}

/** Remembers the tokens of all mails, and returns the number of mails. */
export async function rememberMails({ mailFolder, served: servedOf }: LogTest): Promise<number> {
  const folder = path.join(mailFolder, 'mail');
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  for (const file of files) {
    const { text } = await readMail(await readFile(path.join(folder, file), 'utf8'));
    servedOf.add(/[?&]token=([\w-]{20,})/.exec(text)![1]!);
  }
  return files.length;
}

/** Existing objects for every field that takes an id, and valid words for every field that refuses a random one. */
export async function ownObjects({ service, owner, served: servedOf }: LogTest): Promise<Fixed> {
  const application = await service.newApplication();
  const organizationId = owner.organizationId;
  const { prisma } = service.database;
  const { projectId } = await prisma.application.findUniqueOrThrow({ where: { id: application.id } });
  await prisma.project.update({ where: { id: projectId }, data: { organizationId } });
  const campaign = await storeCampaign({ database: service.database, application }, { state: 'DRAFT' });
  const expiresAt = new Date(Date.now() + 3_600_000);
  const session = await prisma.loginSession.create({ data: { userId: owner.id, organizationId, expiresAt } });
  const { webhook, delivery } = await storeWebhook(service, application.id);
  const { id: serviceToken } = await storeServiceToken(service, { organizationId });
  const { privateKey } = newAccount();
  servedOf.add(privateKey.split('\n')[1]!);
  const byPath: Record<string, unknown> = {
    ...{ 'projectEdit.input.id': projectId, 'projectDelete.id': projectId, 'applications.projectId': projectId },
    ...{ 'applicationEdit.input.id': application.id, 'applicationDelete.id': application.id },
    ...{ 'campaignEdit.input.id': campaign.id, 'campaignChangeState.id': campaign.id, 'campaign.id': campaign.id },
    ...{ 'applicationEdit.input.projectId': projectId, 'applicationEdit.input.platform': 'iOS' },
    ...{ 'apiKeyRevoke.public': application.key.public, 'campaignChangeState.state': 'ARCHIVED' },
    ...{ 'userInvite.input.role': 'viewer', 'userEdit.input.email': owner.email, 'userEdit.input.role': 'owner' },
    ...{ 'userEdit.input.status': 'active', 'campaignEdit.input.targeting.platforms': ['iOS'] },
    ...{ 'campaignEdit.input.targeting.countries': ['DE'], 'storeCredentialsEdit.input.privateKey': privateKey },
    'storeCredentialsEdit.input.storeAppId': '1234567890',
    'campaignEdit.input.schedule.endAt': '2037-09-10T00:26:40Z',
    ...{ 'campaigns.states': null, 'campaignsCount.states': null, 'sessionRevoke.id': session.id },
    ...{ 'organizationSwitch.id': organizationId, 'organizationCreate.input.challenge': null },
    ...{ 'serviceTokenCreate.input.role': 'viewer', 'serviceTokenRevoke.id': serviceToken },
    ...{ 'serviceTokenCreate.input.applicationIds': [application.id], 'webhookDelete.id': webhook },
    'serviceTokenCreate.input.expiresAt': '2037-09-10T00:26:40Z',
    ...{ 'webhookEdit.input.id': webhook, 'webhookEdit.input.url': 'https://shop.example.com/hooks' },
    ...{
      'webhookDeliveries.webhookId': webhook,
      'webhookDeliveries.after': '9',
      'entitlements.after': writeCursor({ list: 'entitlements', instants: 1 }, '0 line'),
      'storeTransactions.after': writeCursor({ list: 'storeTransactions', instants: 2 }, '0 0 id'),
      'webhookRedeliver.deliveryId': delivery,
    },
    'userRemove.email': (await newUser(service, organizationId, 'viewer')).email,
    ...{ 'apiKeyEdit.input.public': application.key.public, 'applicationEdit.input.timeZone': 'Europe/Berlin' },
  };
  const asked = analyticsInputs();
  const byName = (path: string) => (/\.applicationId$/.test(path) ? application.id : asked(path));
  return (path) => (Object.hasOwn(byPath, path) ? byPath[path] : byName(path));
}

/** Values of analytics that have a form. */
function analyticsInputs(): Fixed {
  const step = { name: 'Purchased', type: 'CUSTOM' };
  const byPath: Record<string, unknown> = {
    'eventSeries.input.property': null,
    'funnel.input.steps': [step, step],
    'devices.filters.scope': 'USER',
    'revenue.input.currency': 'EUR',
    'subscriptions.at': null,
  };
  const byName = (path: string) => (/\.(timeZone|after)$/.test(path) ? null : undefined);
  return (path) => (Object.hasOwn(byPath, path) ? byPath[path] : byName(path));
}

export const noObjects: Fixed = () => undefined;

/** Calls every root field once; returns the response bodies by field. */
export async function askAll(
  test: LogTest,
  fixed: () => Promise<Fixed>,
  headers: () => Record<string, string>,
): Promise<Map<string, string>> {
  const { canaries } = test;
  const responses = new Map<string, string>();
  for (const field of rootFields(schema)) {
    const operation = canaryOperation(schema, field, { canaries, fixed: await fixed() });
    responses.set(field.name, (await post(test, JSON.stringify(operation), headers())).text);
    if (field.name === 'logout') await reopenSession(test);
  }
  return responses;
}

/** The next operation needs the bearer that `logout` has ended. Where the database refuses writes, nothing has ended. */
async function reopenSession({ service, owner }: LogTest): Promise<void> {
  const { prisma } = service.database;
  const ended = await prisma.loginSession
    .count({ where: { id: owner.sessionId, revokedAt: { not: null } } })
    .catch(() => 0);
  if (ended > 0) await prisma.loginSession.update({ where: { id: owner.sessionId }, data: { revokedAt: null } });
}

interface Shape {
  operationId: string;
  path: string;
  method: string;
  body: OpenAPIV3.SchemaObject | undefined;
  parameters: OpenAPIV3.ParameterObject[];
}

function shapes({ document }: LogTest): Shape[] {
  return document.getOperations().map(({ operationId, path, method, requestBody, parameters = [] }) => ({
    operationId: operationId!,
    ...{ path, method: method.toUpperCase(), parameters: parameters as OpenAPIV3.ParameterObject[] },
    body: (requestBody as OpenAPIV3.RequestBodyObject | undefined)?.content['application/json']?.schema as
      OpenAPIV3.SchemaObject | undefined,
  }));
}

export interface PublicRequest {
  /** Puts canaries into the headers and the query too, and replaces the key by one. */
  strange?: boolean;
  spoil?: (body: Record<string, unknown>) => unknown;
}

/** Calls every operation of the public API once; returns the statuses. */
export async function sendAll(test: LogTest, request: PublicRequest = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (const shape of shapes(test)) statuses.push(await send(test, shape, request));
  return statuses;
}

async function send(
  { service, canaries }: LogTest,
  { operationId, path, method, body: bodySchema, parameters }: Shape,
  { strange = false, spoil = (body) => body }: PublicRequest,
): Promise<number> {
  const value = bodySchema && spoil(canaryBody(bodySchema, operationId, canaries) as Record<string, unknown>);
  const body = bodySchema ? json(value) : undefined;
  const word = (place: string) => canary(canaries, `${operationId} ${place}`);
  const key = strange ? { public: word('X-Api-Key'), secret: word('secret') } : service.application.key;
  const filled = (place: string) => {
    const named = strange ? parameters.filter((parameter) => parameter.in === place) : [];
    return Object.fromEntries(named.map(({ name }) => [name, word(name)]));
  };
  const query = strange ? new URLSearchParams(filled('query')).toString() : requiredQuery(parameters);
  const headers = {
    ...(body && operationId === 'reportSessions' ? signedHeaders(key, body) : { 'X-Api-Key': key.public }),
    ...filled('header'),
    ...(body && { 'Content-Type': 'application/json' }),
  };
  const target = path.replace('{applicationId}', strange ? word('applicationId') : service.application.id);
  const response = await fetch(`${service.url}${target}?${query}`, { method, headers, ...(body && { body }) });
  await response.arrayBuffer();
  return response.status;
}

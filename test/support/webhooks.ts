// Webhooks for tests: rows in the database, a receiver that verifies signatures by itself, and the job run by hand.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption, type Encryption } from '../../src/platform/encryption.ts';
import { newId } from '../../src/platform/inputRules.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { deliverWebhooks, type DeliveryDeps } from '../../src/webhooks/deliverWebhooks.ts';
import { enqueueWebhook, type WebhookMessage } from '../../src/webhooks/enqueueWebhook.ts';
import { createHostResolver, newWebhookSecret } from '../../src/webhooks/postEvent.ts';
import type { TestService } from './testService.ts';
import type { TestUser } from './testUsers.ts';

export interface GivenWebhook {
  id: string;
  secret: string;
}

/** By `webhookEdit`. */
export async function newWebhook(
  { ask }: Pick<TestUser, 'ask'>,
  applicationId: string,
  input: Record<string, unknown> = {},
): Promise<GivenWebhook> {
  const query = 'mutation W($input: WebhookEditInput!) { webhookEdit(input: $input) { webhook { id } secret } }';
  const { data, errors } = await ask(query, {
    input: { applicationId, url: 'https://shop.example.com/hooks', ...input },
  });
  expect(errors).toEqual([]);
  const { webhook, secret } = data!['webhookEdit'] as { webhook: { id: string }; secret: string };
  return { id: webhook.id, secret };
}

type Database = Pick<TestService, 'database'>;
const testEncryption = createEncryption(Buffer.alloc(32, 1));

/** A webhook with one delivery, without jobs. */
export async function storeWebhook(
  { database }: Database,
  applicationId: string,
  options: string | { url?: string; encryption?: Encryption } = {},
): Promise<{ webhook: string; delivery: string; secret: string }> {
  const given = typeof options === 'string' ? { url: options } : options;
  const { url = 'https://shop.example.com/hooks', encryption = testEncryption } = given;
  const [webhook, secret, at, by] = [newId(), newWebhookSecret(), new Date(), 'ann@example.com'];
  const times = { createdAt: at, createdBy: by, updatedAt: at, updatedBy: by };
  const secretEncrypted = encryption.encrypt(secret, webhook);
  const row = { id: webhook, applicationId, url, enabled: true, secretEncrypted, ...times };
  await database.prisma.webhook.createMany({ data: row });
  await enqueue({ database }, { applicationId });
  const { id: delivery } = await database.prisma.webhookDelivery.findFirstOrThrow({ where: { webhookId: webhook } });
  return { webhook, delivery, secret };
}

export async function enqueue(
  { database }: Database,
  message: Pick<WebhookMessage, 'applicationId'> & Partial<WebhookMessage>,
): Promise<void> {
  const given = { type: 'CAMPAIGN_STATE_CHANGED', orderKey: 'a', data: {}, at: new Date() } as const;
  await inTransaction(database.pool, (transaction) => enqueueWebhook(transaction, { ...given, ...message }));
}

/** Of a move of the campaign: returns the delivery's id. */
export async function newDelivery(
  { database }: Database,
  of: { owner: TestUser; application: string; campaign: string; webhook?: string },
): Promise<string> {
  const webhookId = of.webhook ?? (await newWebhook(of.owner, of.application)).id;
  await enqueue({ database }, { applicationId: of.application, data: { campaignId: of.campaign } });
  return (await database.prisma.webhookDelivery.findFirstOrThrow({ where: { webhookId } })).id;
}

export interface Received {
  id: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
  verified: boolean;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** How it responds to the next events; 200 unless given. */
  respond: (response: ServerResponse, request: IncomingMessage) => void;
  /** The secret by which it verifies. */
  secret: string;
}

/** Verifies as the standard's text says, by node:crypto alone. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    secret: '',
    respond: (response) => void response.end('ok'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const verified = receiver.secret !== '' && isSigned(receiver.secret, request.headers, text);
      const body = JSON.parse(text) as Received['body'];
      receiver.received.push({ id: String(request.headers['webhook-id']), body, verified });
      receiver.respond(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return receiver;
}

export function isSigned(secret: string, headers: IncomingMessage['headers'], body: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}

/** Runs the job once, as the queue does. */
export async function deliver(
  { database }: Database,
  webhookId: string,
  deps: Omit<Partial<DeliveryDeps>, 'post'> & { post?: Partial<DeliveryDeps['post']>; signal?: AbortSignal } = {},
): Promise<void> {
  const { post, signal = new AbortController().signal, ...others } = deps;
  await deliverWebhooks(
    { webhookId },
    {
      ...{ pool: database.pool, log: createLog('silent'), encryption: testEncryption, now: () => new Date() },
      deliveryEnded: () => undefined,
      eventsDropped: () => undefined,
      post: { production: false, resolve: createHostResolver(), timeLimitMillis: 10_000, ...post },
      ...others,
    },
    signal,
  );
}

// mutation webhookEdit: creates a webhook, or edits one under the lock of its row. A new secret is shown once.
import type { MutationWebhookEditArgs, WebhookEditInput } from '../../generated/graphql.ts';
import { audit, changedFields, type ChangedFields } from '../audit/audit.ts';
import { type AdminPool, type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import { assertRoom, type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import type { Caller } from '../workspace/workspace.ts';
import { lockApplication } from '../workspace/workspaceEditsStore.ts';
import { prepared } from '../platform/database/sql.ts';
import { parkWaiting } from './enqueueWebhook.ts';
import { faultOfUrl, newWebhookSecret, type UrlRules } from './postEvent.ts';
import { lockWebhook, type WebhookEventName, type WebhookRecord } from './webhooks.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  encryption: Encryption;
  webhookRules: UrlRules;
  now(): Date;
}

interface Edited {
  webhook: WebhookRecord;
  /** Null where the secret stays as it was. */
  secret: string | null;
}

/** Each event of an application is written once for each of them. */
const mostWebhooks = 20;

/** Throws `validation_failed`, `not_found` (the webhook or the application). */
export async function webhookEdit({ input }: MutationWebhookEditArgs, needs: Needs): Promise<Edited> {
  const change = readWebhookInput(input, needs.webhookRules);
  return inTransaction(needs.adminPool, (transaction) =>
    input.id ? edit(transaction, { id: input.id, change }, needs) : create(transaction, change, needs),
  );
}

async function create(transaction: AdminTransaction, change: WebhookChange, needs: Needs): Promise<Edited> {
  const { caller, encryption, now } = needs;
  const applicationId = change.applicationId!;
  const own = await lockApplication(transaction, { organizationId: caller.organizationId, id: applicationId });
  if (!own) throw new AppError('not_found', undefined);
  const count = await transaction.prisma.webhook.count({ where: { applicationId } });
  assertRoom({ count, most: mostWebhooks, path: 'input.applicationId', objects: 'webhooks' });
  const [at, by] = [now(), caller.email];
  const { url, events = null, enabled = true } = change;
  const times = { createdAt: at, createdBy: by, updatedAt: at, updatedBy: by };
  const row = { id: newId(), applicationId, url: url!, enabled, gone: false, ...times };
  const secret = newWebhookSecret();
  const secretEncrypted = encryption.encrypt(secret, row.id);
  // Without a list the column stays NULL.
  await transaction.prisma.webhook.createMany({ data: { ...row, secretEncrypted, ...(events && { events }) } });
  const webhook = { ...row, events, droppedEvents: 0, lastDroppedAt: null };
  await record(transaction, needs, { webhook, changes: changedFields(null, { url, events, enabled }) });
  return { webhook, secret };
}

async function edit(
  transaction: AdminTransaction,
  { id, change }: { id: string; change: WebhookChange },
  needs: Needs,
): Promise<Edited> {
  const { caller, encryption, now } = needs;
  const before = await lockWebhook(transaction, { organizationId: caller.organizationId, id });
  if (!before) throw new AppError('not_found', undefined);
  const { applicationId = before.applicationId, rotateSecret, ...fields } = change;
  if (applicationId !== before.applicationId) refuse('input.applicationId', 'cannot be changed');
  const edited = { url: fields.url ?? before.url, enabled: fields.enabled ?? before.enabled };
  const events = fields.events === undefined ? before.events : fields.events;
  const changes = changedFields<Pick<WebhookRecord, 'url' | 'enabled'>>(before, edited);
  if (String(events) !== String(before.events)) changes['events'] = { from: before.events, to: events };
  if (Object.keys(changes).length === 0 && !rotateSecret) return { webhook: before, secret: null };
  const secret = rotateSecret ? newWebhookSecret() : null;
  // Somebody who enables it again says that the receiver is back.
  const gone = before.gone && !edited.enabled;
  const webhook = { ...before, ...edited, events, gone, updatedAt: now(), updatedBy: caller.email };
  const secretEncrypted = secret && Buffer.from(encryption.encrypt(secret, id));
  // SQL, because Prisma writes no NULL to a list.
  await transaction.query(prepared('update_webhook')`/* webhooks: updateWebhook */
    UPDATE webhooks SET url = ${webhook.url}, events = ${events}::text[], enabled = ${webhook.enabled}, gone = ${gone},
      updated_at = ${webhook.updatedAt}, updated_by = ${webhook.updatedBy},
      secret_encrypted = coalesce(${secretEncrypted}, secret_encrypted)
    WHERE id = ${id}`);
  if (!webhook.enabled) await parkWaiting(transaction, { webhookId: id, now: now(), error: 'disabled' });
  await record(transaction, needs, { webhook, changes, rotated: rotateSecret });
  return { webhook, secret };
}

async function record(
  transaction: AdminTransaction,
  { caller }: Needs,
  { webhook, changes, rotated }: { webhook: WebhookRecord; changes: ChangedFields; rotated?: boolean },
): Promise<void> {
  const details = { applicationId: webhook.applicationId, ...changes, ...(rotated && { secretRotated: true }) };
  await audit(transaction, caller, { action: 'webhookEdit', objectType: 'webhook', objectId: webhook.id, details });
}

function refuse(path: string, message: string): void {
  const rules = inputRules();
  rules.refuse(path, message);
  rules.assert();
}

/** An absent field stays unchanged. */
interface WebhookChange {
  applicationId?: string | undefined;
  url?: string | undefined;
  /** Null: all events. */
  events?: WebhookEventName[] | null | undefined;
  enabled?: boolean | undefined;
  rotateSecret: boolean;
}

type Fields = Record<'id' | 'applicationId' | 'url' | 'events' | 'enabled' | 'rotateSecret', true>;

/** Throws `validation_failed`. */
export function readWebhookInput(input: EveryField<WebhookEditInput, Fields>, urlRules: UrlRules): WebhookChange {
  const { id, applicationId, url, events, enabled, rotateSecret } = input;
  const rules = inputRules();
  const given = <Value>(path: string, value: Value | null | undefined, required: boolean): Value | undefined => {
    if (value === null) rules.refuse(path, 'must not be null');
    else if (value === undefined && required) rules.refuse(path, 'is required');
    return value ?? undefined;
  };
  const change = {
    applicationId: given('input.applicationId', applicationId, !id),
    url: given('input.url', url, !id),
    events: events && [...new Set(events)].sort(),
    enabled: given('input.enabled', enabled, false),
    rotateSecret: rotateSecret ?? false,
  };
  if (change.url !== undefined) {
    rules.text('input.url', change.url, 2_048);
    // A URL's parser drops or encodes white space, so the stored text would differ from the URL in use.
    const fault = /\s/.test(change.url) ? 'must have no white space' : faultOfUrl(change.url, urlRules);
    if (fault !== null) rules.refuse('input.url', fault);
  }
  if (events?.length === 0) rules.refuse('input.events', 'must not be empty');
  rules.assert();
  return change;
}

// mutation applicationEdit: creates an application with its first key, or edits one of the caller's organization.
import type { ApplicationEditInput, MutationApplicationEditArgs } from '../../generated/graphql.ts';
import { audit, changedFields, type ChangedFields } from '../audit/audit.ts';
import { inTransaction, type AdminPool, type AdminTransaction } from '../platform/database/transaction.ts';
import {
  assertRoom,
  type EveryField,
  inputRules,
  type InputRules,
  newId,
  readExactName,
} from '../platform/inputRules.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import { insertApiKey, newApiKey } from './applicationDirectory.ts';
import { findTimeZone, isKnownTimeZone } from './timeZone.ts';
import {
  type ApplicationRecord,
  type Caller,
  canAccess,
  type EditNeeds,
  type ViewedApplication,
  withViewer,
} from './workspace.ts';
import { lockApplication, lockProject } from './workspaceEditsStore.ts';

interface Needs extends EditNeeds {
  encryption: Encryption;
}

const platforms = ['iOS', 'Android'] as const;
const mostApplications = 1_000;
const omit = { deletedAt: true, removedAt: true } as const;

/** An absent field stays unchanged. */
type ApplicationChange = {
  [Field in Exclude<keyof ApplicationRecord, 'id' | 'createdAt'>]?: ApplicationRecord[Field] | undefined;
};

/** Throws `forbidden` (a service token creates and moves none), `validation_failed`, `not_found` (the application or the project). */
export async function applicationEdit(
  { input }: MutationApplicationEditArgs,
  needs: Needs,
): Promise<ViewedApplication> {
  const { caller, adminPool } = needs;
  const { organizationId } = caller;
  if (caller.service && (!input.id || input.projectId !== undefined)) throw new AppError('forbidden', undefined);
  const change = await withTimeZone(read(input), adminPool);
  const application = await inTransaction(adminPool, async (transaction) => {
    const { projectId } = change;
    if (projectId && !(await lockProject(transaction, { organizationId, id: projectId }))) return null;
    return input.id ? edit(transaction, caller, { id: input.id, change }) : create(transaction, needs, change);
  });
  if (!application) throw new AppError('not_found', undefined);
  return withViewer(caller, application);
}

async function create(
  transaction: AdminTransaction,
  { caller, encryption }: Needs,
  change: ApplicationChange,
): Promise<ApplicationRecord> {
  const { projectId, name, bundleId, platform } = change;
  await assertRoomIn(transaction, projectId!);
  const required = { projectId: projectId!, name: name!, bundleId: bundleId!, platform: platform! };
  const application = await transaction.prisma.application.create({
    data: { id: newId(), ...change, ...required },
    omit,
  });
  await insertApiKey(transaction, encryption, {
    applicationId: application.id,
    key: newApiKey(),
    createdBy: caller.email,
  });
  await auditEdit(transaction, caller, { id: application.id, details: changedFields(null, change) });
  return application;
}

async function edit(
  transaction: AdminTransaction,
  caller: Caller,
  { id, change }: { id: string; change: ApplicationChange },
): Promise<ApplicationRecord | null> {
  if (!canAccess(caller, id)) return null;
  const before = await lockApplication(transaction, { organizationId: caller.organizationId, id });
  if (!before) return null;
  const details = changedFields(before, change);
  if (Object.keys(details).length === 0) return before;
  const { projectId = before.projectId } = change;
  if (projectId !== before.projectId) await assertRoomIn(transaction, projectId);
  const application = await transaction.prisma.application.update({ where: { id }, data: change, omit });
  await auditEdit(transaction, caller, { id, details });
  return application;
}

/** The transaction holds the project. */
async function assertRoomIn(transaction: AdminTransaction, projectId: string): Promise<void> {
  const count = await transaction.prisma.application.count({ where: { projectId, deletedAt: null } });
  assertRoom({ count, most: mostApplications, path: 'input.projectId', objects: 'applications' });
}

function auditEdit(
  transaction: AdminTransaction,
  caller: Caller,
  { id, details }: { id: string; details: ChangedFields },
): Promise<void> {
  return audit(transaction, caller, { action: 'applicationEdit', objectType: 'application', objectId: id, details });
}

type Fields =
  'id' | 'projectId' | 'name' | 'bundleId' | 'platform' | 'image' | 'timeZone' | 'entitlementPolicy' | 'testDevices';

/** Returns every field of a new application, but those that have a default may be absent. */
function read(input: EveryField<ApplicationEditInput, Record<Fields, true>>): ApplicationChange {
  const isNew = !input.id;
  const rules = inputRules();
  const name = rules.editedName('input.name', input.name, isNew);
  const bundleId = rules.editedName('input.bundleId', input.bundleId, isNew);
  const keepsPlatform = !isNew && input.platform === undefined;
  const platform = keepsPlatform ? undefined : rules.oneOf('input.platform', input.platform, platforms);
  if (input.projectId === null || (isNew && !input.projectId)) rules.refuse('input.projectId', 'is required');
  const image = rules.picture('input.image', input.image);
  const timeZone = readTimeZone(rules, input.timeZone);
  const testDevices = readTestDevices(rules, input.testDevices);
  rules.assert();
  const projectId = input.projectId ?? undefined;
  const entitlementPolicy = input.entitlementPolicy === null ? 'KEEP' : input.entitlementPolicy;
  const change = { projectId, name, bundleId, platform, timeZone, entitlementPolicy, testDevices };
  return { ...change, image: image === null ? '' : image };
}

const mostTestDevices = 100;

/** Absent means unchanged, null means none. */
function readTestDevices(rules: InputRules, ids: readonly string[] | null | undefined): string[] | undefined {
  if (ids == null) return ids === null ? [] : undefined;
  const path = 'input.testDevices';
  if (ids.length > mostTestDevices) {
    rules.refuse(path, `must have at most ${mostTestDevices} entries`);
    return [];
  }
  const seen = new Set<string>();
  ids.forEach((id, index) => {
    readExactName(rules, `${path}[${index}]`, id);
    if (seen.has(id)) rules.refuse(`${path}[${index}]`, 'is in the list already');
    seen.add(id);
  });
  return [...ids];
}

const noTimeZone = 'must be a name of the IANA time zone database';

/** Absent means unchanged, null means UTC. */
function readTimeZone(rules: InputRules, value: string | null | undefined): string | undefined {
  if (value == null) return value === null ? 'UTC' : undefined;
  if (!isKnownTimeZone(value)) rules.refuse('input.timeZone', noTimeZone);
  return value;
}

/** After the other checks, because it asks the database. Throws `validation_failed`. */
async function withTimeZone(change: ApplicationChange, adminPool: AdminPool): Promise<ApplicationChange> {
  if (change.timeZone === undefined) return change;
  const timeZone = await findTimeZone(adminPool, change.timeZone);
  if (timeZone === null)
    throw new AppError('validation_failed', { fields: [{ path: 'input.timeZone', message: noTimeZone }] });
  return { ...change, timeZone };
}

// mutation applicationEdit: creates an application with its first key, or edits one of the caller's organization.
import type { ApplicationEditInput, MutationApplicationEditArgs } from '../../generated/graphql.ts';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules } from '../platform/inputRules.ts';
import { newApiKey } from './apiKey.ts';
import { insertApiKey } from './applicationsStore.ts';
import { seenBy, type Caller } from './caller.ts';
import type { SeenApplication } from './nestedFields.ts';
import { insertApplication, lockProject, updateApplication, type ApplicationChange } from './workspaceEditsStore.ts';
import type { ApplicationRecord } from './workspaceStore.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
  encryption: Encryption;
}

const platforms = ['iOS', 'Android'] as const;

/** Throws `validation_failed`, `not_found` (the application or the project). */
export async function applicationEdit(
  { input }: MutationApplicationEditArgs,
  { caller, prisma, encryption }: Needs,
): Promise<SeenApplication> {
  const { organizationId } = caller;
  const change = read(input);
  const application = await prisma.$transaction(async (transaction) => {
    const { projectId } = change;
    if (projectId && !(await lockProject(transaction, { organizationId, id: projectId }))) return null;
    return input.id
      ? updateApplication(transaction, { organizationId, id: input.id }, change)
      : create(transaction, encryption, change);
  });
  if (!application) throw new AppError('not_found', undefined);
  return seenBy(caller, application);
}

async function create(
  transaction: Prisma.TransactionClient,
  encryption: Encryption,
  { projectId, name, bundleId, platform, image }: ApplicationChange,
): Promise<ApplicationRecord> {
  const fields = { projectId: projectId!, name: name!, bundleId: bundleId!, platform: platform! };
  const application = await insertApplication(transaction, { ...fields, image: image ?? '' });
  await insertApiKey(transaction, encryption, { applicationId: application.id, key: newApiKey() });
  return application;
}

/** All of a new application's fields are there after this, but for the image. */
function read(input: ApplicationEditInput): ApplicationChange {
  const isNew = !input.id;
  const rules = inputRules();
  const name = rules.editedName('input.name', input.name, isNew);
  const bundleId = rules.editedName('input.bundleId', input.bundleId, isNew);
  const platform = platforms.find((known) => known === input.platform);
  if (input.platform === undefined ? isNew : !platform) rules.refuse('input.platform', 'must be iOS or Android');
  if (input.projectId === null || (isNew && !input.projectId)) rules.refuse('input.projectId', 'is required');
  const image = rules.picture('input.image', input.image);
  rules.assert();
  return { projectId: input.projectId ?? undefined, name, bundleId, platform, image: image === null ? '' : image };
}

// The application of a list of purchases, which the caller must reach.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../platform/errors.ts';
import type { InputRules } from '../platform/inputRules.ts';
import { reaches, type Caller } from '../workspace/caller.ts';
import { findOwnApplication } from '../workspace/workspaceStore.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
}

/** Throws `not_found`. */
export async function assertOwnApplication({ caller, prisma }: Needs, id: string): Promise<void> {
  const { organizationId } = caller;
  if (reaches(caller, id) && (await findOwnApplication(prisma, { organizationId, id }))) return;
  throw new AppError('not_found', undefined);
}

/** A filter by a text that is compared whole. Null and absent give null. */
export function readFilter(rules: InputRules, path: string, value: string | null | undefined): string | null {
  if (value === '') rules.refuse(path, 'must not be empty');
  return value == null ? null : rules.text(path, value, 256);
}

// query device: the record of one device, or null when nothing has arrived from it.
import type { Pool } from 'pg';
import type { QueryDeviceArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { inputRules } from '../platform/inputRules.ts';
import { reaches, type Caller } from '../workspace/caller.ts';
import { findOwnApplication } from '../workspace/workspaceStore.ts';
import { deviceKey } from './deviceKey.ts';
import { findDevice, type DeviceRecord } from './deviceStore.ts';

/** A device for the features that read more of it by `key`, which their rows carry. */
export interface SeenDevice extends DeviceRecord {
  id: string;
  key: string;
}

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: AnswerBudget;
}

/** Throws `validation_failed`. Null for an unknown device, and for an application that the caller does not reach. */
export async function device(
  { applicationId, id }: QueryDeviceArgs,
  { caller, adminPool, prisma, budget }: Needs,
): Promise<SeenDevice | null> {
  const rules = inputRules();
  if (id === '') rules.refuse('id', 'must not be empty');
  rules.text('id', id, 256);
  rules.assert();
  const { organizationId } = caller;
  if (!reaches(caller, applicationId)) return null;
  if (!(await findOwnApplication(prisma, { organizationId, id: applicationId }))) return null;
  const key = deviceKey(applicationId, id);
  const [found] = await withinBudget(
    budget,
    (room) => findDevice(adminPool, { key, bytes: room.bytes }),
    ({ bytes }) => bytes,
  );
  return found ? { ...found, id, key } : null;
}

// query entitlements: what the customers of an application own, newest first, in pages by cursor.
import type { Pool } from 'pg';
import type { QueryEntitlementsArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import type { Caller } from '../workspace/caller.ts';
import { assertOwnApplication } from '../workspace/ownApplication.ts';
import { findEntitlementPage, type PlacedEntitlement } from './entitlementPageStore.ts';
import { readFilter } from './readFilter.ts';
import { pageOf, readCursor, type Page } from './pageCursor.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: AnswerBudget;
  now(): Date;
}

type Args = Partial<QueryEntitlementsArgs> & Pick<QueryEntitlementsArgs, 'applicationId'>;

const cursor = { list: 'entitlements', instants: 1 } as const;

/** Throws `validation_failed`, `not_found` (the application). */
export async function entitlements(args: Args, needs: Needs): Promise<Page<PlacedEntitlement>> {
  const { adminPool, budget, now } = needs;
  const { limit, ...filters } = read(args);
  await assertOwnApplication(needs, args.applicationId);
  const rows = await withinBudget(budget, (room) =>
    findEntitlementPage(adminPool, { ...filters, now: now(), limit: Math.min(limit, room.limit) + 1 }),
  );
  return pageOf(cursor, rows, limit);
}

function read({ applicationId, externalId, deviceId, active = null, limit, after }: Args) {
  const rules = inputRules();
  const device = readFilter(rules, 'deviceId', deviceId);
  const filters = {
    ...{ applicationId, active },
    externalId: readFilter(rules, 'externalId', externalId),
    heldBy: device === null ? null : deviceKey(applicationId, device),
    limit: readLimit(rules, limit, { byDefault: 100 }),
    after: readCursor(rules, cursor, after),
  };
  rules.assert();
  return filters;
}

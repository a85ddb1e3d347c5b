// Bounds what users and service tokens make the service store by mutations (schema.graphql, "Stored bytes").
import type { MutationResolvers } from '../../generated/graphql.ts';
import type { Attempts } from '../accounts/attempts.ts';
import type { Caller } from '../workspace/caller.ts';
import type { CallerContext } from './context.ts';

/** Throws `rate_limited`. */
export type Storing = (caller: Caller, bytes: number) => ReturnType<Attempts['storing']>;

/** The service tokens of an organization count together: an admin can make many. */
export function storingAt(address: string, attempts: Attempts): Storing {
  return ({ userId, organizationId, service }, bytes) => {
    const account = service ? `service tokens of ${organizationId}` : userId;
    return attempts.storing({ account, address }, bytes);
  };
}

/** They work also against somebody who has used the bytes up. Each ends what was counted, or adds a login, which has a bound. */
const neverRefused = new Set<string>([
  ...(['accountDelete', 'apiKeyRevoke', 'applicationDelete', 'logout', 'logoutEverywhere'] as const),
  ...(['organizationLeave', 'organizationSwitch', 'projectDelete', 'serviceTokenRevoke'] as const),
  ...(['sessionRevoke', 'userRemove', 'webhookDelete'] as const),
] satisfies (keyof MutationResolvers)[]);

/** Delivered to devices. A move to any other state only stops a campaign. */
const delivered = new Set<unknown>(['ACTIVE', 'SCHEDULED']);

/** Rows with their index entries, the line of the audit log, and jobs. */
const rowBytes = 4_096;
/** Of a move also the events, for each of 20 webhooks, and the move that stops the campaign later. */
const moveBytes = 65_536;
/** A campaign's text is in its row, in a version that devices get, and before and after in its history. */
const copies = 4;

type Operation = (args: unknown, context: CallerContext) => unknown;

export function boundStored(field: string, operation: Operation): Operation {
  if (neverRefused.has(field)) return operation;
  const isMove = field === ('campaignChangeState' satisfies keyof MutationResolvers);
  return async (args, context) => {
    if (isMove && !delivered.has((args as { state: unknown }).state)) return operation(args, context);
    const given = lengthOf(args);
    const { storedMore } = await context.storing(context.caller, (isMove ? moveBytes : rowBytes) + copies * given);
    const result = await operation(args, context);
    // A short edit keeps a version of the whole campaign.
    const more = lengthOf(result) - given;
    if (more > 0) await storedMore(copies * more);
    return result;
  };
}

function lengthOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

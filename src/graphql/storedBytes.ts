// Bounds what users and service tokens make the service store by mutations (schema.graphql, "Stored bytes").
import type { MutationResolvers } from '../../generated/graphql.ts';
import type { Attempts } from '../accounts/attempts.ts';
import type { Caller } from '../workspace/caller.ts';
import type { CallerContext } from './context.ts';

/** Throws `rate_limited`, except for what `neverRefuses`. */
export type Storing = (
  caller: Caller,
  bytes: number,
  options?: { neverRefuses?: boolean },
) => ReturnType<Attempts['storing']>;

/** The service tokens of an organization count together: an admin can make many. */
export function storingAt(address: string, attempts: Attempts): Storing {
  return ({ userId, organizationId, service }, bytes, options) => {
    const account = service ? `service tokens of ${organizationId}` : userId;
    return attempts.storing({ account, address }, bytes, options);
  };
}

/** Allowed also to a user who has stored all bytes of the day: each deletes or ends something, or adds a login, and logins are bounded. */
const neverRefused = new Set<string>([
  ...(['accountDelete', 'apiKeyRevoke', 'applicationDelete', 'logout', 'logoutEverywhere'] as const),
  ...(['organizationLeave', 'organizationSwitch', 'projectDelete', 'serviceTokenRevoke'] as const),
  ...(['sessionRevoke', 'userRemove', 'webhookDelete'] as const),
] satisfies (keyof MutationResolvers)[]);

/** Delivered to devices. A move to any other state only stops a campaign. */
const delivered = new Set<unknown>(['ACTIVE', 'SCHEDULED']);

/** Rows with their index entries, the line of the audit log, and jobs. */
const rowBytes = 4_096;
/** Of a move to a delivered state also the move by the clock that stops the campaign later, with its events. */
const moveBytes = 65_536;
/** An event for a webhook, with its index entries. */
const deliveryBytes = 1_024;
/** For one mutation. Otherwise an edit of a product with many buyers would use up the day. */
const mostDeliveryBytes = 64 * 1_048_576;
/** A campaign's text is in its row, in a version that devices get, and before and after in its history. */
const copies = 4;

type Operation = (args: unknown, context: CallerContext) => unknown;

export function boundStored(field: string, operation: Operation): Operation {
  if (neverRefused.has(field)) return operation;
  const isMove = field === ('campaignChangeState' satisfies keyof MutationResolvers);
  return async (args, context) => {
    const given = lengthOf(args);
    const stops = isMove && !delivered.has((args as { state: unknown }).state);
    const bytes = (isMove && !stops ? moveBytes : rowBytes) + copies * given;
    const { storedMore } = await context.storing(context.caller, bytes, { neverRefuses: stops });
    let deliveries = 0;
    const wroteDeliveries = (count: number): void => void (deliveries += count);
    const result = await operation(args, { ...context, wroteDeliveries });
    // A short edit keeps a version of the whole campaign.
    const more = copies * Math.max(0, lengthOf(result) - given);
    const further = more + Math.min(mostDeliveryBytes, deliveries * deliveryBytes);
    if (further > 0) await storedMore(further);
    return result;
  };
}

function lengthOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

// A line of the audit log: its fields, and how it describes the change of an object (schema.graphql, "Audit log").
import { isDeepStrictEqual } from 'node:util';
import type { MutationResolvers } from '../../generated/graphql.ts';

/** Mutations that change no object of an organization: a login, its refresh and its end, and a mail that changes nothing yet. */
export const unrecorded = [
  ...(['login', 'organizationSwitch', 'refreshToken', 'resetPassword'] as const),
  ...(['logout', 'logoutEverywhere', 'sessionRevoke'] as const),
] as const satisfies (keyof MutationResolvers)[];

/** Besides mutations: the reading of a secret, and the programs `user:create` and `user:reset`. */
export type AuditAction =
  Exclude<keyof MutationResolvers, (typeof unrecorded)[number]> | 'apiKeyReveal' | 'userCreate' | 'userReset';

export type AuditObject =
  | 'organization'
  | 'user'
  | 'project'
  | 'application'
  | 'apiKey'
  | 'storeCredentials'
  | 'product'
  | 'campaign'
  | 'serviceToken'
  | 'webhook';

export interface AuditEntry {
  action: AuditAction;
  objectType: AuditObject;
  /** schema.graphql describes it at `AuditEntry.objectId`. */
  objectId: string;
  /** Never a password, token, secret or private key. Default: `{}`. */
  details?: Record<string, unknown>;
}

/** The user or service token that made the change, and the organization whose log gets the line. A `Caller` is one. */
export interface AuditActor {
  organizationId: string;
  email: string;
}

export type ChangedFields = Record<string, { from: unknown; to: unknown }>;

/**
 * The fields to which an edit gives another value. `before` is null for a new object. An undefined field of `edit` stays
 * as it is.
 */
export function changedFields<Row extends object>(before: Row | null, edit: Partial<Row>): ChangedFields {
  const changes: ChangedFields = {};
  for (const name of Object.keys(edit) as (keyof Row & string)[]) {
    if (edit[name] === undefined) continue;
    const [from, to] = [before?.[name] ?? null, edit[name]];
    if (!isDeepStrictEqual(from, to)) changes[name] = { from, to };
  }
  return changes;
}

// The operation list: one line for each operationId of openapi.yaml. An operation without a line does not compile.
import type { operations as ContractOperations } from '../../generated/openapi.ts';
import { reportAttribution } from '../attribution/reportAttribution.ts';
import { getCampaigns } from '../campaigns/getCampaigns.ts';
import type { Deps } from '../deps.ts';
import type { WrittenJson } from '../platform/json/jsonBytes.ts';
import type { VerifiedSignature } from '../platform/signature.ts';
import type { NotifiedApplication } from '../purchases/keepNotification.ts';
import { receiveStoreNotification } from '../purchases/receiveStoreNotification.ts';
import { reportStoreTransactions } from '../purchases/reportStoreTransactions.ts';
import { reportSessions, type UploadPlace } from '../sessions/reportSessions.ts';
import type { KeyedApplication } from '../workspace/applicationDirectory.ts';

export const operations = {
  reportSessions,
  reportAttribution,
  reportStoreTransactions,
  getCampaigns,
  receiveStoreNotification,
} satisfies OperationHandlers<Deps>;

// The types of the operations of openapi.yaml, made from the generated types: each handler's request and its 200.

export type OperationId = keyof ContractOperations;

type JsonOf<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined;
type QueryOf<Parameters> = Parameters extends { query?: infer Query } ? NonNullable<Query> : never;

/** The body as sent, after every check of the contract. */
export interface Sent<Id extends OperationId> {
  body: JsonOf<NonNullable<ContractOperations[Id]['requestBody']>>;
  /** The inflated JSON of `body`, for values that must stay as they were sent; empty where there is no body. */
  bytes: Buffer;
  query: QueryOf<ContractOperations[Id]['parameters']>;
}

/**
 * The service reads an upload after it has given it a place. Its operation calls `read`, which throws as the checks of
 * the contract do.
 */
export interface Unread<Id extends OperationId> {
  read(place: UploadPlace): Promise<Sent<Id>>;
}

export interface Authenticated {
  application: KeyedApplication;
  /** Null for operations that are not signed, and for unsigned uploads where signing is optional. */
  signature: VerifiedSignature | null;
  arrivedAt: Date;
}

/** The store has no key: the path names the application. */
export interface Notified {
  application: NotifiedApplication;
  signature: null;
  arrivedAt: Date;
}

export type PublicRequest<Id extends OperationId> = Id extends 'receiveStoreNotification'
  ? Notified & Sent<Id>
  : Authenticated & (Id extends 'reportSessions' ? Unread<Id> : Sent<Id>);

/** The headers of every response, which no handler sets. */
type CommonHeader = 'Date' | 'X-Request-Id';

/** The headers that the contract gives only this 200. */
type OwnHeaders<Headers> = {
  [Name in keyof Headers as string extends Name ? never : Name extends CommonHeader ? never : Name]: Headers[Name];
};

type Success<Response extends { headers: unknown }> = {
  body: JsonOf<Response> | WrittenJson<JsonOf<Response>>;
} & (keyof OwnHeaders<Response['headers']> extends never
  ? { headers?: undefined }
  : { headers: OwnHeaders<Response['headers']> });

/**
 * A handler resolves to the operation's 200, and throws an AppError for any other response. The edge makes a 304 of a
 * 200 with an `ETag` that the client holds.
 */
export type OperationHandlers<Deps> = {
  [Id in OperationId]: (
    request: PublicRequest<Id>,
    deps: Deps,
  ) => Promise<Success<ContractOperations[Id]['responses'][200]>>;
};

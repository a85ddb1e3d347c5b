// The types of contract 1's operations, read off the generated types: what each handler is given and must answer.
import type { operations } from '../../generated/openapi.ts';
import type { WrittenJson } from '../platform/json/writtenJson.ts';
import type { VerifiedSignature } from '../platform/signature.ts';
import type { KeyedApplication } from '../workspace/applicationsStore.ts';

export type OperationId = keyof operations;

type JsonOf<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined;
type QueryOf<Parameters> = Parameters extends { query?: infer Query } ? NonNullable<Query> : never;

export interface PublicRequest<Id extends OperationId> {
  body: JsonOf<NonNullable<operations[Id]['requestBody']>>;
  /** The JSON that `body` was read from, inflated, for what must stay as it was sent; empty where there is no body. */
  bytes: Buffer;
  query: QueryOf<operations[Id]['parameters']>;
  application: KeyedApplication;
  /** Null for operations that are not signed, and for unsigned uploads where signing is optional. */
  signature: VerifiedSignature | null;
  arrivedAt: Date;
}

/** Those of every answer, which are not a handler's business. */
type CommonHeader = 'Date' | 'X-Request-Id';

/** The headers that the contract gives a 200 itself. */
type OwnHeaders<Headers> = {
  [Name in keyof Headers as string extends Name ? never : Name extends CommonHeader ? never : Name]: Headers[Name];
};

type Success<Response extends { headers: unknown }> = {
  body: JsonOf<Response> | WrittenJson<JsonOf<Response>>;
} & (keyof OwnHeaders<Response['headers']> extends never
  ? { headers?: undefined }
  : { headers: OwnHeaders<Response['headers']> });

/**
 * A handler answers the operation's 200; everything else is thrown as an AppError. That a 200 with an `ETag` may turn
 * into a 304 is decided at the edge.
 */
export type OperationHandlers<Deps> = {
  [Id in OperationId]: (request: PublicRequest<Id>, deps: Deps) => Promise<Success<operations[Id]['responses'][200]>>;
};

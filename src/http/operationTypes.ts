// The types of contract 1's operations, read off the generated types: what each handler is given and must answer.
import type { operations } from '../../generated/openapi.ts';
import type { KeyedApplication } from '../workspace/applicationsStore.ts';
import type { VerifiedSignature } from './signature.ts';

export type OperationId = keyof operations;

type JsonOf<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined;

export interface PublicRequest<Id extends OperationId> {
  body: JsonOf<NonNullable<operations[Id]['requestBody']>>;
  /** The text that `body` was read from, for what must stay as it was sent; empty where there is no body. */
  text: string;
  application: KeyedApplication;
  /** Null for operations that are not signed, and for unsigned uploads where signing is optional. */
  signature: VerifiedSignature | null;
  arrivedAt: Date;
}

/** A handler answers the body of the operation's 200; everything else is thrown as an AppError. */
export type OperationHandlers<Deps> = {
  [Id in OperationId]: (request: PublicRequest<Id>, deps: Deps) => Promise<JsonOf<operations[Id]['responses'][200]>>;
};

// Checks a response against openapi.yaml: its status, its body and its headers.
import { SetMatchType } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import type { PublicDocument } from './publicDocument.ts';
import { headersNotSentYet } from './ratchets.ts';

export interface ContractResponse {
  status: number;
  body: unknown;
  /** Header names are in lower case. */
  headers: Record<string, string>;
}

/** Throws on a response whose status, body or headers openapi.yaml does not document. */
export function assertDocumented(api: PublicDocument, operationId: string, response: ContractResponse): void {
  const operation = api.getOperation(operationId)!;
  const documented = operation.responses[String(response.status)] as OpenAPIV3.ResponseObject | undefined;
  const text = `${operationId} ${response.status} ${JSON.stringify(response.body).slice(0, 500)}`;
  if (!documented) throw new Error(`the status is not documented: ${text}`);
  if (!documented.content) assertNoContent(response, text);
  else if (!response.headers['content-type']?.startsWith('application/json')) throw new Error(`not JSON: ${text}`);
  const body = api.validateResponse(response.body, operation, response.status);
  if (!body.valid) throw new Error(`the body breaks the contract: ${text} ${JSON.stringify(body.errors)}`);
  const check = { statusCode: response.status, setMatchType: SetMatchType.Superset };
  const headers = api.validateResponseHeaders(lowerCased(documented, response), operation, check);
  if (!headers.valid) throw new Error(`the headers break the contract: ${text} ${JSON.stringify(headers.errors)}`);
}

function assertNoContent({ headers, body }: ContractResponse, text: string): void {
  if (headers['content-type'] || Object.keys(body as object).length > 0) throw new Error(`has content: ${text}`);
}

/** The headers under the names that openapi.yaml uses, with replacements for the headers in the ratchet. */
function lowerCased({ headers = {} }: OpenAPIV3.ResponseObject, response: ContractResponse): Record<string, string> {
  const named = Object.keys(headers).map((name) => [
    name,
    response.headers[name.toLowerCase()] ?? headersNotSentYet[name],
  ]);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as Record<string, string>;
}

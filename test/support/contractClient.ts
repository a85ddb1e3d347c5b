// The test client of contract 1: every answer that any test gets is held against openapi.yaml before the test sees it.
import { SetMatchType } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import request from 'supertest';
import { loadPublicDocument, type PublicDocument } from './publicDocument.ts';
import { recordAnswer } from './seenAnswers.ts';
import { headersNotSentYet } from './ratchets.ts';

export interface Answer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

export type ContractClient = Awaited<ReturnType<typeof createContractClient>>;

/** For answers that came another way: throws on one that the contract does not document. */
export async function createContractCheck(): Promise<(operationId: string, answer: Answer) => void> {
  const api = await loadPublicDocument();
  return (operationId, answer) => assertDocumented(api, operationId, answer);
}

export async function createContractClient(baseUrl: string) {
  const api = await loadPublicDocument();
  const seen = (operationId: string, { status, body, headers }: request.Response): Answer => {
    const answer = { status, body: body as unknown, headers: headers as Record<string, string> };
    assertDocumented(api, operationId, answer);
    return answer;
  };
  return {
    /** A GET of the operation's path; `query` begins with `?` or is empty. */
    async get(operationId: string, headers: Record<string, string>, query = ''): Promise<Answer> {
      const call = request(baseUrl).get(api.getOperation(operationId)!.path + query);
      return seen(operationId, await call.set(headers).ok(() => true));
    },
    /** Sends to the operation's own method and path; `body` goes out as it is when it is a Buffer, else as JSON. */
    async send(operationId: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
      const { method, path } = api.getOperation(operationId)!;
      let call = request(baseUrl)
        [method as 'get' | 'post'](path)
        .set(headers)
        .ok(() => true);
      // superagent would write a Buffer as JSON under this type.
      if (body !== undefined)
        call = call
          .serialize((raw: unknown) => raw as string)
          .send(Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));
      return seen(operationId, await call);
    },
  };
}

function assertDocumented(api: PublicDocument, operationId: string, answer: Answer): void {
  const operation = api.getOperation(operationId)!;
  const documented = operation.responses[String(answer.status)] as OpenAPIV3.ResponseObject | undefined;
  const text = `${operationId} ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`;
  if (!documented) throw new Error(`the status is not documented: ${text}`);
  if (!documented.content) assertNoContent(answer, text);
  else if (!answer.headers['content-type']?.startsWith('application/json')) throw new Error(`not JSON: ${text}`);
  const body = api.validateResponse(answer.body, operation, answer.status);
  if (!body.valid) throw new Error(`the body breaks the contract: ${text} ${JSON.stringify(body.errors)}`);
  const check = { statusCode: answer.status, setMatchType: SetMatchType.Superset };
  const headers = api.validateResponseHeaders(lowerCased(documented, answer), operation, check);
  if (!headers.valid) throw new Error(`the headers break the contract: ${text} ${JSON.stringify(headers.errors)}`);
  recordAnswer(operationId, answer.status);
}

function assertNoContent({ headers, body }: Answer, text: string): void {
  if (headers['content-type'] || Object.keys(body as object).length > 0) throw new Error(`has content: ${text}`);
}

/** Headers under the names that the document writes them with, and stand-ins for those of the ratchet. */
function lowerCased({ headers = {} }: OpenAPIV3.ResponseObject, answer: Answer): Record<string, string> {
  const named = Object.keys(headers).map((name) => [
    name,
    answer.headers[name.toLowerCase()] ?? headersNotSentYet[name],
  ]);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as Record<string, string>;
}

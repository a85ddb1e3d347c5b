// The test client of the public API: it checks every response against openapi.yaml before a test sees it.
import request from 'supertest';
import { assertDocumented, type ContractResponse } from './documentedResponse.ts';
import { loadPublicDocument, type PublicDocument } from './publicDocument.ts';
import { recordResponse } from './seenResponses.ts';

export type { ContractResponse };

export type ContractClient = Awaited<ReturnType<typeof createContractClient>>;

/** Read once for all clients of a test file: a validator that one client compiles serves the next. */
let document: Promise<PublicDocument> | undefined;
const theDocument = () => (document ??= loadPublicDocument());

/** For responses from another client: throws on a response that the contract does not document. */
export async function createContractCheck(): Promise<(operationId: string, response: ContractResponse) => void> {
  const api = await theDocument();
  return (operationId, response) => check(api, operationId, response);
}

export async function createContractClient(baseUrl: string) {
  const api = await theDocument();
  const seen = (operationId: string, { status, body, headers }: request.Response): ContractResponse => {
    const response = { status, body: body as unknown, headers: headers as Record<string, string> };
    check(api, operationId, response);
    return response;
  };
  return {
    /** Sends a GET to the operation's path; `query` begins with `?` or is empty. */
    async get(operationId: string, headers: Record<string, string>, query = ''): Promise<ContractResponse> {
      const call = request(baseUrl).get(api.getOperation(operationId)!.path + query);
      return seen(operationId, await call.set(headers).ok(() => true));
    },
    /**
     * Sends to the operation's own method and path; a Buffer is sent unchanged, any other `body` as JSON. `last` is the
     * path's last segment, where that is a parameter.
     */
    async send(
      operationId: string,
      headers: Record<string, string>,
      body?: unknown,
      last = '',
    ): Promise<ContractResponse> {
      const { method, path } = api.getOperation(operationId)!;
      let call = request(baseUrl)
        [method as 'get' | 'post'](path.replace(/\{\w+\}$/, last))
        .set(headers)
        .ok(() => true);
      // superagent would encode a Buffer as JSON under this content type.
      if (body !== undefined)
        call = call
          .serialize((raw: unknown) => raw as string)
          .send(Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));
      return seen(operationId, await call);
    },
  };
}

function check(api: PublicDocument, operationId: string, response: ContractResponse): void {
  assertDocumented(api, operationId, response);
  recordResponse(operationId, response.status);
}

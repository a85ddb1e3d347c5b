// Makes the skeleton of an operation of openapi.yaml. It returns the example of openapi.yaml until a person writes it.
import { OpenAPIBackend, type Operation as Routed } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import path from 'node:path';
import { requiredQuery } from '../../support/publicDocument.ts';
import { roomFor, sourceFile, testFile } from './placement.ts';
import { firstSentence, StubError, type Skeleton } from './skeleton.ts';

type Operation = Routed<OpenAPIV3.Document>;

export interface Wanted {
  root: string;
  name: string;
  room: string | undefined;
}

/** Null when openapi.yaml has no operation of this name. */
export async function publicStub({ root, name, room: given }: Wanted): Promise<Skeleton | null> {
  const definition = path.join(root, 'openapi.yaml');
  const api = new OpenAPIBackend<OpenAPIV3.Document>({ definition, strict: true, validate: false });
  await api.init();
  const operation = api.getOperation(name);
  if (!operation) return null;
  const siblings = api.getOperations().filter(({ tags }) => tags?.[0] === operation.tags?.[0]);
  const room = roomFor(
    root,
    siblings.map(({ operationId }) => operationId!),
    given,
  );
  return {
    files: [
      { name: sourceFile(room, name), text: handlerText(name, operation) },
      { name: testFile(name), text: testText(name, operation) },
    ],
    lines: [
      {
        file: 'src/http/publicOperations.ts',
        after: /^\/\/.*\n/,
        line: `import { ${name} } from '../${room}/${name}.ts';`,
      },
      { file: 'src/http/publicOperations.ts', after: /^export const operations = \{\n/m, line: `  ${name},` },
    ],
    left: [
      `src/${room}/${name}.ts returns the example of openapi.yaml: write the handler`,
      `test/contract/publicExamples.test.ts needs a request for each new name of an example`,
    ],
  };
}

const titleOf = ({ method, path: route, summary = '' }: Operation) =>
  `${method.toUpperCase()} ${route}: ${firstSentence(summary).replace(/\.?$/, '.')}`;

const bodyOf = ({ requestBody }: Operation) => requestBody as OpenAPIV3.RequestBodyObject | undefined;
const queryOf = ({ parameters = [] }: Operation) =>
  (parameters as OpenAPIV3.ParameterObject[]).filter((parameter) => parameter.in === 'query');

function exampleOf(holder: { content?: Record<string, OpenAPIV3.MediaTypeObject> } | undefined, at: string): string {
  const [example] = Object.values(holder?.content?.['application/json']?.examples ?? {});
  if (!example || !('value' in example)) throw new StubError(`${at} has no example in openapi.yaml: write it first`);
  return JSON.stringify(example.value);
}

function successOf(operation: Operation): OpenAPIV3.ResponseObject {
  const success = operation.responses['200'] as OpenAPIV3.ResponseObject | undefined;
  if (!success) throw new StubError(`${operation.operationId} documents no 200`);
  return success;
}

/** The edge sets these headers, not the handler: src/http/publicOperations.ts leaves them out too. */
const ofEveryResponse = ['Date', 'X-Request-Id'];

function handlerText(name: string, operation: Operation): string {
  const success = successOf(operation);
  const own = Object.entries(success.headers ?? {}).filter(([header]) => !ofEveryResponse.includes(header));
  const headers = own.map(([header, held]) => [header, (held as OpenAPIV3.HeaderObject).example as unknown]);
  const request = `${name[0]!.toUpperCase()}${name.slice(1)}Request`;
  const content = `['content']['application/json']`;
  const bodyType = `NonNullable<Contract['requestBody']>${content}`;
  const bodyField = bodyOf(operation) ? `/** Validated against openapi.yaml. */\nbody: ${bodyType};\n` : '';
  const queryField = queryOf(operation).length > 0 ? `query: NonNullable<Contract['parameters']['query']>;` : '';
  return `// ${titleOf(operation)}
    import type { operations } from '../../generated/openapi.ts';

    type Contract = operations['${name}'];

    export interface ${request} {
      application: { id: string };
      ${[bodyField, queryField].join('')}
    }

    interface ContractResponse {
      body: Contract['responses'][200]${content};
      ${own.length > 0 ? `headers: Pick<Contract['responses'][200]['headers'], ${own.map(([header]) => `'${header}'`).join(' | ')}>;` : ''}
    }

    /** Returns the example of openapi.yaml: the code that reads or stores is still to be written. */
    export async function ${name}(_request: ${request}): Promise<ContractResponse> {
      return {
        body: ${exampleOf(success, `the 200 of ${name}`)},
        ${own.length > 0 ? `headers: ${JSON.stringify(Object.fromEntries(headers))},` : ''}
      };
    }
    `;
}

function testText(name: string, operation: Operation): string {
  const body = bodyOf(operation);
  const query = requiredQuery((operation.parameters ?? []) as OpenAPIV3.ParameterObject[]);
  const call =
    operation.method === 'get'
      ? `get('${name}', headers${query ? `, '?${query}'` : ''})`
      : `send('${name}', headers${body ? ', body' : ''})`;
  const others = Object.entries(operation.responses as Record<string, OpenAPIV3.ResponseObject>).filter(
    ([status]) => status !== '200' && status !== '404',
  );
  const todo = ([status, { description }]: [string, OpenAPIV3.ResponseObject]) =>
    `test.todo(${JSON.stringify(`${status}: ${firstSentence(description)}`)});`;
  return `// ${titleOf(operation)}
    import type { ContractResponse } from '../support/contractClient.ts';
    import { startTestService, type TestService } from '../support/testService.ts';

    describe('${name}', () => {
      let service: TestService;
      beforeAll(async () => {
        service = await startTestService();
      });
      afterAll(() => service.stop());

      ${body ? `const body = ${exampleOf(body, `the request of ${name}`)};\n` : ''}
      const ask = (headers: Record<string, string>): Promise<ContractResponse> => service.client.${call};

      test('an application is answered 200', async () => {
        expect(await ask({ 'X-Api-Key': service.application.key.public })).toMatchObject({ status: 200 });
      });

      test('an unknown key is 404', async () => {
        expect(await ask({ 'X-Api-Key': 'unknown' })).toMatchObject({ status: 404 });
      });

      test.todo('200: what was read or stored');
      ${others.map(todo).join('\n')}
    });
    `;
}

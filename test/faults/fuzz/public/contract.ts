// Reads the requests of the parsed openapi.yaml: operations, their bodies and their query parameters.
import type { OpenAPIV3 } from 'openapi-types';
import type { PublicDocument } from '../../../support/publicDocument.ts';
import { knownSchema, type JsonSchema } from './schema.ts';

export interface FuzzedOperation {
  id: string;
  method: string;
  path: string;
  body: JsonSchema | null;
  query: { name: string; required: boolean; schema: JsonSchema }[];
}

export function fuzzedOperations(document: PublicDocument): FuzzedOperation[] {
  // A notification of the store is one signed text: receiveStoreNotification.test.ts has the texts that are not.
  const operations = document.getOperations().filter(({ operationId }) => operationId !== 'receiveStoreNotification');
  return operations.map(({ operationId, method, path, requestBody, parameters = [] }) => {
    const id = operationId!;
    const content = (requestBody as OpenAPIV3.RequestBodyObject | undefined)?.content ?? {};
    const types = Object.keys(content);
    if (types.some((type) => type !== 'application/json')) throw new Error(`${id} takes ${types.join(', ')}`);
    const schema = content['application/json']?.schema;
    const inQuery = (parameters as OpenAPIV3.ParameterObject[]).filter((parameter) => parameter.in === 'query');
    return {
      id,
      method: method.toUpperCase(),
      path,
      body: schema ? knownSchema(schema, id) : null,
      query: inQuery.map(({ name, required = false, schema }) => ({
        name,
        required,
        schema: knownSchema(schema!, `${id}?${name}`),
      })),
    };
  });
}

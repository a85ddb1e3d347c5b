// Reads the examples of openapi.yaml, each with its place in the document.
import type { OpenAPIV3 } from 'openapi-types';
import type { PublicDocument } from './publicDocument.ts';

export interface RequestExample {
  operationId: string;
  method: string;
  path: string;
  name: string;
  value: unknown;
}

export interface ResponseExample {
  operationId: string;
  status: number;
  name: string;
  value: unknown;
}

type Content = Record<string, OpenAPIV3.MediaTypeObject> | undefined;

function examplesIn(content: Content): [string, unknown][] {
  const examples = content?.['application/json']?.examples ?? {};
  return Object.entries(examples).map(([name, example]) => [name, (example as OpenAPIV3.ExampleObject).value]);
}

export function requestExamples(document: PublicDocument): RequestExample[] {
  return document.router.getOperations().flatMap(({ operationId, method, path, requestBody }) => {
    const examples = examplesIn((requestBody as OpenAPIV3.RequestBodyObject | undefined)?.content);
    return examples.map(([name, value]) => ({ operationId: operationId!, method, path, name, value }));
  });
}

export function responseExamples(document: PublicDocument): ResponseExample[] {
  return document.router.getOperations().flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const examples = examplesIn((response as OpenAPIV3.ResponseObject).content);
      return examples.map(([name, value]) => ({ operationId: operationId!, status: Number(status), name, value }));
    }),
  );
}

// openapi.yaml as the reference reads it: operations in their order, and what a `$ref` names.
import type { OpenAPIV3 } from 'openapi-types';

type Ref = OpenAPIV3.ReferenceObject;

export interface DescribedOperation {
  method: string;
  path: string;
  operationId: string;
  operation: OpenAPIV3.OperationObject;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export function listDescribed({ paths }: OpenAPIV3.Document): DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method];
      const { operationId } = operation ?? {};
      return operation && operationId ? [{ method: method.toUpperCase(), path, operationId, operation }] : [];
    }),
  );
}

/** Throws when nothing has that name. */
export function resolveRef<Value extends object>(document: OpenAPIV3.Document, value: Value | Ref): Value {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.replace(/^#\//, '').split('/');
  let found: unknown = document;
  for (const step of steps) found = (found as Record<string, unknown> | undefined)?.[step];
  if (found === undefined) throw new Error(`the contract has no ${value.$ref}`);
  return resolveRef(document, found as Value | Ref);
}

/** The media type `application/json` of a body or response. */
export function jsonOf(content: Record<string, OpenAPIV3.MediaTypeObject> | undefined) {
  return content?.['application/json'];
}

export interface NamedExample {
  summary: string;
  value: unknown;
}

export function examplesOf(document: OpenAPIV3.Document, media: OpenAPIV3.MediaTypeObject | undefined): NamedExample[] {
  return Object.entries(media?.examples ?? {}).map(([name, example]) => {
    const { summary, value } = resolveRef<Partial<NamedExample>>(document, example);
    return { summary: summary ?? name, value };
  });
}

// Compares two versions of openapi.yaml with resolved references: operations, names of types, and security.
import { OpenAPIBackend, type Operation as Routed } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { breaking, compatible, paired, same, type Change, type Sides } from './change.ts';
import { operationChanges } from './operationChanges.ts';

type Document = OpenAPIV3.Document;
type Operation = Routed<Document>;

/** `before` and `after` are paths of files. */
export async function openapiChanges(before: string, after: string): Promise<Change[]> {
  const [was, is] = await Promise.all([load(before), load(after)]);
  const documents = { at: '', was: was.definition, is: is.definition };
  const operations = paired({ at: '', was: operationsOf(was), is: operationsOf(is) }, (name) => name);
  return [
    ...securityChanges(documents),
    ...typeNameChanges(documents),
    ...operations.flatMap(({ at, was, is }) => {
      if (!is) return [breaking(at, 'the operation was removed')];
      return was ? operationChanges({ at, was, is }) : [compatible(at, 'the operation was added')];
    }),
  ];
}

async function load(file: string): Promise<OpenAPIBackend<Document>> {
  const api = new OpenAPIBackend<Document>({ definition: file, strict: true, validate: false });
  await api.init();
  return api;
}

function operationsOf(api: OpenAPIBackend<Document>): Record<string, Operation> {
  return Object.fromEntries(
    api.getOperations().map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation]),
  );
}

function securityChanges({ was, is }: Sides<Document>): Change[] {
  const schemes = paired({ at: 'security', was: was.components?.securitySchemes, is: is.components?.securitySchemes });
  const withoutText = (scheme?: object) => scheme && { ...scheme, description: undefined };
  return schemes.flatMap(({ at, was, is }) => {
    if (same(withoutText(was), withoutText(is))) return [];
    return [was ? breaking(at, 'was changed') : compatible(at, 'was added')];
  });
}

/** Generated clients name their types after the schemas. */
function typeNameChanges({ was, is }: Sides<Document>): Change[] {
  const schemas = paired({ at: 'schema', was: was.components?.schemas, is: is.components?.schemas });
  return schemas.filter(({ is }) => !is).map(({ at }) => breaking(at, 'was removed or renamed'));
}

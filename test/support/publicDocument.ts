// openapi.yaml as the tests read it: validators for answers, with the formats that the document uses.
import { readFileSync } from 'node:fs';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { parse } from 'yaml';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { parseIsoDateTime } from '../../src/platform/isoDateTime.ts';

export type PublicDocument = OpenAPIBackend<OpenAPIV3.Document>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export async function loadPublicDocument(): Promise<PublicDocument> {
  const document = new OpenAPIBackend<OpenAPIV3.Document>({
    definition: parse(readFileSync(projectFile('openapi.yaml'), 'utf8')) as OpenAPIV3.Document,
    strict: true,
    // Compiles what a test asks for: all of it takes half a second, and that the document is sound has a test of its own.
    quick: true,
    customizeAjv(ajv) {
      ajv.addFormat('date-time', (text) => parseIsoDateTime(text) !== null);
      ajv.addFormat('date', /^\d{4}-\d{2}-\d{2}$/);
      ajv.addFormat('uuid', uuid);
      ajv.addFormat('int32', true);
      ajv.addFormat('int64', true);
      return ajv;
    },
  });
  await document.init();
  return document;
}

/** The parameters that a query must have, with the values that openapi.yaml shows. */
export function requiredQuery(parameters: OpenAPIV3.ParameterObject[]): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return new URLSearchParams(required.map(({ name, example }): [string, string] => [name, String(example)])).toString();
}

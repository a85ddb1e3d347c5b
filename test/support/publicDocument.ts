// Loads openapi.yaml for the tests: validators for responses, with the formats that the document uses.
import { readFileSync } from 'node:fs';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { parse } from 'yaml';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { parseIsoDateTime } from '../../src/platform/inputRules.ts';

export type PublicDocument = OpenAPIBackend<OpenAPIV3.Document>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export async function loadPublicDocument(): Promise<PublicDocument> {
  const document = new OpenAPIBackend<OpenAPIV3.Document>({
    definition: parse(readFileSync(projectFile('openapi.yaml'), 'utf8')) as OpenAPIV3.Document,
    strict: true,
    // Compiles only the validators that a test uses: all of them take half a second. Another test checks the whole document.
    quick: true,
    customizeAjv(ajv) {
      ajv.addFormat('date-time', (text) => parseIsoDateTime(text) !== null);
      ajv.addFormat('uuid', uuid);
      ajv.addFormat('int32', true);
      ajv.addFormat('int64', true);
      return ajv;
    },
  });
  await document.init();
  return document;
}

/** The required query parameters, with the values that openapi.yaml gives as examples. */
export function requiredQuery(parameters: OpenAPIV3.ParameterObject[]): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return new URLSearchParams(required.map(({ name, example }): [string, string] => [name, String(example)])).toString();
}

// Converts the schemas of openapi.yaml, given as JSON, to quicktype's input, and generates Swift and Kotlin from them.
import { readFileSync, writeFileSync } from 'node:fs';
import { InputData, JSONSchemaInput, KotlinTargetLanguage, quicktype, SwiftTargetLanguage } from 'quicktype-core';

/**
 * Instants stay text: on the wire they may have any number of fraction digits, which a platform's date parser may
 * refuse.
 */
const asText = (Language) =>
  new (class extends Language {
    get stringTypeMapping() {
      return new Map();
    }
  })();

/** OpenAPI 3.0 and JSON Schema differ in two points: `nullable`, and the target of a `$ref`. */
function jsonSchemaOf(schema) {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf);
  if (schema === null || typeof schema !== 'object') return schema;
  const { nullable, ...rest } = schema;
  const entries = Object.entries(rest).map(([key, value]) =>
    key === '$ref' ? [key, value.replace('#/components/schemas/', '#/definitions/')] : [key, jsonSchemaOf(value)],
  );
  const converted = Object.fromEntries(entries);
  return nullable ? { ...converted, type: [converted.type, 'null'] } : converted;
}

const { schemas } = JSON.parse(readFileSync('openapi.json', 'utf8')).components;
const definitions = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, jsonSchemaOf(schema)]));

async function write(file, lang, rendererOptions) {
  const input = new JSONSchemaInput(undefined);
  await input.addSource({ name: 'PublicApi', schema: JSON.stringify({ definitions }), uris: ['#/definitions/'] });
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } = await quicktype({ inputData, lang, rendererOptions });
  writeFileSync(file, lines.join('\n'));
}

await write('Models.swift', asText(SwiftTargetLanguage), { 'access-level': 'public' });
await write('Models.kt', asText(KotlinTargetLanguage), { package: 'campaigns.api', framework: 'jackson' });

// A schema of openapi.yaml as nested lists of its fields, each with its type, limits and meaning.
import type { OpenAPIV3 } from 'openapi-types';
import { escapeHtml, renderInline } from './page.ts';
import { resolveRef } from './publicDocument.ts';

type Document = OpenAPIV3.Document;
type Schema = OpenAPIV3.SchemaObject;
type Given = Schema | OpenAPIV3.ReferenceObject;

export function renderSchema(given: Given, document: Document): string {
  const inner = fieldsOf(given, document);
  const { description = '' } = resolveRef<Schema>(document, given);
  return inner === '' ? `<p>${renderInline(description.trim())}</p>` : inner;
}

/** The list of fields of an object, or of the objects in a list; '' where there are none. */
function fieldsOf(given: Given, document: Document): string {
  const schema = resolveRef<Schema>(document, given);
  if (schema.type === 'array') return fieldsOf(schema.items, document);
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return '';
  const required = new Set(schema.required);
  return `<ul class="schema">${fields
    .map(([name, field]) => renderField({ name, field, required: required.has(name) }, document))
    .join('\n')}</ul>`;
}

interface Field {
  name: string;
  field: Given;
  required: boolean;
}

function renderField({ name, field, required }: Field, document: Document): string {
  const { description = '' } = resolveRef<Schema>(document, field);
  const inner = fieldsOf(field, document);
  const nested = inner && `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>${inner}</details>`;
  return `<li><p><code class="field">${escapeHtml(name)}</code> <span class="type">${describeValue(field, document)}${
    required ? ', required' : ''
  }</span></p>
<p>${renderInline(description.trim())}</p>${nested}</li>`;
}

/** HTML: `string, or null, at most 256 characters`. */
export function describeValue(given: Given, document: Document): string {
  const schema = resolveRef<Schema>(document, given);
  return [typeOf(schema, document), ...(schema.nullable ? ['or null'] : []), ...limitsOf(schema)].join(', ');
}

function typeOf(schema: Schema, document: Document): string {
  if (schema.type === 'array') return `list of: ${typeOf(resolveRef<Schema>(document, schema.items), document)}`;
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' or ');
  if (schema.oneOf) return schema.oneOf.map((one) => typeOf(resolveRef<Schema>(document, one), document)).join(' or ');
  if (schema.format === 'date-time' || schema.format === 'uuid') return schema.format;
  return schema.type ?? 'any value';
}

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, maxLength, minItems, maxItems, pattern } = schema;
  const number = (value: number) => value.toLocaleString('en');
  return [
    ...(minimum === undefined || maximum === undefined ? [] : [`${number(minimum)} to ${number(maximum)}`]),
    ...(maxItems === undefined ? [] : [`${number(minItems ?? 0)} to ${number(maxItems)} entries`]),
    ...(maxLength === undefined || schema.enum ? [] : [`at most ${number(maxLength)} characters`]),
    ...(pattern === undefined ? [] : [patternText(pattern)]),
  ];
}

/** The pattern of texts that are not blank lists every white space: its name says more. */
function patternText(pattern: string): string {
  return pattern.startsWith('[^\\t-\\r') ? 'not blank' : `<code>${escapeHtml(pattern)}</code>`;
}

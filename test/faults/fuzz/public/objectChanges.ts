// Changes to an object of a valid body: missing and repeated fields, reserved names, keys that cannot be stored, too many bytes.
import { RawJson, stringifyWithRawJson } from '../../../../src/platform/json/jsonBytes.ts';
import { unstorableTexts } from '../texts.ts';
import type { Change, Sample } from './changes.ts';
import type { JsonSchema } from './schema.ts';
import { withMembers } from './validValue.ts';

type Fields = Record<string, unknown>;

export function objectChanges(schema: JsonSchema): Change[] {
  const changes: Change[] = [change('a key twice', repeated)];
  for (const name of schema.required ?? []) {
    changes.push(
      change(`without ${name}`, ({ [name]: left, ...rest }) => (left === undefined ? [] : [at([name], rest)])),
    );
  }
  if (schema['x-reserved-names'])
    changes.push(change('a reserved name', (value) => misnamed(value, schema['x-reserved-names']!)));
  if (schema.additionalProperties)
    changes.push(change('an unstorable key', unstorableKeys), change('an unstorable text below', unstorableBelow));
  const { 'x-max-stored-bytes': most } = schema;
  if (most !== undefined) {
    changes.push(change('one byte too many', (value) => [at([], ofBytes(value, most + 1))]));
    changes.push({
      ...change('as many bytes as may be', (value) => [at([], ofBytes(value, most))]),
      outcome: 'accepted',
    });
  }
  return changes;
}

function change(name: string, samples: (value: Fields) => Sample[]): Change {
  return {
    name,
    outcome: 'refused',
    samples: (value) => (typeof value === 'object' && value !== null ? samples(value as Fields) : []),
  };
}

function at(below: Sample['below'], value: unknown): Sample {
  return { value, below };
}

/** Each key appears once more at the end, plain or escaped. */
function repeated(value: Fields): Sample[] {
  return Object.keys(value).flatMap((name) => {
    const members = stringifyWithRawJson(value).slice(0, -1);
    const escaped = [...name].map((_, i) => `\\u${name.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
    const keys = [JSON.stringify(name), ...(/^\w+$/.test(name) ? [`"${escaped}"`] : [])];
    return keys.map((key) => at([name], new RawJson(`${members},${key}:null}`)));
  });
}

/** A character of three bytes, so that a count of characters does not pass. */
function ofBytes(value: Fields, bytes: number): Fields {
  const left = bytes - Buffer.byteLength(stringifyWithRawJson({ ...value, filler: '' }));
  return { ...value, filler: '€'.repeat(Math.floor(left / 3)) + 'x'.repeat(left % 3) };
}

function misnamed(value: Fields, names: string[]): Sample[] {
  return names.map((name) => at(['name'], { ...value, type: 'custom', name }));
}

function unstorableKeys(value: Fields): Sample[] {
  return unstorableTexts.map((key) => at([key], withMembers(value, [[key, 0]])));
}

function unstorableBelow(value: Fields): Sample[] {
  return unstorableTexts.flatMap((text) => [
    at(['added'], { ...value, added: text }),
    at(['added', 'deep', 1], { ...value, added: { deep: [0, text] } }),
  ]);
}

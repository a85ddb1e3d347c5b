// The query of getCampaigns: valid, with one wrong or repeated parameter, and as raw text.
import fc from 'fast-check';
import { RawJson } from '../../../../src/platform/json/jsonBytes.ts';
import { keyPlace, type Expected, type PublicCase } from '../cases.ts';
import { oddNumbers, oddTexts } from '../texts.ts';
import { changesOf } from './changes.ts';
import type { FuzzedOperation } from './contract.ts';
import type { JsonSchema } from './schema.ts';
import { validValue } from './validValue.ts';

type Pair = readonly [name: string, value: string];
interface Query {
  change: string;
  pairs: Pair[];
  expected: Expected;
}

export function queryCases(operations: FuzzedOperation[]): fc.Arbitrary<PublicCase> {
  return fc.oneof(...operations.map((operation) => fc.oneof(ofPairs(operation), raw(operation))));
}

function queryCase(
  operation: string,
  change: string,
  { query, expected }: { query: string; expected: Expected },
): PublicCase {
  return { operation, change, headers: { 'x-api-key': keyPlace }, query, signed: false, body: '', expected };
}

function ofPairs({ id, query }: FuzzedOperation): fc.Arbitrary<PublicCase> {
  const ok: Expected = { statuses: [200] };
  const values = Object.fromEntries(
    query.map(({ name, schema }) => [
      name,
      validValue(schema)
        .map(written)
        .filter((text) => isPlain(text, schema)),
    ]),
  );
  const requiredKeys = query.filter(({ required }) => required).map(({ name }) => name);
  const valid = fc.record(values, { requiredKeys }).map((given) => Object.entries(given) as Pair[]);
  const wrong = fc.constantFrom(...query.flatMap(faultsOf));
  const changed = fc.tuple(valid, wrong, fc.nat(3)).map(([pairs, fault, kind]): Query => {
    const others = pairs.filter(([name]) => name !== fault[0]);
    const refused: Expected = { statuses: [422], fields: [fault[0]] };
    if (kind === 0) return { change: 'valid', pairs, expected: ok };
    if (kind === 1) {
      const expected = requiredKeys.includes(fault[0]) ? refused : ok;
      return { change: `no ${fault[0]}`, pairs: others, expected };
    }
    if (kind === 2) return { change: `wrong ${fault[0]}`, pairs: [...others, fault], expected: refused };
    return { change: `${fault[0]} twice`, pairs: [...others, fault, fault], expected: refused };
  });
  return changed.map(({ change, pairs, expected }) => {
    const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    return queryCase(id, change, { query: text === '' ? '' : `?${text}`, expected });
  });
}

/** A query contains text only: an integer is written in decimal digits. */
function written(value: unknown): string {
  return value instanceof RawJson ? value.text : String(value);
}

function isPlain(text: string, { type }: JsonSchema): boolean {
  return type !== 'integer' || /^[0-9]+$/.test(text);
}

function faultsOf({ name, schema }: { name: string; schema: JsonSchema }): Pair[] {
  const skipped = schema.type === 'string' ? ['wrong type', 'unstorable'] : [];
  const changes = changesOf(schema).filter((change) => change.outcome === 'refused' && !skipped.includes(change.name));
  const values = changes.flatMap((change) => change.samples(undefined).map(({ value }) => value));
  const texts = values.filter((value) => typeof value !== 'object' || value instanceof RawJson).map(written);
  const others = schema.type === 'integer' ? ['', ' 1', '+1', '1.0', '0x1', '1e3', '１'] : [];
  // 7 is the wrong type in JSON, but valid text in a query.
  return [...texts, ...others]
    .filter((text) => schema.type !== 'integer' || !/^[0-9]{1,15}$/.test(text))
    .map((text) => [name, text]);
}

function raw({ id, query }: FuzzedOperation): fc.Arbitrary<PublicCase> {
  const pieces = [
    '%',
    '%0',
    '%zz',
    '%00',
    '%ff',
    '%ed%a0%80',
    '&',
    '=',
    '&&',
    '+',
    ';',
    '[]',
    '[0]',
    '.',
    '#',
    '?',
    '/',
  ];
  const names = query.map(({ name }) => name);
  const piece = fc.oneof(
    fc.constantFrom(...pieces, ...names),
    fc.constantFrom(...[...oddTexts, ...oddNumbers].map(encodeURIComponent)),
  );
  return fc.array(piece, { minLength: 1, maxLength: 12 }).map((all) => {
    return queryCase(id, 'raw query', { query: `?${all.join('')}`, expected: { statuses: [200, 422] } });
  });
}

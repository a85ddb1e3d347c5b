// Requests with a body: valid, valid with one changed node, and valid with a value of the dictionary in one node.
import fc from 'fast-check';
import { fieldPath } from '../../../../src/platform/json/readJson.ts';
import { RawJson, stringifyWithRawJson } from '../../../../src/platform/json/jsonBytes.ts';
import { base64, keyPlace, type Expected, type PublicCase } from '../cases.ts';
import { noInstants, oddNumbers, oddStructures, oddTexts, unstorableTexts, blankTexts } from '../texts.ts';
import type { Change } from './changes.ts';
import type { FuzzedOperation } from './contract.ts';
import type { JsonSchema } from './schema.ts';
import { allChanges, sitesOf, withNode, type Site } from './sites.ts';
import { validValue } from './validValue.ts';

type WithBody = FuzzedOperation & { body: JsonSchema };

export function bodyCase(
  operation: string,
  change: string,
  { text, expected }: { text: string | Buffer; expected: Expected },
): PublicCase {
  return {
    operation,
    change,
    headers: { 'x-api-key': keyPlace },
    query: '',
    signed: false,
    body: base64(text),
    expected,
  };
}

const accepted: Expected = { statuses: [200] };
const pick = fc.noBias(fc.nat());

/** Different spellings of the same JSON. */
const writings: ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (text) => text.replaceAll('/', '\\/'),
  (text) => `\r\n\t ${text} \n`,
];

export function validCases(operations: WithBody[]): fc.Arbitrary<PublicCase> {
  return fc.oneof(
    ...operations.map(({ id, body }) =>
      fc.tuple(validValue(body), fc.constantFrom(...writings)).map(([value, write]) => {
        return bodyCase(id, 'valid', { text: write(stringifyWithRawJson(value)), expected: accepted });
      }),
    ),
  );
}

/** Applies one change to the body, every rule with the same probability; `tried` records the rule. */
export function changedCases(
  operations: WithBody[],
  outcome: 'accepted' | 'refused',
  tried: Set<string>,
): fc.Arbitrary<PublicCase> {
  return fc.oneof(
    ...operations.map(({ id, body }) =>
      fc.tuple(validValue(body), pick, pick, pick).map(([value, ofRule, ofSite, ofSample]) => {
        const rules = [...rulesIn(body, value, outcome)];
        const possible = (places: Place[]) =>
          places.filter(({ site, change }) => change.samples(site.value).length > 0);
        const from = ofRule % rules.length;
        const [name, places] = [...rules.slice(from), ...rules].find((rule) => possible(rule[1]).length > 0)!;
        const fitting = possible(places);
        tried.add(`${id} ${name}`);
        return changedCase({ id, name, value, ofSample, ...fitting[ofSite % fitting.length]! });
      }),
    ),
  );
}

interface Place {
  site: Site;
  change: Change;
}

/** Grouped by `rule: change`, so that a field of the body is changed as often as a field of every event. */
function rulesIn(body: JsonSchema, value: unknown, outcome: 'accepted' | 'refused'): Map<string, Place[]> {
  const rules = new Map<string, Place[]>();
  for (const site of sitesOf(body, value)) {
    for (const change of allChanges(site.schema)) {
      if ((change.outcome === 'accepted') !== (outcome === 'accepted')) continue;
      const name = `${site.rule}: ${change.name}`;
      const places = rules.get(name);
      if (places) places.push({ site, change });
      else rules.set(name, [{ site, change }]);
    }
  }
  return rules;
}

interface Choice extends Place {
  id: string;
  name: string;
  value: unknown;
  ofSample: number;
}

function changedCase({ id, name, value, site, change, ofSample }: Choice): PublicCase {
  const samples = change.samples(site.value);
  const sample = samples[ofSample % samples.length]!;
  const text = stringifyWithRawJson(withNode(value, site.at, sample.value));
  const path = fieldPath([...site.at, ...(sample.below ?? [])]);
  if (change.outcome === 'accepted') return bodyCase(id, name, { text, expected: accepted });
  if (change.outcome === 'refused') return bodyCase(id, name, { text, expected: { statuses: [422], fields: [path] } });
  return bodyCase(id, name, { text, expected: { statuses: [413], ...change.outcome } });
}

const dictionary: readonly unknown[] = [
  ...[...oddTexts, ...blankTexts, ...unstorableTexts, ...noInstants, 'x'.repeat(20_000)],
  ...[...oddNumbers, ...oddStructures].map((text) => new RawJson(text)),
];

/** The service may accept or refuse the value. It must not name another node, and must not fail. */
export function dictionaryCases(operations: WithBody[]): fc.Arbitrary<PublicCase> {
  return fc.oneof(
    ...operations.map(({ id, body }) =>
      fc.tuple(validValue(body), pick, fc.constantFrom(...dictionary)).map(([value, ofSite, odd]) => {
        const sites = sitesOf(body, value);
        const site = sites[ofSite % sites.length]!;
        const text = stringifyWithRawJson(withNode(value, site.at, odd));
        const expected = { statuses: [200, 413, 422], below: fieldPath(site.at) };
        return bodyCase(id, `dictionary at ${site.rule}`, { text, expected });
      }),
    ),
  );
}

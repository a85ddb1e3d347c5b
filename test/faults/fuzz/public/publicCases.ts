// The arbitraries of all requests to the public API, made from one parsed openapi.yaml.
import type fc from 'fast-check';
import type { PublicDocument } from '../../../support/publicDocument.ts';
import type { PublicCase } from '../cases.ts';
import { changedCases, dictionaryCases, validCases } from './bodyCases.ts';
import { byteCases } from './byteCases.ts';
import { fuzzedOperations, type FuzzedOperation } from './contract.ts';
import { headerCases } from './headerCases.ts';
import { queryCases } from './queryCases.ts';
import type { JsonSchema } from './schema.ts';
import { rulesOf } from './sites.ts';

export type Name = 'valid' | 'edges' | 'faults' | 'dictionary' | 'bytes' | 'headers' | 'query';
export interface PublicCases extends Record<Name, fc.Arbitrary<PublicCase>> {
  operations: (FuzzedOperation & { body: JsonSchema })[];
  /** The changes made so far, as `operation rule: change`. */
  tried: Set<string>;
}

export function publicCases(document: PublicDocument): PublicCases {
  const all = fuzzedOperations(document);
  const operations = all.filter((operation): operation is PublicCases['operations'][number] => operation.body !== null);
  const tried = new Set<string>();
  const valid = validCases(operations);
  return {
    operations,
    tried,
    valid,
    edges: changedCases(operations, 'accepted', tried),
    faults: changedCases(operations, 'refused', tried),
    dictionary: dictionaryCases(operations),
    bytes: byteCases(valid),
    headers: headerCases(valid),
    query: queryCases(all.filter(({ query }) => query.length > 0)),
  };
}

/** The possible changes of a body that were not made: after enough requests there are none. */
export function untried({ operations, tried }: PublicCases): string[] {
  const all = operations.flatMap(({ id, body }) => rulesOf(body).map(({ name }) => `${id} ${name}`));
  return all.filter((name) => !tried.has(name));
}

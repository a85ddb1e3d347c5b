// The arbitraries of all requests to the admin API, made from one parsed schema.graphql.
import type fc from 'fast-check';
import type { AdminCase } from '../cases.ts';
import type { Ids } from './inputs.ts';
import { oddOperations, refusedOperations, validOperations } from './operationCases.ts';
import { damagedRequests } from './requestCases.ts';
import type { RootField } from './sdl.ts';

export type AdminCases = Record<'valid' | 'faults' | 'texts' | 'requests', fc.Arbitrary<AdminCase>>;

export function adminCases(fields: RootField[], ids: Ids): AdminCases {
  const valid = validOperations(fields, ids);
  return {
    valid,
    faults: refusedOperations(fields, ids),
    texts: oddOperations(fields, ids),
    requests: damagedRequests(valid),
  };
}

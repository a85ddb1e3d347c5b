// Operations of schema.graphql with variables: valid, with one node that its type refuses, or with one odd node.
import fc from 'fast-check';
import { fieldPath } from '../../../../src/platform/json/readJson.ts';
import { stringifyWithRawJson } from '../../../../src/platform/json/jsonBytes.ts';
import { base64, type AdminCase } from '../cases.ts';
import { withNode } from '../public/sites.ts';
import { inputSites, oddInputs, refusedInputs, type InputSite } from './inputChanges.ts';
import { validVariables, type Ids } from './inputs.ts';
import type { RootField } from './sdl.ts';

type Variables = Record<string, unknown>;
const callers = fc.constantFrom<AdminCase['as']>('nobody', 'viewer', 'owner', 'owner', 'owner');
const pick = fc.noBias(fc.nat());

export function bodyOf({ document }: RootField, variables: Variables): string {
  return base64(stringifyWithRawJson({ query: document, variables }));
}

function operationCase(
  field: RootField,
  as: AdminCase['as'],
  { change, variables }: { change: string; variables: Variables },
): AdminCase {
  const unknown = as === 'nobody' && !field.isPublic;
  // Only admins may read keys, wherever a document selects them.
  const codes = [...field.errors, ...(field.document.includes('apiKeys') ? ['FORBIDDEN'] : [])];
  return {
    change: `${field.name}: ${change}`,
    as,
    headers: {},
    body: bodyOf(field, variables),
    expected: unknown
      ? { statuses: [401], codes: ['UNAUTHENTICATED'] }
      : { statuses: needsChallenge(as, field) ? [200, 401] : [200], codes },
  };
}

/** Such a field is public with a challenge, and 401 without one. */
function needsChallenge(as: AdminCase['as'], { isPublic, errors }: RootField): boolean {
  return as === 'nobody' && isPublic && errors.includes('UNAUTHENTICATED');
}

export function validOperations(fields: RootField[], ids: Ids): fc.Arbitrary<AdminCase> {
  return fc.oneof(
    ...fields.map((field) =>
      fc
        .tuple(callers, validVariables(field.args, ids))
        .map(([as, variables]) => operationCase(field, as, { change: 'valid', variables })),
    ),
  );
}

/** The operation is never executed: HTTP 400, unless the caller is already refused with 401. */
export function refusedOperations(fields: RootField[], ids: Ids): fc.Arbitrary<AdminCase> {
  return changed(fields, { ids, values: refusedInputs }).map(({ request, field, site }) => {
    const executed = request.expected.statuses[0] === 200;
    const near = fieldPath(site.at);
    const refusal = { statuses: [400], codes: ['BAD_USER_INPUT'], near };
    const either = { statuses: [400, 401], codes: ['BAD_USER_INPUT', 'UNAUTHENTICATED'] };
    const expected = !executed ? request.expected : needsChallenge(request.as, field) ? either : refusal;
    return { ...request, change: `refused by its type: ${request.change}`, field: field.name, expected };
  });
}

/**
 * The operation may accept or refuse the odd value. New faults must lie near the change, unless the request before it may have
 * been 401, which names no fault.
 */
export function oddOperations(fields: RootField[], ids: Ids): fc.Arbitrary<AdminCase> {
  return changed(fields, { ids, values: oddInputs }).map(({ request, field, variables, site }) => {
    const near = needsChallenge(request.as, field) ? {} : { near: fieldPath(site.at) };
    const expected = { ...request.expected, ...near };
    return { ...request, change: `odd: ${request.change}`, base: bodyOf(field, variables), expected };
  });
}

interface Changed {
  request: AdminCase;
  field: RootField;
  variables: Variables;
  site: InputSite;
}

function changed(
  fields: RootField[],
  { ids, values }: { ids: Ids; values: (site: InputSite) => unknown[] },
): fc.Arbitrary<Changed> {
  const withArguments = fields.filter(({ args }) => args.length > 0);
  return fc.oneof(
    ...withArguments.map((field) =>
      fc
        .tuple(callers, validVariables(field.args, ids), pick, pick)
        .map(([as, variables, ofSite, ofValue]): Changed => {
          const sites = inputSites(field.args, variables).filter((site) => values(site).length > 0);
          const site = sites[ofSite % sites.length]!;
          const others = values(site);
          const other = withNode(variables, site.at, others[ofValue % others.length]) as Variables;
          const request = operationCase(field, as, { change: `at ${fieldPath(site.at)}`, variables: other });
          return { request, field, variables, site };
        }),
    ),
  );
}

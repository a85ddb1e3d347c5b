// Damages an admin request outside its variables: the document, the body's bytes and members, the headers.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { base64, type AdminCase, type AdminExpected } from '../cases.ts';
import { byteDamages } from '../byteDamage.ts';

interface Body {
  query: string;
  variables?: unknown;
  [member: string]: unknown;
}

interface Damage {
  name: string;
  expected: AdminExpected;
  headers?: Record<string, string>;
  body?(body: Body): unknown;
}

const refused = (status: number, ...codes: string[]): AdminExpected => ({ statuses: [status], codes });
const badRequest = refused(400, 'BAD_REQUEST');
const notParsed = refused(400, 'GRAPHQL_PARSE_FAILED');
const notValid = refused(400, 'GRAPHQL_VALIDATION_FAILED');
const notValidOrNobody = { statuses: [400, 401], codes: ['GRAPHQL_VALIDATION_FAILED', 'UNAUTHENTICATED'] };
const notJson = refused(415, 'BAD_REQUEST');
const whatever: AdminExpected = { statuses: [200, 400, 401] };

const withQuery = (name: string, query: (text: string) => string, expected: AdminExpected): Damage => ({
  name,
  expected,
  body: (body) => ({ ...body, query: query(body.query) }),
});
const withMember = (member: string, values: unknown[], expected: AdminExpected): Damage[] =>
  values.map((value) => ({
    name: `${member} ${JSON.stringify(value)?.slice(0, 30)}`,
    expected,
    body: (body) => ({ ...body, [member]: value }),
  }));
const header = (name: string, values: string[], expected: AdminExpected): Damage[] =>
  values.map((value) => ({ name: `${name}: ${value.slice(0, 40)}`, expected, headers: { [name]: value } }));

const deep = `query { me { organization { users { ${'organization { users { '.repeat(5)} id ${'} } '.repeat(5)} } } } }`;
const odd = ['x', '\u00e9', '"', ';', '{}', 'x'.repeat(4_000), '-1', 'null'];

const damages: Damage[] = [
  // Who asks for a protected field without a bearer learns nothing of the document.
  withQuery('an unknown field', (text) => text.replace('{', '{ added '), notValidOrNobody),
  withQuery('an unknown argument', () => '{ id(added: 1) }', notValid),
  withQuery('a subscription', () => 'subscription { id }', notValid),
  withQuery('too deep', () => deep, notValid),
  withQuery('too many aliases', () => `{ ${Array.from({ length: 16 }, (_, i) => `a${i}: id`).join(' ')} }`, notValid),
  withQuery('too many tokens', () => `{ ${'id '.repeat(2_000)} }`, notParsed),
  withQuery('brackets without end', () => '{ id '.repeat(300), notParsed),
  withQuery('a list without end', () => `{ campaigns(search: ${'['.repeat(900)}`, notParsed),
  withQuery(
    'fragments in a circle',
    () => '{ ...A } fragment A on Query { id ...B } fragment B on Query { ...A }',
    notValid,
  ),
  withQuery('two operations', () => 'query A { id } query B { id }', refused(400, 'OPERATION_RESOLUTION_FAILURE')),
  withQuery('no document', () => '', refused(400, 'GRAPHQL_PARSE_FAILED', 'BAD_REQUEST')),
  withQuery(
    'a type system',
    () => 'type A { a: Int }',
    refused(400, 'GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE'),
  ),
  withQuery('NUL', (text) => text.replace('{', '{ \0'), notParsed),
  withQuery('half a surrogate pair', () => '{ campaigns(search: "\ud800") { id } }', notParsed),
  withQuery('half a surrogate pair, escaped', () => '{ campaigns(search: "\\ud800") { id } }', notParsed),
  withQuery(
    'two logins',
    () => 'mutation { a: refreshToken(token: "a") { token } b: refreshToken(token: "b") { token } }',
    notValid,
  ),
  ...withMember('query', [7, null, [], {}, true], badRequest),
  ...withMember('variables', [7, 'x', [], [1], true], refused(400, 'BAD_REQUEST', 'BAD_USER_INPUT')),
  ...withMember('operationName', [7, {}, [], true], refused(400, 'BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE')),
  ...withMember(
    'operationName',
    ['Other', '__proto__', 'x'.repeat(9_000)],
    refused(400, 'OPERATION_RESOLUTION_FAILURE'),
  ),
  ...withMember('extensions', [7, {}, { persistedQuery: { version: 1, sha256Hash: 'x' } }], whatever),
  ...[[], [{ query: '{ id }' }], 'x', 7, null, {}].map((body) => ({
    name: `body ${JSON.stringify(body)}`,
    expected: badRequest,
    body: () => body,
  })),
  ...header(
    'content-type',
    ['text/plain', 'application/graphql', 'application/json; charset=latin1', 'multipart/form-data', ...odd],
    notJson,
  ),
  ...header('content-encoding', ['zstd', 'compress', 'gzip, gzip', ...odd], notJson),
  ...header('content-encoding', ['gzip', 'deflate', 'br'], badRequest),
  ...header('accept', ['text/html', 'image/*', 'application/xml;q=1'], refused(406, 'BAD_REQUEST')),
  ...['origin', 'cookie', 'referer', 'if-none-match', 'x-forwarded-for', 'apollo-require-preflight', 'range'].flatMap(
    (name) => header(name, odd, whatever),
  ),
];
const bearers = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  'bearer null',
  'Basic eDp4',
  'Bearer a.b.c',
  'Bearer eyJhbGciOiJub25lIn0.e30.',
  ...odd,
];

export function damagedRequests(valid: fc.Arbitrary<AdminCase>): fc.Arbitrary<AdminCase> {
  return fc.oneof(
    { weight: 9, arbitrary: shaped(valid) },
    { weight: 6, arbitrary: damagedBytes(valid) },
    { weight: 3, arbitrary: withoutBearer(valid) },
    { weight: 1, arbitrary: oversized(valid) },
  );
}

function shaped(valid: fc.Arbitrary<AdminCase>): fc.Arbitrary<AdminCase> {
  return fc.tuple(valid, fc.constantFrom(...damages)).map(([request, { name, expected, headers = {}, body }]) => {
    const sent = Buffer.from(request.body, 'base64').toString('utf8');
    const changed = body ? JSON.stringify(body(JSON.parse(sent) as Body)) : sent;
    return { ...request, change: `${name} of ${request.change}`, headers, body: base64(changed), expected };
  });
}

/** An invalid value replaces the token: a public operation is executed, any other is refused with 401. */
function withoutBearer(valid: fc.Arbitrary<AdminCase>): fc.Arbitrary<AdminCase> {
  return fc
    .tuple(
      valid.filter(({ as }) => as === 'nobody'),
      fc.constantFrom(...bearers),
    )
    .map(([request, authorization]) => ({
      ...request,
      change: `authorization ${authorization.slice(0, 40)} of ${request.change}`,
      headers: { authorization },
    }));
}

function damagedBytes(valid: fc.Arbitrary<AdminCase>): fc.Arbitrary<AdminCase> {
  const number = fc.noBias(fc.nat());
  return fc
    .tuple(valid, fc.constantFrom(...byteDamages), number, number)
    .map(([request, { name, damage }, at, size]) => {
      const bytes = damage(Buffer.from(request.body, 'base64'), at, size);
      return {
        ...request,
        change: `${name} of ${request.change}`,
        body: base64(bytes),
        expected: { statuses: [200, 400, 401, 413] },
      };
    });
}

const tooLarge: Pick<AdminCase, 'headers' | 'body'>[] = [
  { headers: {}, body: base64(Buffer.alloc(100_001, ' ')) },
  { headers: { 'content-encoding': 'gzip' }, body: base64(gzipSync(Buffer.alloc(5_000_000, ' '))) },
];

function oversized(valid: fc.Arbitrary<AdminCase>): fc.Arbitrary<AdminCase> {
  const expected = refused(413, 'PAYLOAD_TOO_LARGE');
  return fc
    .tuple(valid, fc.constantFrom(...tooLarge))
    .map(([request, body]) => ({ ...request, ...body, change: 'too large', expected }));
}

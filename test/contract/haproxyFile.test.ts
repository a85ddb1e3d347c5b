// Reads deploy/haproxy.cfg: what it refuses with, and for how long. test/integration/haproxy.test.ts runs it.
import { readFileSync } from 'node:fs';
import { buildSchema, isEnumType } from 'graphql';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { haproxyConfiguration } from '../support/haproxy.ts';
import { adminUnavailable, unavailable } from '../support/proxyStandIn.ts';

const configuration = readFileSync(haproxyConfiguration, 'utf8');

/** What the backend itself responds with. */
function bodiesOf(backend: string): { status: number; body: unknown }[] {
  const [section] = new RegExp(`^backend ${backend}\\n(?:.+\\n)+`, 'm').exec(configuration)!;
  const found = section.matchAll(/status (\d+) content-type application\/json (?:lf-)?string '([^']*)'/g);
  return [...found].map(([, status, body]) => ({ status: Number(status), body: JSON.parse(body!) as unknown }));
}

test('each body of uploads in the file is that of the service', () => {
  expect(bodiesOf('ingest')).toEqual(
    [503, 503, 502, 504].map((status) => ({ status, body: { ...unavailable, status } })),
  );
});

test('each body of the admin API in the file is an error with a code of schema.graphql', () => {
  expect(bodiesOf('admin')).toEqual([503, 503, 502, 504].map((status) => ({ status, body: adminUnavailable })));
  const codes = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8')).getType('ErrorCode');
  expect(isEnumType(codes) && codes.getValue(adminUnavailable.errors[0]!.extensions.code)).toBeTruthy();
});

test('Retry-After is at most 300, its spread included', () => {
  const [, longest] = /mul\(txn\.refused\),mul\((\d+)\),div\(txn\.all\),div\(txn\.all\)/.exec(configuration)!;
  const [, spread, least] = /rand\((\d+)\),add\((\d+)\),mul\(txn\.wait\),div\(100\),add\(1\)/.exec(configuration)!;
  const most = Number(spread) - 1 + Number(least);
  expect([Number(least), most]).toEqual([50, 150]);
  expect(Math.floor((most * Number(longest)) / 100) + 1).toBeLessThanOrEqual(300);
  // The longest wait before the spread.
  expect(Number(longest) + 1).toBe(200);
});

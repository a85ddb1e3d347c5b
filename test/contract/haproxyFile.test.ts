// Reads deploy/haproxy.cfg: what it refuses with, and for how long. test/integration/haproxy.test.ts runs it.
import { readFileSync } from 'node:fs';
import { formatError } from '../../src/graphql/errors.ts';
import { defaultPlaces } from '../../src/graphql/places.ts';
import { haproxyConfiguration } from '../support/haproxy.ts';
import { adminUnavailable, unavailable } from '../support/proxyStandIn.ts';

const configuration = readFileSync(haproxyConfiguration, 'utf8');

const sectionOf = (backend: string): string =>
  new RegExp(`^backend ${backend}\\n(?:.+\\n)+`, 'm').exec(configuration)![0];

/** What the backend itself responds with, where `Retry-After` is 7. */
function bodiesOf(backend: string): { status: number; body: unknown }[] {
  const found = sectionOf(backend)
    .replaceAll('%[var(txn.retry)]', '7')
    .matchAll(/status (\d+) content-type application\/json (?:lf-)?string '([^']*)'/g);
  return [...found].map(([, status, body]) => ({ status: Number(status), body: JSON.parse(body!) as unknown }));
}

test('each body of uploads in the file is that of the service', () => {
  expect(bodiesOf('ingest')).toEqual(
    [503, 503, 502, 504].map((status) => ({ status, body: { ...unavailable, status } })),
  );
});

test('each body of the admin API in the file is that of the service: nobody knows what a lost process has done', () => {
  const [refused, lost] = [adminUnavailable(7), { errors: [formatError({ message: '' }, new Error('lost'))] }];
  expect(bodiesOf('admin')).toEqual([
    { status: 503, body: refused },
    { status: 503, body: refused },
    { status: 502, body: lost },
    { status: 504, body: lost },
  ]);
});

test('a process of admin gets as many requests as it runs and lets wait, and none waits for 2 s', () => {
  const { atOnce, longestQueue, patienceMillis } = defaultPlaces.requests;
  const [, places] = / maxconn (\d+)\n/.exec(sectionOf('admin'))!;
  expect(Number(places)).toBe(atOnce + longestQueue);
  const [, queueMillis] = / timeout queue (\d+)ms\n/.exec(sectionOf('admin'))!;
  expect(Number(queueMillis) + patienceMillis!).toBeLessThan(2_000);
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

test('a source has a quarter of the connections, and little of the last quarter', () => {
  const numbers = (pattern: RegExp): number[] => pattern.exec(configuration)!.slice(1).map(Number);
  const [all] = numbers(/^ {2}maxconn (\d+)$/m);
  const [most] = numbers(/connection reject if \{ sc_conn_cur\(2\) gt (\d+) \}/);
  const [crowded, few] = numbers(/connection reject if \{ fe_conn gt (\d+) \} \{ sc_conn_cur\(2\) gt (\d+) \}/);
  expect([most! * 4, crowded! * 4]).toEqual([all, all! * 3]);
  // Twenty sources have room in what is left.
  expect(few! * 20).toBeLessThanOrEqual(all! - crowded!);
  expect(configuration).toContain('track-sc2 src,ipmask(32,64) table sources');
});

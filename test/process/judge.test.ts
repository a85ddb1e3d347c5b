// `npm run mock -- --judge` as a process: it says what it waits for, and ends with a table, a report and a status.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { clearAway, newDataDir, runBuilt, until } from '../support/serviceProcess.ts';

afterEach(clearAway);

test('a request with another key is a broken rule, which the table and the report quote', async () => {
  const report = path.join(newDataDir(), 'report.json');
  const judge = runBuilt('test/tools/mock/main.js', {}, [
    '--judge',
    '--port',
    '0',
    '--seconds',
    '3',
    '--report',
    report,
  ]);
  const url = await until(() => /Base URL +(\S+)/.exec(judge.stdout())?.[1], judge);
  const position = await (await fetch(`${url}/judge`)).json();
  expect(position).toEqual({ scene: 'first uploads', action: 'record', done: false });
  const stranger = await fetch(`${url}/api/v1/campaigns`, { headers: { 'X-Api-Key': 'pk_stranger' } });
  expect(stranger.status).toBe(404);
  const { code } = await judge.ended;
  expect(judge.stdout()).toContain('waits in "first uploads" for: track JudgeEvent three times, then flush');
  expect(judge.stdout()).toContain('the checks refuse request 0 with 404\n');
  expect(judge.stdout()).toContain('\nNot played: "first uploads", "properties", ');
  expect(judge.stdout()).toMatch(/api-key-on-every-request +BROKEN\n +X-Api-Key is not the public key/);
  expect([code, judge.stderr()]).toEqual([1, '']);
  const { status, rules, requests } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, unknown[]>;
  expect([status, rules!.length, requests!.length]).toEqual([1, 46, 1]);
});

test('after 100 uploads in a row that the checks refuse the judge ends, long before its time', async () => {
  const judge = runBuilt('test/tools/mock/main.js', {}, ['--judge', '--port', '0', '--seconds', '250']);
  const url = await until(() => /Base URL +(\S+)/.exec(judge.stdout())?.[1], judge);
  const publicKey = /pk_\w+/.exec(judge.stdout())![0];
  for (let sent = 0; sent < 100; sent += 1) {
    const headers = { 'Content-Type': 'application/json', 'X-Api-Key': publicKey };
    const refused = await fetch(`${url}/api/v1/session`, { method: 'POST', headers, body: '{}' });
    expect(refused.status).toBe(403);
  }
  const { code } = await judge.ended;
  expect([code, judge.stderr()]).toEqual([1, '']);
  expect(judge.stdout()).toContain('the checks refuse request 99 with 403');
  expect(judge.stdout()).toContain('\nNot played: "first uploads", "properties", ');
}, 240_000);

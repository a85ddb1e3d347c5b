// A response that misses its time limit is logged, at most once a second, without its content.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../../src/deps.ts';
import { createLateResponses } from '../../src/http/lateResponses.ts';
import { createPublicApi } from '../../src/http/publicApi.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { inProcess } from '../faults/fuzz/exchange.ts';
import { memoryDeps, memoryKey } from '../faults/fuzz/memoryDeps.ts';
import { soundContract } from '../faults/fuzz/memoryService.ts';

function logged() {
  const lines: Record<string, unknown>[] = [];
  // At this level a failure that repeats is written each time.
  const log = createLog('debug', {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { lines, log };
}

test('one line a second says how many responses were late meanwhile', () => {
  const { lines, log } = logged();
  let now = 0;
  const late = createLateResponses(log, () => now);
  for (now of [0, 1, 999, 1_000, 2_500]) late({ operation: 'getCampaigns', requestId: `r-${now}`, millis: 5_000.4 });
  const line = { level: 'warn', msg: 'a response took too long', operation: 'getCampaigns', millis: 5_000 };
  expect(lines).toEqual([
    expect.objectContaining({ ...line, requestId: 'r-0', others: 0 }),
    expect.objectContaining({ ...line, requestId: 'r-1000', others: 2 }),
    expect.objectContaining({ ...line, requestId: 'r-2500', others: 0 }),
  ]);
});

test('the public API logs the operation of a response that is late', async () => {
  const { lines, log } = logged();
  const never = { find: () => new Promise<never>(() => undefined) };
  const deps = { ...memoryDeps(), log, applications: never, answerWithinMillis: 20 } as unknown as Deps;
  const api = createPublicApi(await soundContract(), deps);
  const exchange = inProcess((request: IncomingMessage, response: ServerResponse) => void api(request, response));
  const headers = { 'x-api-key': memoryKey.public };
  const target = '/api/v1/campaigns';
  const { status } = await exchange({ method: 'GET', target, headers, body: Buffer.alloc(0) });
  expect(status).toBe(503);
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', msg: 'a response took too long', operation: 'getCampaigns', others: 0 }),
  ]);
  expect(lines[0]!.millis).toBeGreaterThanOrEqual(19);
  expect(JSON.stringify(lines)).not.toContain(memoryKey.public);
});

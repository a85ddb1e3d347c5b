// The judge of SDKs: the reference SDK keeps every rule, and each variant with one fault breaks its own rule, and no other than those that follow from it.
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import { SimulatedTime } from '../tools/demo/simulation/simulatedTime.ts';
import { playReference, requestTimeoutMillis, type ReferenceRun } from '../tools/judge/reference/harness.ts';
import { variants } from '../tools/judge/reference/variants.ts';
import { ScriptedServer } from '../tools/judge/scriptedServer.ts';
import { exitStatus, judge, reportPieces, table, type JudgedRule } from '../tools/judge/verdicts.ts';

const key = { public: 'pk_judge', secret: 'sk_judge_not_a_secret' };

async function play(wrap: (run: Pick<ReferenceRun, 'time'>) => ReferenceRun['wrap']) {
  const time = new SimulatedTime(Date.parse('2026-11-25T10:00:00.370Z'));
  const clock = { now: () => time.now, uptime: () => time.now };
  const slowMillis = requestTimeoutMillis + 500;
  const server = await ScriptedServer.open({ key, clock, slowMillis, longWaitSeconds: 130 });
  const { url, drain } = await listen(server.listener, { port: 0, host: '127.0.0.1' });
  await playReference({ baseUrl: url, key, time, wrap: wrap({ time }) });
  await drain(0);
  return { recording: server.recording, judged: judge(server.recording), skipped: server.player.skipped };
}

function withVerdict(judged: JudgedRule[], verdict: JudgedRule['verdict']): string[] {
  return judged.filter((one) => one.verdict === verdict).map(({ rule }) => rule);
}

test('the reference SDK keeps all rules', async () => {
  const { recording, judged, skipped } = await play(() => (environment) => environment);
  expect(skipped).toEqual([]);
  expect(table(judged.filter(({ verdict }) => verdict !== 'kept'))).toMatch(/^\n0 kept, 0 broken, 0 not seen$/);
  expect([recording.complete, exitStatus(judged)]).toEqual([true, 0]);
  expect(JSON.parse([...reportPieces(recording, judged)].join(''))).toMatchObject({ complete: true, status: 0 });
});

test('there are twelve variants, each for another rule', () => {
  expect(new Set(variants.map(({ rule }) => rule)).size).toBe(12);
});

test.each(variants.map((variant) => [variant.fault, variant] as const))('an SDK that %s', async (_fault, variant) => {
  const { judged } = await play(
    ({ time }) =>
      (environment) =>
        variant.wrap(environment, { time, secret: key.secret }),
  );
  expect(withVerdict(judged, 'broken').sort()).toEqual([variant.rule, ...(variant.also ?? [])].sort());
  expect(exitStatus(judged)).toBe(1);
  expect(table(judged)).toContain('> X-Api-Key: pk_judge');
});

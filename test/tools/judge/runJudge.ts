// `npm run mock -- --judge`: plays the script to an SDK under test, then prints and writes the table.
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../../../src/platform/httpServer/httpServer.ts';
import { trackedEvent } from './configuration.ts';
import { realClock } from './judgeClock.ts';
import { fieldsOf, reasonOf, type Recorded } from './recording.ts';
import type { ScenePosition } from './scenePlayer.ts';
import type { Action } from './scenes.ts';
import { ScriptedServer } from './scriptedServer.ts';
import { exitStatus, judge, reportPieces, table } from './verdicts.ts';

export interface JudgeRun {
  key: { public: string; secret: string };
  port: number;
  host: string;
  /** The judge ends after this time at the latest. */
  seconds: number;
  slowSeconds: number;
  /** The file of the JSON report; null without one. */
  report: string | null;
}

/** Longer than 120 s, after which an SDK signs again. */
const longWaitSeconds = 125;
/** For what the SDK sends after the last scene. */
const lastMillis = 5_000;
const sleepMillis = 200;

/** Resolves with the exit status: openapi.yaml has the rules, docs/sdk/judge.md the statuses. */
export async function runJudge({ key, port, host, seconds, slowSeconds, report }: JudgeRun): Promise<0 | 1 | 2> {
  const onPosition = (position: ScenePosition): void => void process.stdout.write(lineOf(position));
  const onRefusal = (refused: Recorded): void => void process.stdout.write(refusalLineOf(refused));
  const times = { clock: realClock, slowMillis: slowSeconds * 1_000, longWaitSeconds };
  const server = await ScriptedServer.open({ key, ...times, onPosition, onRefusal });
  const { url, drain } = await listen(server.listener, { port, host });
  process.stdout.write(
    `Judge of SDKs\n  Base URL    ${url}\n  public key  ${key.public}\n  secret key  ${key.secret}\n`,
  );
  process.stdout.write(`  next step   ${url}/judge\n\n${lineOf(server.player.position)}`);
  await untilPlayed(server, seconds);
  await drain(1_000);
  const judged = judge(server.recording);
  process.stdout.write(`\n${table(judged)}\n${scenesNotPlayed(server.player)}`);
  // In pieces, because the bodies of a long run do not fit into one string.
  if (report !== null) await writeFile(report, Readable.from(reportPieces(server.recording, judged)));
  return exitStatus(judged);
}

/** Ends early when the operator presses Ctrl-C. */
async function untilPlayed(server: ScriptedServer, seconds: number): Promise<void> {
  const { player } = server;
  let stopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stopped = true));
  const end = performance.now() + seconds * 1_000;
  while (!stopped && !player.position.done && !server.isStuck && performance.now() < end) {
    server.skipOldScene();
    await pause(sleepMillis);
  }
  if (server.isStuck) process.stdout.write('The checks refuse upload after upload, so the judge ends here.\n');
  if (player.position.done) await pause(lastMillis);
}

const words: Record<Action, string> = {
  record: `track ${trackedEvent} three times`,
  'set-property': 'set the property plan',
  'change-property': 'set the property plan to another value',
  'set-again': 'remove the property plan, then set it again',
  relaunch: 'flush, close the app in order, and start it again',
  kill: 'kill the process without closing the app, and start it again',
  'change-user': 'set another user id',
  attribution: 'report an attribution',
  transactions: 'report two store transactions',
};

/** Rules that were not seen belong to these scenes in most runs. */
function scenesNotPlayed({ skipped, left }: ScriptedServer['player']): string {
  const listed = (scenes: string[]): string => scenes.map((scene) => `"${scene}"`).join(', ');
  const lines = [
    ...(skipped.length > 0 ? [`Left without progress: ${listed(skipped)}`] : []),
    ...(left.length > 0 ? [`Not played: ${listed(left)}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** At once, because an SDK whose every upload is refused does not get out of the first scene. */
function refusalLineOf(refused: Recorded): string {
  const why = [reasonOf(refused) ?? '', ...fieldsOf(refused).map(({ path, message }) => `${path} ${message}`)];
  const first = why.filter((one) => one !== '').slice(0, 3);
  const end = first.length > 0 ? `: ${first.join(', ')}` : '';
  return `the checks refuse request ${refused.index} with ${refused.response.status}${end}\n`;
}

function lineOf({ scene, action, done }: ScenePosition): string {
  return done ? 'All scenes are played.\n' : `waits in "${scene}" for: ${words[action]}, then flush\n`;
}

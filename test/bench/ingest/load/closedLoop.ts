// A closed loop: each connection sends its next upload once it has the response to the last one.
import { setTimeout as pause } from 'node:timers/promises';
import { openConnection, type Connection } from './connection.ts';
import type { LoadPlan, LoadResult } from './plan.ts';
import type { PreparedUpload } from './requests.ts';
import { lastResponsesMillis, resultOf, sendCounted, startTally, type Tally } from './tally.ts';

export async function closedLoop(plan: LoadPlan, uploads: PreparedUpload[]): Promise<LoadResult> {
  const addresses = Array.from({ length: plan.connections }, (_, index) => plan.urls[index % plan.urls.length]!);
  const connections = await Promise.all(addresses.map(openConnection));
  const tally = startTally();
  const next = (): PreparedUpload | undefined => {
    if (performance.now() - tally.start >= plan.seconds * 1_000) return undefined;
    const upload = uploads[plan.cycle ? tally.sent % uploads.length : tally.sent];
    if (upload) tally.sent += 1;
    return upload;
  };
  const loops = connections.map((connection) => loop(connection, next, tally));
  await Promise.race([
    Promise.all(loops),
    pause(plan.seconds * 1_000 + lastResponsesMillis, undefined, { ref: false }),
  ]);
  const result = resultOf(tally, plan);
  for (const connection of connections) connection.close();
  return result;
}

async function loop(connection: Connection, next: () => PreparedUpload | undefined, tally: Tally): Promise<void> {
  for (let upload = next(); upload; upload = next()) {
    const status = await sendCounted(connection, { upload, dueAt: performance.now() }, tally);
    if (status === 0) return;
  }
}

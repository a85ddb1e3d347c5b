// The load generator's own process: it competes for a core like any client, and not for the service's event loop.
import { closedLoop } from './closedLoop.ts';
import { openLoop } from './openLoop.ts';
import type { LoadPlan } from './plan.ts';
import { preparedUploads, type PreparedUpload } from './requests.ts';

let prepared: { plan: LoadPlan; uploads: PreparedUpload[] } | null = null;

process.on('message', (message: { prepare: LoadPlan } | { run: true }) => {
  if ('prepare' in message) {
    // Releases the last phase's uploads first. Otherwise the uploads of two phases would be in memory.
    prepared = null;
    prepared = { plan: message.prepare, uploads: [...preparedUploads(message.prepare)] };
    process.send!({ prepared: true });
  } else {
    const { plan, uploads } = prepared!;
    const { perSecond } = plan;
    const running = perSecond === undefined ? closedLoop(plan, uploads) : openLoop({ ...plan, perSecond }, uploads);
    void running.then((result) => process.send!({ result }));
  }
});
process.on('disconnect', () => process.exit(0));

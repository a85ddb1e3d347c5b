// The load generator's own process, so that it competes for a core as any client would, and not for the service's event loop.
import { closedLoop } from './closedLoop.ts';
import { openLoop } from './openLoop.ts';
import type { LoadPlan } from './plan.ts';
import { preparedUploads, type PreparedUpload } from './requests.ts';

let prepared: { plan: LoadPlan; uploads: PreparedUpload[] } | null = null;

process.on('message', (message: { prepare: LoadPlan } | { run: true }) => {
  if ('prepare' in message) {
    // The last phase's uploads are given up first, or there would be two phases' in memory.
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

// A thread of the core probe: reads one upload over and over for as long as it is told, and answers how often it did.
import { parentPort } from 'node:worker_threads';

const parameters = { screen: 'settings', source: 'push', position: 12.5 };
const events = Array.from({ length: 10 }, (_, index) => ({ id: `event-${index}`, name: 'opened', parameters }));
const upload = JSON.stringify({ sessions: [{ id: 'session', events }] });

parentPort!.on('message', (millis: number) => {
  const begun = performance.now();
  let readings = 0;
  let now = begun;
  for (; now < begun + millis; now = performance.now()) {
    for (let each = 0; each < 20; each++) JSON.parse(upload);
    readings += 20;
  }
  parentPort!.postMessage(readings / (now - begun));
});

// A batch that fails on this side: its transaction is not given back while a statement of it is under way.
import type { PipelinedTransaction } from '../../src/platform/transaction.ts';
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import { storeUploads } from '../../src/sessions/storeUploads.ts';
import { gate, nextTurn } from '../support/memoryStore.ts';
import { aReport } from '../support/uploads.ts';

test('a failure while the claim is under way is passed on when the claim has ended', async () => {
  const { hold, open } = gate();
  const claimed = { isNew: [], anchors: new Map() };
  const pipelined = (() => hold.then(() => claimed)) as unknown as PipelinedTransaction['pipelined'];
  const transaction = { pipelined, pipelinedToCommit: pipelined, rollBack: () => Promise.resolve() };
  const origin = { applicationId: '0192f0c4-1111-7000-8000-000000000001', stateAt: 1_789_000_000 };
  const { device, sessions, events } = sessionRows(aReport(), origin);
  // A time that no upload can bring: it passes no contract.
  const broken = events.map((event) => ({ ...event, occurredAt: NaN }));
  let ended = false;
  const storing = storeUploads(transaction, [{ device, sessions, events: broken, nonce: null, eventsSent: 1 }]);
  const failure = storing.then(String, String).finally(() => (ended = true));
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(ended).toBe(false);
  open();
  expect(await failure).toMatch(/^RangeError/);
});

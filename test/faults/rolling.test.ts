// SIGTERM under load, rolling over two processes behind one client: a process completes the response to every accepted request.
import { Agent, request, type IncomingMessage } from 'node:http';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import type { Reply, SignedUpload, Transport } from './support/ledger.ts';
import { testFault } from './support/scenario.ts';
import { patienceMillis } from './support/transports.ts';

const attempts = 4;
const agent = new Agent({ keepAlive: true });
let database: TestDatabase;
let services: [RunningService, RunningService];
beforeAll(async () => {
  database = await createTestDatabase();
  services = [await startFaultService(database.url), await startFaultService(database.url)];
});
afterAll(async () => {
  agent.destroy();
  await clearAway();
  await database.drop();
});

interface Attempt {
  /** The process has read the headers and has sent 100: from then on it must send a response. */
  accepted: boolean;
  reply: Reply | null;
}

function attempt(url: string, { body, headers }: SignedUpload): Promise<Attempt> {
  return new Promise((resolve) => {
    let accepted = false;
    const sent = request(`${url}/api/v1/session`, {
      agent,
      method: 'POST',
      timeout: patienceMillis,
      headers: { ...headers, 'Content-Length': body.length, Expect: '100-continue' },
    });
    sent.on('continue', () => {
      accepted = true;
      sent.end(body);
    });
    sent.on('response', (response) => {
      readReply(response).then(
        (reply) => resolve({ accepted: true, reply }),
        () => resolve({ accepted: true, reply: null }),
      );
    });
    sent.on('timeout', () => sent.destroy(new Error('no response')));
    sent.on('error', () => resolve({ accepted, reply: null }));
    sent.flushHeaders();
  });
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = response.headers as Record<string, string>;
  return { status: response.statusCode!, headers, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown };
}

/**
 * Alternates between the two processes. Like a load balancer, sends an upload to the other one if the first has not
 * accepted it.
 */
function limiter(cut: () => void): Transport {
  let turn = 0;
  return async (upload) => {
    const first = turn++;
    for (let tried = 0; tried < attempts; tried++) {
      const { accepted, reply } = await attempt(services[(first + tried) % 2]!.url, upload);
      if (reply) return reply;
      if (accepted) cut();
    }
    throw new Error('neither process has accepted it');
  };
}

testFault({
  name: 'SIGTERM under load, rolling over two processes',
  times: { short: 10, long: 50 },
  async run({ times, trial, injected, add }) {
    let cuts = 0;
    const transport = limiter(() => (cuts += 1));
    const target = { databaseUrl: database.url, url: () => services[0].url, transport };
    const steady = await trial({ ...target, ...(await newFaultApplication(database.url)) });
    steady.load(6, 20);
    for (let roll = 0; roll < times; roll++) {
      await steady.recovered();
      const position = roll % 2;
      expect(await services[position]!.end('SIGTERM')).toEqual({ code: 0, signal: null });
      injected();
      services[position] = await startFaultService(database.url);
    }
    await steady.stop();
    add({ problems: cuts > 0 ? [`${cuts} accepted requests were cut`] : [] });
  },
});

// Connections take turns: those whose request was refused, and all of them while new ones wait to be accepted.
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { connectionsWait } from '../../src/platform/httpServer/acceptQueue.ts';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { refuseInTurn, restInTurn } from '../../src/platform/httpServer/connectionTurns.ts';
import { sendRaw } from '../support/rawRequests.ts';

const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Does the work while the clock is so much later. */
async function later(millis: number, work: () => void | Promise<void>): Promise<void> {
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + millis);
  try {
    await work();
  } finally {
    clock.mockRestore();
  }
}

function refuseAll(count: number, complete = true) {
  const seen = { paused: 0, resumed: 0, closed: 0, sent: 0 };
  for (let each = 0; each < count; each++) {
    const socket = {
      pause: () => void (seen.paused += 1),
      resume: () => void (seen.resumed += 1),
      writable: true,
    } as unknown as Socket;
    const response = { shouldKeepAlive: true, req: { complete, socket } };
    refuseInTurn(response, () => void ((seen.sent += 1), (seen.closed += response.shouldKeepAlive ? 0 : 1)));
    if (response.shouldKeepAlive) restInTurn(response);
  }
  return seen;
}

test('each round of the event loop reads a few of them', async () => {
  const seen = refuseAll(100);
  expect(seen).toEqual({ paused: 100, resumed: 0, closed: 0, sent: 100 });
  const resumed: number[] = [];
  for (; seen.resumed < 100; resumed.push(seen.resumed)) await round();
  expect(resumed[0]).toBeGreaterThanOrEqual(32);
  expect(resumed[0]).toBeLessThan(64);
  expect(resumed.length).toBeGreaterThan(1);
});

test('the longer the next one has waited, the more of them a round reads', async () => {
  const seen = refuseAll(400);
  await later(900, async () => {
    await round();
    expect(seen.resumed).toBeGreaterThanOrEqual(320);
  });
  while (seen.resumed < 400) await round();
});

test('a connection whose body is still arriving is neither paused nor closed', async () => {
  const others = refuseAll(40);
  await later(5_000, () => {
    expect(refuseAll(1, false)).toEqual({ paused: 0, resumed: 0, closed: 0, sent: 1 });
  });
  while (others.resumed < 40) await round();
});

test('when the next one has waited for more than 1.5 s, further ones are closed with their refusal', async () => {
  const seen = refuseAll(3_000);
  await later(1_501, () => {
    expect(refuseAll(10)).toEqual({ paused: 0, resumed: 0, closed: 10, sent: 10 });
  });
  while (seen.resumed < 3_000) await round();
  expect(refuseAll(1).closed).toBe(0);
});

interface Paused {
  complete: number;
  arriving: number;
}

/** Answers each request after a millisecond of work. While connections wait, it notes which requests would rest. */
async function listenBusy(): Promise<Listener & { paused: Paused }> {
  const paused = { complete: 0, arriving: 0 };
  const answered = (complete: boolean, pause: () => void) =>
    ({ req: { complete, socket: { pause, resume: () => undefined, writable: true } } }) as unknown as ServerResponse;
  const listener = await listen(
    (_, response) => {
      for (const end = performance.now() + 1; performance.now() < end;);
      restInTurn(answered(false, () => void (paused.arriving += 1)));
      if (paused.complete === 0) restInTurn(answered(true, () => void (paused.complete += 1)));
      response.end();
    },
    { port: 0, host: '127.0.0.1' },
  );
  return { ...listener, paused };
}

/** The answers to connections that stand, while so many new ones, each with one request, are accepted and answered. */
async function answersBeside(count: number, headers = ''): Promise<{ standing: number; paused: Paused }> {
  const listener = await listenBusy();
  const port = Number(new URL(listener.url).port);
  const connectTo = (more: string, onAnswer: (ask: () => void) => void): Socket => {
    const ask = (): void => void socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${more}\r\n`);
    const socket = connect(port, '127.0.0.1', ask);
    return socket.on('error', () => undefined).on('data', () => onAnswer(ask));
  };
  const answers = { standing: 0, new: 0 };
  const standing = Array.from({ length: 16 }, () => connectTo('', (ask) => ((answers.standing += 1), ask())));
  while (answers.standing < 100) await round();
  answers.standing = 0;
  const others = Array.from({ length: count }, () => connectTo(headers, () => void (answers.new += 1)));
  while (answers.new < count) await round();
  const meanwhile = answers.standing;
  for (const socket of [...standing, ...others]) socket.destroy();
  await listener.drain(0);
  return { standing: meanwhile, paused: listener.paused };
}

test('while new connections wait, those that stand are read in each second round, and arriving bodies at once', async () => {
  const { standing, paused } = await answersBeside(200);
  expect(paused).toEqual({ complete: 1, arriving: 0 });
  expect(standing).toBeGreaterThan(0);
  // Without turns it is about 1,500.
  expect(standing).toBeLessThan(200);
  await round();
  await round();
  expect(connectionsWait()).toBe(false);
});

test('a connection that is being closed takes no turn', async () => {
  const { standing } = await answersBeside(400, 'Connection: close\r\n');
  // About 230; about 80 when each of them takes a turn.
  expect(standing).toBeGreaterThan(150);
});

test('a connection rests after its last response alone, and not before one that closes it', async () => {
  const seen: string[] = [];
  const listener = await listen(
    (request, response) => {
      jest.spyOn(request.socket, 'pause').mockImplementation(() => (seen.push('rests'), request.socket));
      setTimeout(() => {
        seen.push(request.url!);
        refuseInTurn(response, () => response.end());
      });
    },
    { port: 0, host: '127.0.0.1' },
  );
  const get = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const seenOf = async (...lines: string[]) => {
    const { answers } = await sendRaw(listener.url, lines.map(get).join(''));
    expect(answers.map(({ status }) => status)).toEqual(lines.map(() => 200));
    return seen.splice(0);
  };
  expect(await seenOf('GET /1', 'GET /2')).toEqual(['/1', '/2', 'rests']);
  expect(await seenOf('GET /1', 'UNHEARD-OF /2')).toEqual(['/1', '/2']);
  expect(await seenOf('GET /1', 'CONNECT b:1')).toEqual(['/1', 'b:1']);
  await listener.drain(0);
});

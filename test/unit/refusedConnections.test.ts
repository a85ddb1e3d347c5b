// Connections whose request was refused: read in turns, after new connections, and closed when the turns come too late.
import { connect, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { waitedMillis } from '../../src/platform/httpServer/acceptQueue.ts';
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import { refuseInTurn } from '../../src/platform/httpServer/refusedConnections.ts';

const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function refuseAll(count: number, complete = true) {
  const seen = { paused: 0, resumed: 0, closed: 0, sent: 0 };
  for (let each = 0; each < count; each++) {
    const socket = {
      pause: () => void (seen.paused += 1),
      resume: () => void (seen.resumed += 1),
    } as unknown as Socket;
    const response = { shouldKeepAlive: true, req: { complete, socket } };
    refuseInTurn(response, () => void ((seen.sent += 1), (seen.closed += response.shouldKeepAlive ? 0 : 1)));
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
  const now = performance.now.bind(performance);
  const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 900);
  try {
    await round();
    expect(seen.resumed).toBeGreaterThanOrEqual(320);
  } finally {
    later.mockRestore();
  }
  while (seen.resumed < 400) await round();
});

test('a connection whose body is still arriving is neither paused nor closed', async () => {
  const others = refuseAll(40);
  const now = performance.now.bind(performance);
  const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
  try {
    expect(refuseAll(1, false)).toEqual({ paused: 0, resumed: 0, closed: 0, sent: 1 });
  } finally {
    later.mockRestore();
  }
  while (others.resumed < 40) await round();
});

test('when the next one has waited for more than 1.5 s, further ones are closed with their refusal', async () => {
  const seen = refuseAll(3_000);
  const now = performance.now.bind(performance);
  const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_501);
  try {
    expect(refuseAll(10)).toEqual({ paused: 0, resumed: 0, closed: 10, sent: 10 });
  } finally {
    later.mockRestore();
  }
  while (seen.resumed < 3_000) await round();
  expect(refuseAll(1).closed).toBe(0);
});

test('the accept queue counts as full while connections wait, and as empty afterwards', async () => {
  const waits: number[] = [];
  const listener = await listen((_, response) => void (waits.push(waitedMillis()), response.end()), {
    port: 0,
    host: '127.0.0.1',
  });
  const port = Number(new URL(listener.url).port);
  const sockets = Array.from({ length: 60 }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    return socket.on('error', () => undefined).resume();
  });
  while (waits.length < 60) await round();
  expect(Math.max(...waits)).toBeGreaterThan(0);
  await round();
  await round();
  expect(waitedMillis()).toBe(0);
  for (const socket of sockets) socket.destroy();
  await listener.drain(0);
});

// POST /api/v1/session: each 413, at the exact limit and one above it.
import { deflateRawSync, gzipSync } from 'node:zlib';
import { sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession, json } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

function send(body: unknown, headers?: Record<string, string>) {
  return sendReport(service, body, headers);
}

describe('413', () => {
  const body = (unit: string, limit: number) => ({
    status: 413,
    body: { error: 'payload_too_large', status: 413, unit, limit },
  });

  test('bytes on the wire, at the exact limit, announced or not', async () => {
    const padded = (size: number) => {
      const text = JSON.stringify({ ...aReport(), pad: '' });
      return Buffer.from(text.replace('"pad":""', `"pad":"${'x'.repeat(size - text.length)}"`));
    };
    expect((await send(padded(2 * 1024 * 1024))).status).toBe(200);
    expect(await send(padded(2 * 1024 * 1024 + 1))).toMatchObject(body('bytes', 2_097_152));
    const chunked = await fetch(`${service.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'X-Api-Key': service.application.key.public },
      body: new Blob([padded(2 * 1024 * 1024 + 1)]).stream(),
      duplex: 'half',
    });
    expect([chunked.status, await chunked.json()]).toMatchObject([413, { unit: 'bytes' }]);
  });

  test('bytes after inflating, bounded while inflating', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    expect(await send(bomb, { 'Content-Encoding': 'gzip' })).toMatchObject(body('bytes', 8_388_608));
    expect(await send(bomb)).toMatchObject(body('bytes', 8_388_608));
    expect(await send(deflateRawSync(Buffer.alloc(9_000_000, ' ')), { 'Content-Encoding': 'deflate' })).toMatchObject(
      body('bytes', 8_388_608),
    );
    const within = gzipSync(Buffer.concat([json(aReport()), Buffer.alloc(8 * 1024 * 1024 - 1_000, ' ')]));
    expect((await send(within, { 'Content-Encoding': 'gzip' })).status).toBe(200);
  });

  test('sessions and events, which win over any wrong field', async () => {
    const sessions = (count: number) => Array.from({ length: count }, () => aSession({ events: [] }));
    const events = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...anEvent({ params: [] }), id: String(i) }));
    expect((await send(aReport({ sessions: sessions(500) }))).status).toBe(200);
    expect(await send(aReport({ sessions: sessions(501) }))).toMatchObject(body('sessions', 500));
    expect(await send({ sessions: sessions(501) })).toMatchObject(body('sessions', 500));
    expect((await send(aReport({ sessions: [aSession({ events: events(5_000) })] }))).status).toBe(200);
    const tooMany = aReport({ sessions: [aSession({ id: '' }), aSession({ events: events(5_001) })] });
    expect(await send(tooMany)).toMatchObject(body('events', 5_000));
    const hidden = { sessions: [{ events: Array(200).fill({}) }, { events: Array(5_001).fill(0) }] };
    expect(await send(hidden)).toMatchObject(body('events', 5_000));
    const repeated = `{"zz":1,"zz":2,"sessions":[${Array(501).fill(0).join()}]}`;
    expect(await send(Buffer.from(repeated))).toMatchObject(body('sessions', 500));
  });
});

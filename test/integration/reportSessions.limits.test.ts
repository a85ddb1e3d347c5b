// POST /api/v1/session: each 413, at the exact limit and one above it.
import { randomBytes } from 'node:crypto';
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
    // Bytes that hardly compress keep it from inflating to more than 200 times its size.
    const noise = Buffer.from(randomBytes(200_000).toString('hex'));
    const bomb = gzipSync(Buffer.concat([Buffer.alloc(32 * 1024 * 1024, ' '), noise]));
    expect(await send(bomb, { 'Content-Encoding': 'gzip' })).toMatchObject(body('bytes', 8_388_608));
    expect(await send(bomb)).toMatchObject(body('bytes', 8_388_608));
    expect(
      await send(deflateRawSync(Buffer.concat([noise, Buffer.alloc(9_000_000, ' ')])), {
        'Content-Encoding': 'deflate',
      }),
    ).toMatchObject(body('bytes', 8_388_608));
    const report = json({ ...aReport(), unread: noise.toString() });
    const within = gzipSync(Buffer.concat([report, Buffer.alloc(8 * 1024 * 1024 - report.length, ' ')]));
    expect((await send(within, { 'Content-Encoding': 'gzip' })).status).toBe(200);
  });

  test('times its bytes after inflating, beyond 512 KiB', async () => {
    const padded = (bytes: number) => gzipSync(json(aReport()).toString().padEnd(bytes));
    for (const headers of [{ 'Content-Encoding': 'gzip' }, {}] as Record<string, string>[]) {
      expect((await send(padded(524_288), headers)).status).toBe(200);
      expect(await send(padded(524_289), headers)).toMatchObject(body('inflation', 200));
    }
  });

  test('values, wherever they are, at the exact limit', async () => {
    const one = aReport();
    const own = json({ ...one, unread: [] })
      .toString()
      .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
      .replaceAll(/[^[{,]/g, '').length;
    const withValues = (count: number) => json({ ...one, unread: Array(count - own + 1).fill(1) });
    expect((await send(withValues(100_000))).status).toBe(200);
    expect(await send(withValues(100_001))).toMatchObject(body('values', 100_000));
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

// POST /api/v1/session: the accepted media types and encodings, and the 415 of all others.
import { sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport, json } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

function send(body: unknown, headers?: Record<string, string>) {
  return sendReport(service, body, headers);
}

describe('415', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
    '',
  ])('type %p', async (type) => {
    expect(await send(json(aReport()), { 'Content-Type': type })).toMatchObject(
      type === '' ? { status: 200 } : { status: 415, body: { error: 'unsupported_media_type', status: 415 } },
    );
  });
  test.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/json;charset="utf-8"'])(
    'not for %p',
    async (type) => {
      expect((await send(json(aReport()), { 'Content-Type': type })).status).toBe(200);
    },
  );
  test.each(['br', 'gzip, gzip', 'zstd'])('encoding %p', async (encoding) => {
    expect((await send(json(aReport()), { 'Content-Encoding': encoding })).status).toBe(415);
  });
});

// POST /api/v1/session: the 404 of a key, which comes after the wire size and before everything else.
import { withinASecond } from '../support/campaigns.ts';
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

describe('404: the key', () => {
  test.each([
    ['missing', undefined],
    ['unknown', `pub_${'0'.repeat(32)}`],
    ['empty', ''],
    ['endless', 'x'.repeat(4_000)],
    ['not ASCII', 'é'],
  ])('%s', async (_, key) => {
    const answer = await service.client.send(
      'reportSessions',
      key === undefined ? {} : { 'X-Api-Key': key },
      aReport(),
    );
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
  });

  test.each(['revoked', 'of a deleted application'])('%s, within a second', async (reason) => {
    const { id, key } = await service.newApplication();
    expect((await send(aReport(), { 'X-Api-Key': key.public })).status).toBe(200);
    const { prisma } = service.database;
    if (reason === 'revoked')
      await prisma.apiKey.updateMany({ where: { applicationId: id }, data: { revokedAt: new Date() } });
    else await prisma.application.update({ where: { id }, data: { deletedAt: new Date() } });
    await withinASecond(async () => (await send(aReport(), { 'X-Api-Key': key.public })).status === 404);
  });

  test('comes after the size of the body and before its media type', async () => {
    const headers = { 'X-Api-Key': 'unknown', 'Content-Type': 'text/plain' };
    expect((await service.client.send('reportSessions', headers, json({}))).status).toBe(404);
    expect((await service.client.send('reportSessions', headers, Buffer.alloc(2 * 1024 * 1024 + 1))).status).toBe(413);
  });
});

// The conformance kit: this service and its mock keep every rule, and a server that accepts everything does not.
import { createServer, type RequestListener } from 'node:http';
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import { startTestService } from '../support/testService.ts';
import { ingestRules } from '../tools/conformance/ingestRules.ts';
import { report } from '../tools/conformance/report.ts';
import { judge, type Verdict } from '../tools/conformance/rule.ts';
import { openService, type Access } from '../tools/conformance/service.ts';
import { vectorRules } from '../tools/conformance/vectorRules.ts';
import { createMockService } from '../tools/mock/mockService.ts';

async function verdictsOf(access: Access): Promise<Verdict[]> {
  return judge([...ingestRules, ...vectorRules()], await openService(access));
}

const broken = (verdicts: Verdict[]): Verdict[] => verdicts.filter(({ problem }) => problem !== null);

test('this service keeps every rule', async () => {
  await using service = await startTestService({ signatureRequired: true });
  const { key } = service.application;
  const verdicts = await verdictsOf({ baseUrl: service.url, key: key.public, secret: key.secret });
  expect(broken(verdicts)).toEqual([]);
  expect(verdicts.length).toBeGreaterThan(250);
});

/** A proxy that removes the path of the base URL. */
const behindProxy =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    request.url = request.url!.startsWith('/edge/') ? request.url!.slice('/edge'.length) : '/elsewhere';
    listener(request, response);
  };

test('the mock keeps every rule, behind a base URL with a path too', async () => {
  const key = { public: 'pk_mock', secret: 'sk_mock' };
  const { url, drain } = await listen(behindProxy(await createMockService(key, true)), { port: 0, host: '127.0.0.1' });
  const verdicts = await verdictsOf({ baseUrl: `${url}/edge/`, key: key.public, secret: key.secret });
  await drain(0);
  expect(broken(verdicts)).toEqual([]);
});

test('a server that accepts everything breaks the rules, and the table says which', async () => {
  const yes = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((resolve) => yes.listen(0, '127.0.0.1', resolve));
  const { port } = yes.address() as { port: number };
  const service = await openService({ baseUrl: `http://127.0.0.1:${port}`, key: 'pk', secret: 'sk' });
  const verdicts = await judge(ingestRules, service);
  yes.close();
  yes.closeAllConnections();
  expect(broken(verdicts).length).toBeGreaterThan(25);
  const text = report(verdicts, false);
  expect(text).toMatch(/BROKEN {2}replay and repetition: another body with a used nonce is refused/);
  expect(text).toMatch(/\| limits +\| +8 \| +0 \| +8 \|/);
});

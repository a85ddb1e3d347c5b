// SDK developers copy the examples of openapi.yaml: each must be a request or a response of the service.
import { loadPublicContract, type PublicContract } from '../../src/http/contract.ts';
import { operations } from '../../src/http/operations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { loadPublicDocument, type PublicDocument } from '../support/publicDocument.ts';
import { requestExamples, responseExamples } from '../support/publicExamples.ts';
import { ok, sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let document: PublicDocument;
let contract: PublicContract;
let service: TestService;
beforeAll(async () => {
  document = await loadPublicDocument();
  contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  service = await startTestService();
});
afterAll(() => service.stop());

test('every operation with a body has examples of it', () => {
  const withBody = document.getOperations().filter(({ requestBody }) => requestBody);
  const named = new Set(requestExamples(document).map(({ operationId }) => operationId));
  expect([...named].sort()).toEqual(withBody.map(({ operationId }) => operationId).sort());
});

test('every answer with a body has an example', () => {
  const shown = new Set(responseExamples(document).map(({ operationId, status }) => `${operationId} ${status}`));
  const documented = document.getOperations().flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([, response]) => 'content' in response)
      .map(([status]) => `${operationId} ${status}`),
  );
  expect(documented.filter((answer) => !shown.has(answer))).toEqual([]);
  expect(documented.length).toBeGreaterThan(20);
});

test('every example of a request passes the check of bodies', () => {
  const faults = requestExamples(document).map(({ method, path, name, value }) => {
    const { body } = contract.match(method.toUpperCase(), path)!;
    const { fields, overLimit } = body!.faultsOf(value);
    return { name, valid: body!.isValid(value), fields, overLimit };
  });
  for (const fault of faults) expect(fault).toMatchObject({ valid: true, fields: [], overLimit: null });
  expect(faults.length).toBeGreaterThan(5);
});

test('every example of an answer has the shape that is documented for its status', () => {
  const examples = responseExamples(document);
  for (const { operationId, status, name, value } of examples) {
    const { valid, errors } = document.validateResponse(value, document.getOperation(operationId)!, status);
    expect({ operationId, name, valid, errors }).toMatchObject({ valid: true });
  }
});

test('the status inside the example of an error is the one it is documented for', () => {
  const errors = responseExamples(document).filter(({ status, value }) => status >= 400 && 'error' in Object(value));
  for (const { status, value } of errors) expect(value).toMatchObject({ status });
  expect(errors.length).toBeGreaterThan(15);
});

test('all examples of uploads, sent one after the other and again, are stored', async () => {
  const uploads = requestExamples(document).filter(({ operationId }) => operationId === 'reportSessions');
  for (const { value } of [...uploads, ...uploads]) expect(await sendReport(service, value)).toMatchObject(ok);
  const { prisma } = service.database;
  const sent = uploads.map(({ value }) => value as { device: { id: string }; sessions: { id: string; events?: [] }[] });
  const devices = new Set(sent.map(({ device }) => device.id));
  const sessions = new Set(sent.flatMap((report) => report.sessions.map(({ id }) => `${report.device.id} ${id}`)));
  const events = sent.flatMap((report) => report.sessions.flatMap((session) => session.events ?? []));
  expect(await prisma.device.count()).toBe(devices.size);
  expect(await prisma.session.count()).toBe(sessions.size);
  expect(await prisma.event.count()).toBe(events.length);
});

// The text that a newcomer sees: it must be complete, and the contract must accept its command's request.
import { loadPublicContract } from '../../src/http/publicContract.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { verifySignature } from '../../src/platform/signature.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { welcome } from '../../src/development/welcome.ts';
import { parseCurl } from '../support/curl.ts';

const facts = {
  url: 'http://127.0.0.1:8080',
  opsUrl: 'http://127.0.0.1:8081',
  dashboardUrl: 'http://127.0.0.1:8080/admin/',
  origins: ['http://localhost:3000', 'http://localhost:5173'],
  demo: {
    application: { id: '1', name: 'Demo application' },
    key: { public: 'pub_demo', secret: 'sec_demo' },
    login: { email: 'demo@example.com', password: 'a password' },
  },
  now: new Date(1_789_000_000_000),
};

test('names the address, both keys and the login', () => {
  const text = welcome({ ...facts, signed: false });
  for (const part of [
    'http://127.0.0.1:8080',
    '/admin/graphql/',
    'http://127.0.0.1:8080/admin/\n',
    '8081/docs',
    'http://localhost:3000, http://localhost:5173',
    'pub_demo',
    'sec_demo',
    'demo@example.com',
  ]) {
    expect(text).toContain(part);
  }
  expect(text).toContain('a password');
});

test.each([true, false])('prints a command with a body that passes the contract, signed: %p', async (signed) => {
  const { url, headers, body } = parseCurl(welcome({ ...facts, signed }));
  expect(url).toBe('http://127.0.0.1:8080/api/v1/session');
  const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  const { body: schema } = contract.match('POST', '/api/v1/session')!;
  expect(schema!.faultsOf(JSON.parse(body))).toMatchObject({ fields: [], overLimit: null });
  expect(headers['x-api-key']).toBe('pub_demo');
});

test('signs the command with the secret, which it does not send', () => {
  const { headers, body } = parseCurl(welcome({ ...facts, signed: true }));
  const verified = verifySignature({
    headers,
    body: Buffer.from(body),
    key: facts.demo.key,
    required: true,
    now: facts.now,
  });
  expect(verified).not.toBeNull();
  expect(JSON.stringify([headers, body])).not.toContain('sec_demo');
});

test('leaves the signature out where none is required, so that the command works tomorrow too', () => {
  const { headers } = parseCurl(welcome({ ...facts, signed: false }));
  expect(Object.keys(headers)).toEqual(['content-type', 'x-api-key']);
});

test('is a command that a shell takes as one line', () => {
  const text = welcome({ ...facts, signed: true });
  const command = text.slice(text.indexOf('curl'), text.lastIndexOf("'") + 1);
  const lines = command.split('\n');
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/ \\$/);
  expect(lines.at(-1)).toMatch(/'$/);
  expect(command.split("'").length % 2).toBe(1);
});

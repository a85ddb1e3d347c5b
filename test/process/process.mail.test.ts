// The built process sends its mails: a developer finds the reset mail as a file in the data folder, and its link's token works.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { askAdmin } from '../support/adminClient.ts';
import { readMail } from '../support/mailServer.ts';
import { clearAway, newDataDir, startService, until } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(clearAway);
afterAll(() => database.drop());

test('without SMTP_URL a mail is a file under DATA_DIR', async () => {
  const dataDir = newDataDir();
  const service = await startService({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    DASHBOARD_URL: 'http://d.test/',
  });
  const reset = 'mutation { resetPassword(input: { email: "demo@example.com" }) }';
  expect((await askAdmin(service.url, { query: reset })).data).toEqual({ resetPassword: true });
  const folder = path.join(dataDir, 'mail');
  const file = await until(
    () => (existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.eml')) : undefined),
    service,
  );
  const { link, token } = await readMail(readFileSync(path.join(folder, file), 'utf8'));
  expect(link.href).toBe(`http://d.test/reset-password?token=${token}`);
  expect(service.stdout()).not.toContain(token);
  const input = { token, newPassword: 'a fine phrase', newPasswordRepeat: 'a fine phrase' };
  const query = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
  expect((await askAdmin(service.url, { query, variables: { input } })).data).toEqual({ updatePassword: true });
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

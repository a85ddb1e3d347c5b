// SIGNUP: open outside production, said by name in production; and the settings of the programs that make users.
import { readConfig } from '../../src/config.ts';
import { accountConfig } from '../../src/programs/runProgram.ts';
import { productionEnv } from '../support/productionEnv.ts';

const refusal = (env: Record<string, string | undefined>): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test('who may sign up is open outside production', () => {
  expect(readConfig({}).signup).toBe('open');
  expect(readConfig({ SIGNUP: 'closed' }).signup).toBe('closed');
});

test('production must say who may sign up, and the refusal explains the choice', () => {
  for (const SIGNUP of ['open', 'first', 'closed']) {
    expect(readConfig({ ...productionEnv, SIGNUP }).signup).toBe(SIGNUP);
  }
  const text = refusal({ ...productionEnv, SIGNUP: undefined });
  expect(text).toMatch(/\n {2}SIGNUP: is required in production \(open: .*first: .*closed: .*user:create/);
  expect(refusal({ ...productionEnv, SIGNUP: 'yes', TOKEN_KEY: undefined })).toMatch(
    /SIGNUP: must be open, first or closed\n {2}TOKEN_KEY: is required/,
  );
});

test('who may sign up is a question for the processes alone that serve the admin API', () => {
  for (const ROLE of ['ingest', 'worker']) {
    expect(readConfig({ ...productionEnv, SIGNUP: undefined, ROLE }).role).toBe(ROLE);
  }
  for (const ROLE of ['all', 'admin', 'api']) {
    expect(refusal({ ...productionEnv, SIGNUP: undefined, ROLE })).toContain('SIGNUP: is required');
  }
});

test('a program for accounts reads and requires the database and the dashboard alone', () => {
  const { DATABASE_URL, DASHBOARD_URL } = productionEnv;
  const env = { NODE_ENV: 'production', DATABASE_URL, DASHBOARD_URL, PORT: 'x', SIGNUP: 'x', ROLE: 'x' };
  expect(accountConfig(env)).toMatchObject({ production: true, databaseUrl: DATABASE_URL });
  expect(() => accountConfig({ NODE_ENV: 'production' })).toThrow(
    /DATABASE_URL: is required in production\n {2}DASHBOARD_URL: is required in production\nSee/,
  );
});

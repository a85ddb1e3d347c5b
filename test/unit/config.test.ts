// The environment: defaults for development, refusals in production, every problem in one message and no value in it.
import { randomBytes } from 'node:crypto';
import { developmentKeys, readConfig, variableNames } from '../../src/config.ts';
import { keyList, testKey } from '../support/keys.ts';

const keyOf = (number: number) => keyList(String(number));
const production = {
  ...{ NODE_ENV: 'production', SIGNUP: 'first' },
  DATABASE_URL: 'postgresql://service:hunter2@db.internal:5432/app?sslmode=verify-full',
  ENCRYPTION_KEY: keyOf(1),
  TOKEN_KEY: keyOf(2),
  DASHBOARD_URL: 'https://dashboard.example.com',
  SMTP_URL: 'smtp://service:hunter4@mail.internal:587',
};

const lacking = ['DASHBOARD_URL', 'DATABASE_URL', 'ENCRYPTION_KEY', 'SIGNUP', 'SMTP_URL', 'TOKEN_KEY'];
function refusal(env: Record<string, string | undefined>): string {
  try {
    readConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('this environment was accepted');
}

/** The variables that a message names, one per line. */
const named = (message: string) => [...message.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name).sort();

describe('without any variable', () => {
  test('the service starts on loopback, for development, with an embedded database', () => {
    expect(readConfig({})).toMatchObject({
      production: false,
      port: 8080,
      host: '127.0.0.1',
      opsPort: 8081,
      dashboardOrigins: ['http://localhost:3000', 'http://localhost:5173'],
      opsHost: '127.0.0.1',
      dataDir: '.data',
      databaseUrl: undefined,
      signatureRequired: false,
      logLevel: 'info',
      analytics: 'embedded',
      analyticsDir: '.data/analytics',
      analyticsMemoryMib: 512,
    });
  });
  test('an empty variable counts as absent', () => {
    const empty = Object.fromEntries(variableNames.map((name) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });
  test('variables of others are ignored', () => {
    expect(readConfig({ PATH: '/bin', port: '1', DATABASE: 'x' })).toEqual(readConfig({}));
  });
  test('the two development keys are 32 bytes and differ', () => {
    const keys = [...readConfig({}).encryptionKeys, ...readConfig({}).tokenKeys];
    expect(keys.map(({ length }) => length)).toEqual([32, 32]);
    expect(keys[0]!.equals(keys[1]!)).toBe(false);
  });
});

/** For each variable a value other than its default. */
const others: Record<(typeof variableNames)[number], string> = {
  ...{ NODE_ENV: 'test', SIGNUP: 'closed' },
  PORT: '0',
  ROLE: 'worker',
  HOST: '::1',
  DASHBOARD_ORIGINS: 'https://dashboard.example.com, http://b.example,',
  TRUSTED_PROXIES: '2',
  OPS_PORT: '65535',
  OPS_HOST: '0.0.0.0',
  DATA_DIR: '/var/lib/app',
  DATABASE_URL: 'postgres://localhost/app',
  DATABASE_POOL_SIZE: '3',
  DATABASE_TIMEOUT_MILLIS: '1500',
  SESSION_SIGNATURE: 'required',
  ENCRYPTION_KEY: keyOf(7),
  TOKEN_KEY: `${keyOf(8)}, ${keyOf(9)},`,
  DASHBOARD_URL: 'https://dashboard.example.com/',
  SMTP_URL: 'smtp://127.0.0.1:25',
  MAIL_FROM: 'a@example.com',
  STORE_ROOT_CERTIFICATES: 'a.pem, b.der',
  STORE_CALLS_PER_SECOND: '7',
  STORE_API_URL: 'http://127.0.0.1:9/',
  LOG_LEVEL: 'debug',
  INGEST_QUEUE_UPLOADS: '9',
  EVENT_RETENTION_DAYS: '400',
  ANALYTICS: 'database',
  ANALYTICS_DIR: '/var/lib/copy',
  ANALYTICS_MEMORY_MIB: '64',
  SHUTDOWN_GRACE_SECONDS: '4',
};

test('every variable is read', () => {
  expect(readConfig(others)).toEqual({
    production: false,
    role: 'worker',
    port: 0,
    host: '::1',
    dashboardOrigins: ['https://dashboard.example.com', 'http://b.example', 'http://localhost:5173'],
    signup: 'closed',
    trustedProxies: 2,
    opsPort: 65_535,
    opsHost: '0.0.0.0',
    dataDir: '/var/lib/app',
    databaseUrl: 'postgres://localhost/app',
    databasePoolSize: 3,
    databaseTimeoutMillis: 1_500,
    signatureRequired: true,
    encryptionKeys: [testKey('7')],
    tokenKeys: [testKey('8'), testKey('9')],
    dashboardUrl: 'https://dashboard.example.com',
    smtpUrl: 'smtp://127.0.0.1:25',
    mailFrom: 'a@example.com',
    storeRootCertificates: ['a.pem', 'b.der'],
    storeCallsPerSecond: 7,
    storeApiUrl: 'http://127.0.0.1:9',
    logLevel: 'debug',
    ingestQueueUploads: 9,
    eventRetentionDays: 400,
    shutdownGraceSeconds: 4,
    analytics: 'off',
    analyticsDir: '/var/lib/copy',
    analyticsMemoryMib: 64,
  });
});

test.each(variableNames)('%s by itself makes another configuration', (name) => {
  // The service treats "test" and "development" alike; only other programs differ.
  const [without, value] = name === 'NODE_ENV' ? [production, 'production'] : [{}, others[name]];
  const unset = { ...without, [name]: undefined };
  expect(readConfig({ ...unset, [name]: value })).not.toEqual(readConfig(unset));
});

describe('in production', () => {
  test('the service listens for everybody and requires signatures', () => {
    const config = readConfig(production);
    expect(config).toMatchObject({ production: true, host: '0.0.0.0', signatureRequired: true, dashboardOrigins: [] });
    expect(config).toMatchObject({ opsHost: '127.0.0.1', encryptionKeys: [testKey('1')] });
  });
  test('signatures may be made optional, by name', () => {
    expect(readConfig({ ...production, SESSION_SIGNATURE: 'optional' }).signatureRequired).toBe(false);
  });
  test('a missing database or key is a refusal, all of them in one message', () => {
    expect(named(refusal({ NODE_ENV: 'production' }))).toEqual(lacking);
    expect(named(refusal({ ...production, TOKEN_KEY: '' }))).toEqual(['TOKEN_KEY']);
  });
  test('the public development keys are a refusal', () => {
    expect(named(refusal({ ...production, ...developmentKeys }))).toEqual(['ENCRYPTION_KEY', 'TOKEN_KEY']);
    const behind = { TOKEN_KEY: `${keyOf(2)},${developmentKeys.TOKEN_KEY}` };
    expect(named(refusal({ ...production, ...behind }))).toEqual(['TOKEN_KEY']);
  });
  test.each([
    ['bytes that are all equal', Buffer.alloc(32, 7)],
    ['zeros', Buffer.alloc(32)],
    ['a pattern', Buffer.from('0123456789abcdef'.repeat(4), 'hex')],
    ['eight bytes, four times', Buffer.concat(Array.from({ length: 4 }, () => testKey('8').subarray(0, 8)))],
    ['a text', 'the quick brown fox jumps over 1'],
  ])('a key that nobody drew at random is a refusal: %s', (_, bytes) => {
    const weak = Buffer.from(bytes).toString('base64');
    expect(named(refusal({ ...production, ENCRYPTION_KEY: weak }))).toEqual(['ENCRYPTION_KEY']);
    expect(named(refusal({ ...production, TOKEN_KEY: `${keyOf(2)},${weak}` }))).toEqual(['TOKEN_KEY']);
    expect(refusal({ ...production, TOKEN_KEY: weak })).not.toContain(weak);
  });
  test('one key for both purposes is a refusal', () => {
    const shared = { ENCRYPTION_KEY: `${keyOf(1)},${keyOf(3)}`, TOKEN_KEY: `${keyOf(2)},${keyOf(3)}` };
    expect(named(refusal({ ...production, ...shared }))).toEqual(['TOKEN_KEY']);
  });
  test('the passwords of the examples are a refusal, no password is not', () => {
    const example = 'postgresql://user:password@host:5432/database';
    expect(named(refusal({ ...production, DATABASE_URL: example }))).toEqual(['DATABASE_URL']);
    expect(named(refusal({ ...production, DATABASE_URL: 'postgresql://app:app@host/app' }))).toEqual(['DATABASE_URL']);
    expect(named(refusal({ ...production, SMTP_URL: 'smtp://user:password@host:587' }))).toEqual(['SMTP_URL']);
    expect(readConfig({ ...production, DATABASE_URL: 'postgresql:///app?host=/run/postgresql' }).production).toBe(true);
  });
});

describe('a value that is not usable', () => {
  test.each([
    ['NODE_ENV', 'staging'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', 'eighty'],
    ['DASHBOARD_ORIGINS', '*'],
    ['DASHBOARD_ORIGINS', 'null'],
    ['DASHBOARD_ORIGINS', 'localhost:3000'],
    ['DASHBOARD_ORIGINS', 'https://a.example/'],
    ['DASHBOARD_ORIGINS', 'https://a.example:443'],
    ['DASHBOARD_ORIGINS', 'https://A.example'],
    ['DASHBOARD_ORIGINS', 'https://a.example https://b.example'],
    ['DASHBOARD_ORIGINS', 'https://a.example,ftp://b.example'],
    ['OPS_PORT', '1e9'],
    ['DATABASE_URL', 'mysql://localhost/app'],
    ['DATABASE_URL', 'localhost:5432'],
    ['DATABASE_POOL_SIZE', '0'],
    ['DATABASE_POOL_SIZE', '1'],
    ['DATABASE_TIMEOUT_MILLIS', 'soon'],
    ['SESSION_SIGNATURE', 'true'],
    ['ENCRYPTION_KEY', Buffer.alloc(31, 1).toString('base64')],
    ['ENCRYPTION_KEY', Buffer.alloc(33, 1).toString('base64')],
    ['ENCRYPTION_KEY', Buffer.alloc(32, 1).toString('hex')],
    ['TOKEN_KEY', 'password'],
    ['TOKEN_KEY', `${keyOf(1)},weak`],
    ['TOKEN_KEY', ' , '],
    ['ENCRYPTION_KEY', Array.from({ length: 9 }, (_, index) => keyOf(index)).join(',')],
    ['LOG_LEVEL', 'verbose'],
    ['INGEST_QUEUE_UPLOADS', '0'],
    ['SHUTDOWN_GRACE_SECONDS', '-5'],
  ])('%s=%s is a refusal that names the variable and not the value', (name, value) => {
    const message = refusal({ [name]: value });
    expect(named(message)).toEqual([name]);
    expect(message).not.toContain(value);
    expect(message).toContain('.env.example');
  });

  test.each([
    ['PORT', ' '],
    ['PORT', '0x1F91'],
    ['TRUSTED_PROXIES', ' '],
    ['SMTP_URL', 'smtp:mail'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://u:p%zz@mail.example'],
    ['ENCRYPTION_KEY', `${Buffer.alloc(32, 'k').toString('base64')}!!??`],
    ['OPS_PORT', '8080'],
  ])('%s=%j is refused', (name, value) => {
    expect(named(refusal({ [name]: value }))).toEqual([name]);
  });

  test.each([
    { ROLE: 'worker', OPS_PORT: '8080' },
    { PORT: '0', OPS_PORT: '0' },
  ])('%j is none', (env) => {
    expect(() => readConfig(env)).not.toThrow();
  });

  test('a key that signs may be longer than one that encrypts', () => {
    const long = randomBytes(48).toString('base64');
    expect(() => readConfig({ ...production, TOKEN_KEY: long })).not.toThrow();
    expect(named(refusal({ ...production, ENCRYPTION_KEY: long }))).toEqual(['ENCRYPTION_KEY']);
    expect(named(refusal({ ...production, TOKEN_KEY: randomBytes(31).toString('base64') }))).toEqual(['TOKEN_KEY']);
  });

  test('stands in one message with all the others', () => {
    const wrong = { PORT: 'x', OPS_PORT: 'x', DATABASE_URL: 'x', ENCRYPTION_KEY: 'x', LOG_LEVEL: 'x' };
    expect(named(refusal(wrong))).toEqual(Object.keys(wrong).sort());
  });

  test('stands in one message with the secrets that production lacks', () => {
    expect(named(refusal({ NODE_ENV: 'production', PORT: 'x', TOKEN_KEY: 'weak' }))).toEqual(
      [...lacking, 'PORT'].sort(),
    );
  });

  test('is never repeated, not even a secret beside it that is right', () => {
    const message = refusal({ ...production, TOKEN_KEY: 'hunter3', PORT: 'x' });
    expect(message).not.toMatch(/hunter/);
    expect(message).not.toContain(production.ENCRYPTION_KEY);
  });
});

// The environment: defaults for development, every variable, and what production refuses.
import { readConfig, variableNames } from '../../src/config.ts';
import { developmentKeys, roles } from '../../src/configRules.ts';
import { testKey } from '../support/keys.ts';
import { keyOf, lacking, named, production, refusal } from '../support/refusedConfig.ts';

describe('without any variable', () => {
  test('the service starts on loopback, for development, with an embedded database', () => {
    expect(readConfig({})).toMatchObject({
      production: false,
      port: 8080,
      host: '127.0.0.1',
      opsPort: 8081,
      dashboardOrigins: ['http://localhost:8080', 'http://localhost:5173'],
      servesDashboard: true,
      dashboardUrl: 'http://localhost:8080/admin',
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
  DASHBOARD: 'off',
  DASHBOARD_ORIGINS: 'https://dashboard.example.com, http://b.example,',
  TRUSTED_PROXIES: '2',
  OPS_PORT: '65535',
  OPS_HOST: '0.0.0.0',
  DATA_DIR: '/var/lib/app',
  DATABASE_URL: 'postgres://localhost/app',
  ALLOW_PRODUCTION_DATABASE: 'app',
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
  QUOTA_MIB_PER_HOUR: '5',
  QUOTA_NEW_DEVICES_PER_HOUR: '7',
  QUOTA_SIGNED_MIB_PER_HOUR: '9',
  EVENT_RETENTION_DAYS: '400',
  ANALYTICS: 'database',
  ANALYTICS_DIR: '/var/lib/copy',
  ANALYTICS_MEMORY_MIB: '64',
  DRAIN_DELAY_SECONDS: '3',
  SHUTDOWN_GRACE_SECONDS: '4',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
  OTEL_SERVICE_NAME: 'uploads',
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.25',
};

/** Only with a collector do its other variables matter. */
function neededBy(name: string): Record<string, string> {
  return name.startsWith('OTEL_') ? { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' } : {};
}

test('every variable is read', () => {
  expect(readConfig(others)).toEqual({
    production: false,
    role: 'worker',
    serves: { publicApi: false, adminApi: false, jobs: true },
    port: 0,
    host: '::1',
    dashboardOrigins: ['https://dashboard.example.com', 'http://b.example', 'http://localhost:5173'],
    servesDashboard: false,
    signup: 'closed',
    trustedProxies: 2,
    opsPort: 65_535,
    opsHost: '0.0.0.0',
    dataDir: '/var/lib/app',
    databaseUrl: 'postgres://localhost/app',
    allowedProduction: 'app',
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
    quota: { bytes: 5 * 1_048_576, devices: 7, signedBytes: 9 * 1_048_576 },
    eventRetentionDays: 400,
    drainDelaySeconds: 3,
    shutdownGraceSeconds: 4,
    analytics: 'off',
    analyticsDir: '/var/lib/copy',
    analyticsMemoryMib: 64,
    tracing: {
      url: 'http://collector:4318/v1/traces',
      serviceName: 'uploads',
      sampler: 'parentbased_traceidratio',
      ratio: 0.25,
    },
  });
});

test('without an endpoint there are no traces, whatever the sampler', () => {
  expect(readConfig({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing).toBeUndefined();
});

test.each(variableNames)('%s by itself makes another configuration', (name) => {
  // The service treats "test" and "development" alike; only other programs differ.
  const [without, value] = name === 'NODE_ENV' ? [production, 'production'] : [neededBy(name), others[name]];
  const unset = { ...without, [name]: undefined };
  expect(readConfig({ ...unset, [name]: value })).not.toEqual(readConfig(unset));
});

describe('a role', () => {
  /** What it serves, and what production needs for it besides what all roles need. */
  const table: Record<(typeof roles)[number], { serves: string[]; needs: string[] }> = {
    all: { serves: ['publicApi', 'adminApi', 'jobs'], needs: ['SIGNUP', 'DASHBOARD_URL', 'SMTP_URL'] },
    ingest: { serves: ['publicApi'], needs: [] },
    admin: { serves: ['adminApi'], needs: ['SIGNUP'] },
    worker: { serves: ['jobs'], needs: ['DASHBOARD_URL', 'SMTP_URL'] },
    api: { serves: ['publicApi', 'adminApi'], needs: ['SIGNUP'] },
  };

  test.each(roles)('%s serves its part of the service, and has analytics only with the admin API', (ROLE) => {
    const { role, serves, analytics } = readConfig({ ROLE });
    const served = Object.entries(serves).flatMap(([part, isServed]) => (isServed ? [part] : []));
    expect([role, served]).toEqual([ROLE, table[ROLE].serves]);
    expect(analytics).toBe(serves.adminApi ? 'embedded' : 'off');
    expect(readConfig({ ROLE, ANALYTICS: 'database' }).analytics).toBe(serves.adminApi ? 'database' : 'off');
  });

  test.each(roles)('%s needs in production what it uses, and no more', (ROLE) => {
    const needs = [...table[ROLE].needs, 'DATABASE_URL', 'ENCRYPTION_KEY', 'TOKEN_KEY'].sort();
    expect(named(refusal({ NODE_ENV: 'production', ROLE }))).toEqual(needs);
    const given = Object.fromEntries(needs.map((name) => [name, production[name as keyof typeof production]]));
    expect(readConfig({ NODE_ENV: 'production', ROLE, ...given }).role).toBe(ROLE);
  });

  test('is all unless it is said', () => {
    expect(readConfig({})).toEqual(readConfig({ ROLE: 'all' }));
  });
});

describe('in production', () => {
  test('the service listens for everybody and requires signatures', () => {
    const config = readConfig(production);
    expect(config).toMatchObject({ production: true, host: '0.0.0.0', signatureRequired: true, dashboardOrigins: [] });
    expect(config).toMatchObject({ opsHost: '127.0.0.1', encryptionKeys: [testKey('1')] });
  });
  test('there are quotas unless they are turned off, and elsewhere there are none', () => {
    expect(readConfig(production).quota).toEqual({
      bytes: 1_073_741_824,
      devices: 100_000,
      signedBytes: 10_737_418_240,
    });
    const none = { bytes: null, devices: null, signedBytes: null };
    const off = { QUOTA_MIB_PER_HOUR: 'off', QUOTA_NEW_DEVICES_PER_HOUR: 'off', QUOTA_SIGNED_MIB_PER_HOUR: 'off' };
    expect(readConfig({ ...production, ...off }).quota).toEqual(none);
    expect(readConfig({}).quota).toEqual(none);
    expect(named(refusal({ ...production, QUOTA_MIB_PER_HOUR: '0' }))).toEqual(['QUOTA_MIB_PER_HOUR']);
    expect(named(refusal({ ...production, QUOTA_MIB_PER_HOUR: '1e3' }))).toEqual(['QUOTA_MIB_PER_HOUR']);
  });
  test('the public port stays open for 5 s after the signal, and closes at once elsewhere', () => {
    expect(readConfig(production).drainDelaySeconds).toBe(5);
    expect(readConfig({ ...production, DRAIN_DELAY_SECONDS: '0' }).drainDelaySeconds).toBe(0);
    expect(readConfig({}).drainDelaySeconds).toBe(0);
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

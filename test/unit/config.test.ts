// The environment: defaults for development, every variable, and what production refuses.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { developmentKeys, readConfig, roles, variableNames } from '../../src/config.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { accountConfig } from '../../src/programs/runProgram.ts';
import { createStoreFinder, readRootCertificates } from '../../src/purchases/storeOpener.ts';
import { testKey } from '../support/keys.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { keyOf, lacking, named, production, refusal } from '../support/refusedConfig.ts';
import { mintChain } from '../tools/demo/fakeStore/certificates.ts';

describe('config', () => {
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
      expect(config).toMatchObject({
        production: true,
        host: '0.0.0.0',
        signatureRequired: true,
        dashboardOrigins: [],
      });
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
      expect(named(refusal({ ...production, DATABASE_URL: 'postgresql://app:app@host/app' }))).toEqual([
        'DATABASE_URL',
      ]);
      expect(named(refusal({ ...production, SMTP_URL: 'smtp://user:password@host:587' }))).toEqual(['SMTP_URL']);
      expect(readConfig({ ...production, DATABASE_URL: 'postgresql:///app?host=/run/postgresql' }).production).toBe(
        true,
      );
    });
  });
});

// Values of the environment that are not usable: every problem in one message, and no value in it.
describe('a value that is not usable', () => {
  test.each([
    ['NODE_ENV', 'staging'],
    ['ROLE', 'both'],
    ['ROLE', 'Ingest'],
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
    ['DRAIN_DELAY_SECONDS', '3601'],
    ['SHUTDOWN_GRACE_SECONDS', '-5'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '10%'],
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

  test.each(['ingest', 'admin', 'api', 'all'])('one port for both listeners is, with ROLE=%s', (ROLE) => {
    expect(named(refusal({ ROLE, PORT: '9000', OPS_PORT: '09000' }))).toEqual(['OPS_PORT']);
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

// The variables that mails add to the configuration.
describe('mailConfig', () => {
  test('defaults: files, and a dashboard on this machine', () => {
    const { smtpUrl, dashboardUrl, mailFrom } = readConfig({});
    expect([smtpUrl, dashboardUrl, mailFrom]).toEqual([undefined, 'http://localhost:8080/admin', 'no-reply@localhost']);
  });

  test('mail comes from the host of the dashboard unless it is said, and links have one slash', () => {
    expect(readConfig({ DASHBOARD_URL: 'https://example.com:8443/app//' })).toMatchObject({
      dashboardUrl: 'https://example.com:8443/app',
      mailFrom: 'no-reply@example.com',
    });
    for (const sender of ['a@b.c', 'Campaigns <a@b.c>', '<a@b.c>', 'Café, Bar <a@b.c>']) {
      expect(readConfig({ MAIL_FROM: sender }).mailFrom).toBe(sender);
    }
  });

  test('production needs a dashboard and a mail server where jobs run', () => {
    const SMTP_URL = 'smtps://user:p%40ss@mail.example.com';
    const withoutMail = { ...productionEnv, DASHBOARD_URL: undefined, SMTP_URL: undefined };
    expect(readConfig({ ...productionEnv, SMTP_URL })).toMatchObject({ smtpUrl: SMTP_URL });
    for (const ROLE of ['all', 'worker']) {
      expect(() => readConfig({ ...withoutMail, ROLE })).toThrow(
        /DASHBOARD_URL: is required in production\n.*SMTP_URL: is required in production/,
      );
    }
    for (const ROLE of ['ingest', 'admin', 'api']) {
      expect(readConfig({ ...withoutMail, ROLE })).toMatchObject({ smtpUrl: undefined });
    }
  });

  test.each([
    ['SMTP_URL', 'mail.example.com:587'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['DASHBOARD_URL', 'dashboard.example.com'],
    ['DASHBOARD_URL', 'javascript:alert(1)'],
    ['DASHBOARD_URL', 'https://dashboard.example.com/?a=b'],
    ['DASHBOARD_URL', 'https://dashboard.example.com/#/app'],
    ['DASHBOARD_URL', 'https://user:secret@dashboard.example.com'],
    ['MAIL_FROM', 'nobody'],
    ['MAIL_FROM', 'Campaigns a@b.c'],
    ['MAIL_FROM', 'a@b.c>'],
    ['MAIL_FROM', 'Campaigns <a@b.c>\r\nBcc: d@e.f'],
  ])('%s=%j is refused without being repeated', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(new RegExp(`\\n  ${name}: `));
    expect(read).not.toThrow(value);
  });
});

// The variables that purchases and jobs add to the configuration.
describe('purchaseConfig', () => {
  test('defaults: all roles, the store itself, ten calls per second', () => {
    expect(readConfig({})).toMatchObject({ role: 'all', storeRootCertificates: [], storeCallsPerSecond: 10 });
    expect(readConfig({}).storeApiUrl).toBeUndefined();
    const given = {
      STORE_ROOT_CERTIFICATES: ' a.pem, b.cer ,',
      STORE_API_URL: 'http://127.0.0.1:9/x/',
      ROLE: 'worker',
    };
    expect(readConfig(given)).toMatchObject({
      role: 'worker',
      storeRootCertificates: ['a.pem', 'b.cer'],
      storeApiUrl: 'http://127.0.0.1:9/x',
    });
  });

  test('another store is refused in production, and wrong values anywhere', () => {
    expect(() => readConfig({ NODE_ENV: 'production', STORE_API_URL: 'https://example.com' })).toThrow(
      'STORE_API_URL: is for tests and refused in production',
    );
    expect(() => readConfig({ STORE_API_URL: 'example.com' })).toThrow('STORE_API_URL');
    expect(() => readConfig({ STORE_CALLS_PER_SECOND: '0' })).toThrow('STORE_CALLS_PER_SECOND');
  });

  test('the stand-in of a demo is looked for outside production only, and only where no other store is configured', () => {
    expect(readConfig({ DATA_DIR: '/data' }).demoStoreFile).toBe('/data/demo-store.json');
    expect(readConfig({ STORE_ROOT_CERTIFICATES: 'a.pem' }).demoStoreFile).toBeUndefined();
    expect(readConfig({ STORE_API_URL: 'http://127.0.0.1:9' }).demoStoreFile).toBeUndefined();
    expect(readConfig(productionEnv).demoStoreFile).toBeUndefined();
  });

  test('root certificates are read from PEM and DER; unusable files refuse the start, and missing ones do not', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-roots-'));
    const file = (name: string, content: string | Buffer) => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const [one, two] = await Promise.all([mintChain(), mintChain()]);
    const der = [one, two].map(({ x5c }) => Buffer.from(x5c[2], 'base64'));
    const both = file('both.pem', `${one.rootPem}\n${two.rootPem}\n`);
    const read = { certificates: [der[0], der[1], der[0]], missing: [] as string[] };
    expect(await readRootCertificates([both, file('one.cer', der[0]!)])).toEqual(read);
    const leaf = file('leaf.cer', Buffer.from(one.x5c[0], 'base64'));
    const missing = path.join(folder, 'missing.pem');
    expect(await readRootCertificates([missing])).toEqual({ certificates: [], missing: [missing] });
    const reading = readRootCertificates([leaf, both, missing, file('text.pem', 'none')]);
    await expect(reading).rejects.toThrow(/^[^\n]+\n.*leaf\.cer.*no certificate authority\n.*text\.pem[^\n]*$/);
    const lines: object[] = [];
    // A log each: one alone would count the second missing file as a repetition of the first.
    const newLog = () => createLog('warn', { write: (line) => void lines.push(JSON.parse(line) as object) });
    const find = (storeRootCertificates: string[]) =>
      createStoreFinder({ storeRootCertificates, storeApiUrl: undefined }, { log: newLog(), findStandIn: null });
    // What a missing root has signed would otherwise be FAILED, for good.
    for (const files of [[both, missing], [missing], []]) expect(await (await find(files))()).toBeNull();
    const text = 'no root certificates of the store: store transactions wait';
    expect(lines).toMatchObject(
      [[missing], [missing], []].map((each) => ({ level: 'warn', missing: each, msg: text })),
    );
    expect(await (await find([both]))()).toMatchObject({ rootCertificates: [der[0], der[1]] });
    rmSync(folder, { recursive: true });
  });
});

// SIGNUP: open outside production, said by name in production; and the settings of the programs that make users.
describe('signupConfig', () => {
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
});

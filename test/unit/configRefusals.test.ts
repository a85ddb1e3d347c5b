// Values of the environment that are not usable: every problem in one message, and no value in it.
import { randomBytes } from 'node:crypto';
import { readConfig } from '../../src/config.ts';
import { keyOf, lacking, named, production, refusal } from '../support/refusedConfig.ts';

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

// The only reader of the environment: each variable, its default and its rule. A test compares .env.example with it.
import path from 'node:path';
import { z } from 'zod';

// Rules of the environment beyond the form of one variable: what production needs and refuses, and the forms of keys and addresses (pure).

/** `api` is the former name of ingest and admin in one process. */
export const roles = ['all', 'ingest', 'admin', 'worker', 'api'] as const;
export type Role = (typeof roles)[number];

/** The parts of the service that a process with this role runs (docs/operating/processes.md). */
export function servedBy(role: Role): Record<'publicApi' | 'adminApi' | 'jobs', boolean> {
  const both = role === 'all' || role === 'api';
  return {
    publicApi: both || role === 'ingest',
    adminApi: both || role === 'admin',
    jobs: role === 'all' || role === 'worker',
  };
}

/** Public on purpose: a checkout starts without set-up, and production refuses to start with these keys. */
export const developmentKeys = {
  ENCRYPTION_KEY: Buffer.from('development-encryption-key-32-by').toString('base64'),
  TOKEN_KEY: Buffer.from('development-token-signing-key-32').toString('base64'),
};

/** Not part of the schema, which stops at the first kind of problem: a malformed port would hide these. */
export function problemsInProduction(given: Given, names: readonly string[]): string[] {
  if (given['NODE_ENV'] !== 'production') return [];
  const { jobs, adminApi } = servedBy(roles.find((role) => role === given['ROLE']) ?? 'all');
  const forJobs = jobs ? ['DASHBOARD_URL', 'SMTP_URL'] : []; // Jobs send the mails.
  const forUsers = adminApi ? ['SIGNUP'] : [];
  const missing = ['DATABASE_URL', 'ENCRYPTION_KEY', 'TOKEN_KEY', ...forUsers, ...forJobs].filter(
    (name) => names.includes(name) && given[name] === undefined,
  );
  return [
    ...missing.map((name) => `${name}: is required in production${explained[name] ?? ''}`),
    ...weakKeys(given),
    ...['DATABASE_URL', 'SMTP_URL'].filter((name) => hasGuessedPassword(given[name])).map(guessedPassword),
    ...(given['STORE_API_URL'] === undefined ? [] : ['STORE_API_URL: is for tests and refused in production']),
  ];
}

export type Given = Record<string, string | undefined>;

const explained: Given = {
  SIGNUP:
    ' (open: everybody may sign up; first: the first user alone; closed: nobody, npm run user:create makes owners)',
};

function weakKeys(given: Given): string[] {
  const names = ['ENCRYPTION_KEY', 'TOKEN_KEY'] as const;
  const problems = names.flatMap((name) => {
    const weak = readKeys(given[name] ?? '').map((key) => weaknessOf(key, readKeys(developmentKeys[name])));
    return weak.filter((problem) => problem !== null).map((problem) => `${name}: ${problem}`);
  });
  const [sealing, signing] = names.map((name) => readKeys(given[name] ?? ''));
  const shared = sealing!.some((key) => signing!.some((other) => other.equals(key)));
  return [...new Set(problems), ...(shared ? ['TOKEN_KEY: must be another key than ENCRYPTION_KEY'] : [])];
}

/** Fewer than one random key of 32 bytes or more in 10^14 has fewer than 16 different bytes, or only printable ones. */
function weaknessOf(key: Buffer, published: Buffer[]): string | null {
  if (published.some((known) => known.equals(key))) return 'is the public development key';
  if (key.length < 32) return null;
  if (new Set(key).size < 16) return 'repeats itself and is not random (openssl rand -base64 32)';
  return key.every((byte) => byte >= 32 && byte < 127) ? 'is a text and not random (openssl rand -base64 32)' : null;
}

/** The password of the examples in .env.example, or the user's name. A URL without a password may be right. */
function hasGuessedPassword(url: string | undefined): boolean {
  const { username, password } = URL.canParse(url ?? '') ? new URL(url!) : { username: '', password: '' };
  return password !== '' && (password === 'password' || password === username);
}

const guessedPassword = (name: string): string => `${name}: its password is that of the examples, or the user's name`;

/** No honest application meets the first two; the third is two million uploads of ten events (openapi.yaml, "Quotas"). */
const quotasOfProduction = {
  QUOTA_MIB_PER_HOUR: 1_024,
  QUOTA_NEW_DEVICES_PER_HOUR: 100_000,
  QUOTA_SIGNED_MIB_PER_HOUR: 10_240,
};

type QuotaVariables = Partial<Record<keyof typeof quotasOfProduction, number | 'off' | undefined>>;

/** Null: no quota. Without a setting there is one in production alone. */
export function quotaOf(
  given: QuotaVariables,
  production: boolean,
): Record<'bytes' | 'devices' | 'signedBytes', number | null> {
  const of = (name: keyof typeof quotasOfProduction): number | null => {
    const value = given[name] ?? (production ? quotasOfProduction[name] : 'off');
    return value === 'off' ? null : value;
  };
  const bytesOf = (mib: number | null): number | null => (mib === null ? null : mib * 1_048_576);
  return {
    bytes: bytesOf(of('QUOTA_MIB_PER_HOUR')),
    devices: of('QUOTA_NEW_DEVICES_PER_HOUR'),
    signedBytes: bytesOf(of('QUOTA_SIGNED_MIB_PER_HOUR')),
  };
}

/** In a browser's own spelling: lower case, no default port, no path, not `*` and not `null`. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export function isMailServer(text: string): boolean {
  try {
    const { protocol, hostname, username, password } = new URL(text);
    decodeURIComponent(username + password); // The mail library decodes both when it sends, and throws then.
    return /^smtps?:$/.test(protocol) && hostname !== '';
  } catch {
    return false;
  }
}

/** Buffer.from skips characters that are not base64. */
export function isBase64(text: string): boolean {
  return text.split(',').every((key) => /^[A-Za-z0-9+/]*={0,2}$/.test(key.trim()));
}

/** As bytes, because base64 can spell one key in several ways. */
export function readKeys(text: string): Buffer[] {
  return text.split(',').flatMap((key) => (key.trim() ? Buffer.from(key, 'base64') : []));
}

/** Digits only: JavaScript's Number also reads a blank as 0, and hexadecimal. */
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most));
const [defaultPort, defaultOpsPort] = [8080, 8081];
const port = (fallback: number) => whole(0, 65_535).default(fallback);
const quota = (most: number) => whole(1, most).or(z.literal('off')).optional();
const count = (fallback: number) => whole(1, 100_000).default(fallback);
/** Comma-separated, so that keys rotate without a pause: the first key encrypts or signs, all keys decrypt or verify. */
function keys(size: string, isRight: (bytes: number) => boolean) {
  const form = `must be ${size} in base64 (openssl rand -base64 32)`;
  return z
    .string()
    .refine(isBase64, form)
    .transform(readKeys)
    .refine((list) => list.every(({ length }) => isRight(length)), form)
    .refine((list) => list.length > 0 && list.length <= 8, 'must be one to eight keys, comma-separated');
}
const senderForm = 'must be an e-mail address, or a name and <an address>';
/** A link is this address followed by a path. */
const webAddress = z
  .url({ protocol: /^https?$/, message: 'must be an http:// or https:// URL' })
  .refine((url) => !/[?#@]/.test(url), 'must have no query, fragment or user');

/** Comma-separated, each origin as browsers send it. */
const origins = z
  .string()
  .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
  .refine((list) => list.every(isOrigin), 'must be origins such as https://dashboard.example.com, comma-separated')
  .default([]);

const variables = {
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  ROLE: z.enum(roles, `must be one of ${roles.join(', ')}`).default('all'),
  PORT: port(defaultPort),
  HOST: z.string().optional(),
  DASHBOARD_ORIGINS: origins,
  SIGNUP: z.enum(['open', 'first', 'closed'], 'must be open, first or closed').optional(),
  TRUSTED_PROXIES: whole(0, 16).default(0),
  OPS_PORT: port(defaultOpsPort),
  OPS_HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, message: 'must be a postgresql:// URL' }).optional(),
  ALLOW_PRODUCTION_DATABASE: z.string().optional(),
  // The job queue keeps one connection for LISTEN. With a pool of one, every other statement would wait without end.
  DATABASE_POOL_SIZE: whole(2, 100_000).default(10),
  DATABASE_TIMEOUT_MILLIS: count(4_000),
  SESSION_SIGNATURE: z.enum(['required', 'optional']).optional(),
  ENCRYPTION_KEY: keys('32 bytes', (bytes) => bytes === 32).optional(),
  TOKEN_KEY: keys('at least 32 bytes', (bytes) => bytes >= 32).optional(),
  DASHBOARD: z.enum(['on', 'off'], 'must be on or off').default('on'),
  DASHBOARD_URL: webAddress.optional(),
  SMTP_URL: z.string().refine(isMailServer, 'must be an smtp:// or smtps:// URL with a host').optional(),
  MAIL_FROM: z
    .string()
    .regex(/^(?:[^\p{Cc}\s<>@]+@[^\p{Cc}\s<>@]+|[^\p{Cc}<>@]*<[^\p{Cc}\s<>@]+@[^\p{Cc}\s<>@]+>)$/u, senderForm)
    .optional(),
  STORE_ROOT_CERTIFICATES: z.string().optional(),
  STORE_CALLS_PER_SECOND: count(10),
  STORE_API_URL: z.url({ protocol: /^https?$/, message: 'must be an http:// or https:// URL' }).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  INGEST_QUEUE_UPLOADS: count(200),
  QUOTA_MIB_PER_HOUR: quota(1_048_576),
  QUOTA_NEW_DEVICES_PER_HOUR: quota(999_999_999),
  QUOTA_SIGNED_MIB_PER_HOUR: quota(1_048_576),
  EVENT_RETENTION_DAYS: whole(1, 36_500).optional(),
  ANALYTICS: z.enum(['embedded', 'database', 'off'], 'must be embedded, database or off').default('embedded'),
  ANALYTICS_DIR: z.string().optional(),
  ANALYTICS_MEMORY_MIB: whole(64, 1_048_576).default(512),
  DRAIN_DELAY_SECONDS: whole(0, 3_600).optional(),
  SHUTDOWN_GRACE_SECONDS: count(20),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.optional(),
  OTEL_SERVICE_NAME: z.string().default('campaign-analytics-backend'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1, such as 0.01')
    .transform(Number)
    .default(1),
};

export type Setting = keyof typeof variables;
export const variableNames = Object.keys(variables) as Setting[];

export type KeyRing = [current: Buffer, ...older: Buffer[]];
export type Config = ReturnType<typeof readConfig>;

/**
 * Pure. An empty variable counts as unset. Throws one error that lists every problem and quotes no value. A program that
 * uses a few settings names them: it reads and requires no others.
 */
export function readConfig(env: Given, names: readonly Setting[] = variableNames) {
  const given: Given = Object.fromEntries(names.map((name) => [name, env[name] || undefined]));
  const parsed = z.object(variables).safeParse(given);
  const malformed = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  const problems = [...malformed, ...samePorts(given), ...problemsInProduction(given, names)];
  if (!parsed.success || problems.length > 0) {
    throw new Error(`The environment is not usable:\n  ${problems.join('\n  ')}\nSee .env.example.`);
  }
  const { NODE_ENV, ...values } = parsed.data;
  return configOf(values, NODE_ENV === 'production');
}

type Values = Omit<z.infer<z.ZodObject<typeof variables>>, 'NODE_ENV'>;

function configOf(values: Values, production: boolean) {
  return {
    production,
    role: values.ROLE,
    /** What this process does. */
    serves: servedBy(values.ROLE),
    port: values.PORT,
    host: values.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    /** The other origins from which browsers may call the admin API. */
    dashboardOrigins: production ? values.DASHBOARD_ORIGINS : withDevelopmentOrigins(values),
    /** Whether the public listener serves the built dashboard below /admin/. */
    servesDashboard: values.DASHBOARD === 'on',
    /** Who may sign up. In production the operator decides. */
    signup: values.SIGNUP ?? 'open',
    /** The number of own proxies in front. Each adds to X-Forwarded-For, and attempts are counted by address. */
    trustedProxies: values.TRUSTED_PROXIES,
    opsPort: values.OPS_PORT,
    opsHost: values.OPS_HOST,
    dataDir: values.DATA_DIR,
    /** Undefined only outside production: the service then starts an embedded PostgreSQL in `dataDir`. */
    databaseUrl: values.DATABASE_URL,
    /** The name of the production database that this process may use outside production. */
    allowedProduction: values.ALLOW_PRODUCTION_DATABASE,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databaseTimeoutMillis: values.DATABASE_TIMEOUT_MILLIS,
    signatureRequired: (values.SESSION_SIGNATURE ?? (production ? 'required' : 'optional')) === 'required',
    /** The first key is in use. The others only decrypt or verify values made under them. */
    encryptionKeys: (values.ENCRYPTION_KEY ?? readKeys(developmentKeys.ENCRYPTION_KEY)) as KeyRing,
    tokenKeys: (values.TOKEN_KEY ?? readKeys(developmentKeys.TOKEN_KEY)) as KeyRing,
    ...mailOf(values),
    logLevel: values.LOG_LEVEL,
    ...storageOf(values, production),
    ...analyticsOf(values),
    ...endOf(values, production),
    tracing: tracingOf(values),
    ...storeOf(values, production),
  };
}

function storageOf(values: Values, production: boolean) {
  return {
    ingestQueueUploads: values.INGEST_QUEUE_UPLOADS,
    /** In an hour, for unsigned requests of unknown devices. */
    quota: quotaOf(values, production),
    /** Undefined: events, attribution and transactions without a result are kept without a limit. */
    eventRetentionDays: values.EVENT_RETENTION_DAYS,
  };
}

function endOf(values: Values, production: boolean) {
  return {
    /** How long the public port stays open after the signal. Outside production nobody waits for a proxy. */
    drainDelaySeconds: values.DRAIN_DELAY_SECONDS ?? (production ? 5 : 0),
    shutdownGraceSeconds: values.SHUTDOWN_GRACE_SECONDS,
  };
}

function analyticsOf(values: Values) {
  return {
    /** What serves the reads of src/analytics, which the admin API alone asks. */
    analytics: servedBy(values.ROLE).adminApi ? values.ANALYTICS : ('off' as const),
    analyticsDir: values.ANALYTICS_DIR ?? path.join(values.DATA_DIR, 'analytics'),
    analyticsMemoryMib: values.ANALYTICS_MEMORY_MIB,
  };
}

/** Undefined: no traces. The SDK itself reads OpenTelemetry's other variables of the exporter and of the resource. */
function tracingOf(values: Values) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler } = values;
  if (endpoint === undefined) return undefined;
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    serviceName: values.OTEL_SERVICE_NAME,
    sampler,
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
  };
}

/** Without a setting, outside production, the dashboard that this process serves. */
const dashboardUrlOf = ({ DASHBOARD_URL, PORT }: Values): string => DASHBOARD_URL ?? `http://localhost:${PORT}/admin`;

function mailOf(values: Values) {
  const { SMTP_URL, MAIL_FROM } = values;
  const url = dashboardUrlOf(values);
  return {
    /** The dashboard's address, without a slash at its end. Links in mails use it, and no value from a request. */
    dashboardUrl: url.replace(/\/+$/, ''),
    /** Undefined only outside production, or where no jobs run: mails are then files in `dataDir`. */
    smtpUrl: SMTP_URL,
    mailFrom: MAIL_FROM ?? `no-reply@${new URL(url).hostname}`,
  };
}

/** Where a dashboard in development is served: the configured address, and the default of a common build tool. */
function withDevelopmentOrigins(values: Values): string[] {
  const own = new URL(dashboardUrlOf(values)).origin;
  return [...new Set([...values.DASHBOARD_ORIGINS, own, 'http://localhost:5173'])];
}

function storeOf(values: Values, production: boolean) {
  const { STORE_ROOT_CERTIFICATES, STORE_API_URL, STORE_CALLS_PER_SECOND, DATA_DIR } = values;
  const mayStandIn = !production && STORE_ROOT_CERTIFICATES === undefined && STORE_API_URL === undefined;
  return {
    /** Files, PEM or DER. Without one no purchase can be verified, and all purchases wait. */
    storeRootCertificates: (STORE_ROOT_CERTIFICATES ?? '').split(',').flatMap((file) => file.trim() || []),
    /** A stand-in for the store, outside production. Its environments are below `/production` and `/sandbox`. */
    storeApiUrl: STORE_API_URL?.replace(/\/+$/, ''),
    storeCallsPerSecond: STORE_CALLS_PER_SECOND,
    /** The file by which `npm run demo` announces its store. None in production, or where a store is configured. */
    demoStoreFile: mayStandIn ? path.join(DATA_DIR, 'demo-store.json') : undefined,
  };
}

/** Port 0 is any free port, a different one each time. A worker has no public port; an unknown role is refused anyway. */
function samePorts({ ROLE, PORT = String(defaultPort), OPS_PORT = String(defaultOpsPort) }: Given): string[] {
  const [port, opsPort] = [PORT, OPS_PORT].map((text) => text.replace(/^0+/, ''));
  const isPort = /^\d+$/.test(port!) && ROLE !== 'worker';
  return isPort && port === opsPort ? ['OPS_PORT: must be another port than PORT'] : [];
}

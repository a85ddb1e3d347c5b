// The only reader of the environment: every variable, its default and its rule; .env.example is held to this list by a test.
import path from 'node:path';
import { z } from 'zod';

/** Public on purpose: they let a checkout start without set-up, and production refuses to start with them. */
export const developmentKeys = {
  ENCRYPTION_KEY: Buffer.from('development-encryption-key-32-by').toString('base64'),
  TOKEN_KEY: Buffer.from('development-token-signing-key-32').toString('base64'),
};

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);
const count = (fallback: number) => z.coerce.number().int().min(1).max(100_000).default(fallback);
const key = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64 (openssl rand -base64 32)')
  .transform((text) => Buffer.from(text, 'base64'));
const senderForm = 'must be an e-mail address, or a name and <an address>';
/** Links are made by adding a path to it. */
const webAddress = z
  .url({ protocol: /^https?$/, message: 'must be an http:// or https:// URL' })
  .refine((url) => !/[?#@]/.test(url), 'must have no query, fragment or user');

/** Comma-separated, each written as browsers send it. */
const origins = z
  .string()
  .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
  .refine((list) => list.every(isOrigin), 'must be origins such as https://dashboard.example.com, comma-separated')
  .default([]);

const variables = {
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  PORT: port(8080),
  HOST: z.string().optional(),
  DASHBOARD_ORIGINS: origins,
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(16).default(0),
  OPS_PORT: port(8081),
  OPS_HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, message: 'must be a postgresql:// URL' }).optional(),
  DATABASE_POOL_SIZE: count(10),
  DATABASE_TIMEOUT_MILLIS: count(4_000),
  SESSION_SIGNATURE: z.enum(['required', 'optional']).optional(),
  ENCRYPTION_KEY: key.optional(),
  TOKEN_KEY: key.optional(),
  DASHBOARD_URL: webAddress.default('http://localhost:3000'),
  SMTP_URL: z.url({ protocol: /^smtps?$/, message: 'must be an smtp:// or smtps:// URL' }).optional(),
  MAIL_FROM: z
    .string()
    .regex(/^(?:[^\p{Cc}\s<>@]+@[^\p{Cc}\s<>@]+|[^\p{Cc}<>@]*<[^\p{Cc}\s<>@]+@[^\p{Cc}\s<>@]+>)$/u, senderForm)
    .optional(),
  STORE_ROOT_CERTIFICATES: z.string().optional(),
  STORE_CALLS_PER_SECOND: count(10),
  STORE_API_URL: z.url({ protocol: /^https?$/, message: 'must be an http:// or https:// URL' }).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  INGEST_QUEUE_UPLOADS: count(512),
  EVENT_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  SHUTDOWN_GRACE_SECONDS: count(20),
};

export const variableNames = Object.keys(variables) as (keyof typeof variables)[];

export type Config = ReturnType<typeof readConfig>;

/** Pure. An empty variable counts as unset. Throws one error that lists every problem, without repeating a value. */
export function readConfig(env: Record<string, string | undefined>) {
  const given = Object.fromEntries(variableNames.map((name) => [name, env[name] || undefined]));
  const parsed = z.object(variables).safeParse(given);
  const malformed = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  const problems = [...malformed, ...missingInProduction(given)];
  if (!parsed.success || problems.length > 0) {
    throw new Error(`The environment is not usable:\n  ${problems.join('\n  ')}\nSee .env.example.`);
  }
  const { NODE_ENV, ...values } = parsed.data;
  const production = NODE_ENV === 'production';
  return {
    production,
    /** What this process does: answers requests, runs jobs, or both. */
    role: values.ROLE,
    port: values.PORT,
    host: values.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    /** From which other origins browsers may call the admin API. */
    dashboardOrigins: values.DASHBOARD_ORIGINS,
    /** How many proxies of ours stand before the service, each adding to X-Forwarded-For; attempts are counted by address. */
    trustedProxies: values.TRUSTED_PROXIES,
    opsPort: values.OPS_PORT,
    opsHost: values.OPS_HOST,
    dataDir: values.DATA_DIR,
    /** Absent only outside production: then an embedded PostgreSQL in `dataDir` is started. */
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    databaseTimeoutMillis: values.DATABASE_TIMEOUT_MILLIS,
    signatureRequired: (values.SESSION_SIGNATURE ?? (production ? 'required' : 'optional')) === 'required',
    encryptionKey: values.ENCRYPTION_KEY ?? Buffer.from(developmentKeys.ENCRYPTION_KEY, 'base64'),
    tokenKey: values.TOKEN_KEY ?? Buffer.from(developmentKeys.TOKEN_KEY, 'base64'),
    ...mailOf(values),
    logLevel: values.LOG_LEVEL,
    ingestQueueUploads: values.INGEST_QUEUE_UPLOADS,
    /** Absent: events are kept for ever. */
    eventRetentionDays: values.EVENT_RETENTION_DAYS,
    shutdownGraceSeconds: values.SHUTDOWN_GRACE_SECONDS,
    ...storeOf(values, production),
  };
}

type Values = Omit<z.infer<z.ZodObject<typeof variables>>, 'NODE_ENV'>;

function mailOf({ DASHBOARD_URL, SMTP_URL, MAIL_FROM }: Values) {
  return {
    /** Where the dashboard is, without a slash at its end: links in mails lead there, whatever a request says. */
    dashboardUrl: DASHBOARD_URL.replace(/\/+$/, ''),
    /** Absent only outside production, or where no jobs run: then mails are files in `dataDir`. */
    smtpUrl: SMTP_URL,
    mailFrom: MAIL_FROM ?? `no-reply@${new URL(DASHBOARD_URL).hostname}`,
  };
}

function storeOf(values: Values, production: boolean) {
  const { STORE_ROOT_CERTIFICATES, STORE_API_URL, STORE_CALLS_PER_SECOND, DATA_DIR } = values;
  const mayStandIn = !production && STORE_ROOT_CERTIFICATES === undefined && STORE_API_URL === undefined;
  return {
    /** Files, PEM or DER; without one no purchase can be verified, and all of them wait. */
    storeRootCertificates: (STORE_ROOT_CERTIFICATES ?? '').split(',').flatMap((file) => file.trim() || []),
    /** A stand-in for the store, outside production: its environments are below `/production` and `/sandbox`. */
    storeApiUrl: STORE_API_URL?.replace(/\/+$/, ''),
    storeCallsPerSecond: STORE_CALLS_PER_SECOND,
    /** In which `npm run demo` announces its stand-in: none in production, nor where another store is configured. */
    demoStoreFile: mayStandIn ? path.join(DATA_DIR, 'demo-store.json') : undefined,
  };
}

/** Beside the schema, which stops at the first kind of problem and would hide these behind a malformed port. */
function missingInProduction(given: Record<string, string | undefined>): string[] {
  if (given['NODE_ENV'] !== 'production') return [];
  // Mail is sent by jobs.
  const forJobs = given['ROLE'] === 'api' ? [] : ['DASHBOARD_URL', 'SMTP_URL'];
  const missing = ['DATABASE_URL', 'ENCRYPTION_KEY', 'TOKEN_KEY', ...forJobs].filter(
    (name) => given[name] === undefined,
  );
  const published = (['ENCRYPTION_KEY', 'TOKEN_KEY'] as const).filter((name) =>
    isSameKey(given[name], developmentKeys[name]),
  );
  return [
    ...missing.map((name) => `${name}: is required in production`),
    ...published.map((name) => `${name}: is the public development key`),
    ...(given['STORE_API_URL'] === undefined ? [] : ['STORE_API_URL: is for tests and refused in production']),
  ];
}

/** In the one spelling that a browser has for it: lower case, no default port, no path, not `*` and not `null`. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** By bytes: base64 can write one key in several ways. */
function isSameKey(given: string | undefined, key: string): boolean {
  return given !== undefined && Buffer.from(given, 'base64').equals(Buffer.from(key, 'base64'));
}

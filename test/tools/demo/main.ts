// `npm run demo`: simulates devices with the reference SDK against a running service, and compares their numbers.
import { readConfig, type Config } from '../../../src/config.ts';
import { demoLogin } from '../../../src/accounts/signupPolicy.ts';
import { reportFailure } from '../../../src/platform/commandLine.ts';
import { AdminRefusal, logIn, type AdminApi, type Login } from './adminApi.ts';
import { announce } from './fakeStore/announcement.ts';
import { startFakeStore } from './fakeStore/fakeStore.ts';
import { readOptions, UsageError } from './options.ts';
import { requireService } from './preflight.ts';
import { disagreements, report } from './report.ts';
import { run } from './run.ts';

/** Returns the exit code. */
async function demo(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = readOptions(args);
  if (!options) return 0;
  const config = readConfig(env);
  const storeFile = demoStoreFile(config);
  const baseUrl = options.baseUrl ?? `http://127.0.0.1:${config.port}`;
  await requireService(baseUrl);
  const admin = await logInTo(baseUrl, options.login ?? demoLogin);
  const store = await startFakeStore();
  await announce(storeFile, store);
  const findings = await run({ ...options, admin, store, config, baseUrl, output: process.stdout });
  process.stdout.write(report(findings));
  return disagreements(findings).length === 0 ? 0 : 1;
}

function demoStoreFile({ production, demoStoreFile: file }: Config): string {
  if (production) throw new UsageError('The demo brings a fake store, which a service in production never asks.');
  if (file !== undefined) return file;
  throw new UsageError(
    'The demo brings a store of its own: start it and the service without STORE_API_URL and STORE_ROOT_CERTIFICATES.',
  );
}

async function logInTo(baseUrl: string, login: Login): Promise<AdminApi> {
  try {
    return await logIn(baseUrl, login);
  } catch (error) {
    if (!(error instanceof AdminRefusal)) throw error;
    throw new UsageError(`${login.email} cannot log in. ${error.message}`);
  }
}

// An exit removes the file that announces the fake store. A signal alone would leave it.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

// An exit here too: open connections would keep the process alive for minutes.
try {
  process.exit(await demo(process.argv.slice(2), process.env));
} catch (error) {
  reportFailure(error);
  if (error instanceof UsageError) process.stderr.write('See npm run demo -- --help\n');
  process.exit();
}

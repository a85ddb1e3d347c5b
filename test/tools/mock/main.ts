// `npm run mock`: serves both contracts without a database, for teams that build an SDK or a dashboard.
import { readCommandLine, reportFailure } from '../../../src/platform/commandLine.ts';
import { listen } from '../../../src/platform/httpServer/httpServer.ts';
import { sampleCommand } from '../../../src/development/welcome.ts';
import { runJudge } from '../judge/runJudge.ts';
import { createMockService } from './mockService.ts';
import { usageOf } from '../usage.ts';

const key = { public: 'pk_mock', secret: 'sk_mock_not_a_secret' };

const usage = usageOf('test/tools/mock');

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const ofJudge = { judge: flag, seconds: text, slow: text, report: text };

try {
  const values = readCommandLine(usage, { port: text, host: text, 'optional-signature': flag, ...ofJudge });
  if (values !== null) await work(values);
} catch (error) {
  reportFailure(error);
}

type Values = Partial<Record<'port' | 'host' | 'seconds' | 'slow' | 'report', string>> &
  Partial<Record<'judge' | 'optional-signature', boolean>>;

async function work(values: Values): Promise<void> {
  const place = { port: Number(values.port ?? 8090), host: values.host ?? '127.0.0.1' };
  const times = { seconds: Number(values.seconds ?? 900), slowSeconds: Number(values.slow ?? 35) };
  if (values.judge) process.exit(await runJudge({ key, ...place, ...times, report: values.report ?? null }));
  else await serve(place.port, place.host, !values['optional-signature']);
}

async function serve(port: number, host: string, signed: boolean): Promise<void> {
  const { url, drain } = await listen(await createMockService(key, signed), { port, host });
  const demo = { application: { id: '', name: 'mock' }, key, login: { email: '', password: '' } };
  process.stdout.write(`
Mock of the campaign and analytics backend
  Base URL    ${url}
  Admin API   ${url}/admin/graphql/  (any bearer token acts as owner; the name of a role acts as that role)
  public key  ${key.public}
  secret key  ${key.secret}

Try it${signed ? ' (signed: valid for 24 hours)' : ''}:

${sampleCommand({ url, demo, signed, now: new Date() })}

`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void drain(1_000).then(() => process.exit(0)));
}

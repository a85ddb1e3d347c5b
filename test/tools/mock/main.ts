// `npm run mock`: serves both contracts without a database, for teams that build an SDK or a dashboard.
import { readCommandLine, reportFailure } from '../../../src/platform/commandLine.ts';
import { listen } from '../../../src/platform/httpServer/httpServer.ts';
import { sampleCommand } from '../../../src/development/welcome.ts';
import { runJudge } from '../judge/runJudge.ts';
import { faultNames } from './faults.ts';
import { createMockService } from './mockService.ts';

const key = { public: 'pk_mock', secret: 'sk_mock_not_a_secret' };

const usage = `Usage: npm run mock -- [options]

Serves openapi.yaml and schema.graphql from their examples, with the checks of the service: keys, signatures, limits,
schemas, access, inputs. Nothing is stored, so errors that depend on stored data (NOT_FOUND, CONFLICT) never occur.

  --port <n>            8090; 0 takes a free one
  --host <address>      127.0.0.1
  --optional-signature  accepts unsigned uploads, too
  --judge               judges an SDK instead: see docs/sdk/judge.md
  --seconds <n>         900; the judge ends after this time
  --slow <n>            35; seconds of the judge's slow response, longer than the timeout of the SDK
  --report <file>       the judge writes its recording and its table there, as JSON

The request header X-Mock-Fault scripts faults. With "503, cut, none" the first request with this header gets a 503, the
response to the second is cut, and all later requests are served. Faults: ${faultNames.join(', ')}.
503 has Retry-After. 422 names the first event, 422-json the byte offset of a body that is not JSON. 403 says that the clock is wrong, also when it is right. cut does the work and loses the response.
slow waits 10 s. Add ";run=<anything>" to start the same script again.
`;

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

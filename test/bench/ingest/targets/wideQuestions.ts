// (W) The service, while ten clients of one user ask for all events of a device under twelve aliases.
import type { SessionReport } from '../uploads.ts';
import { uploadSource } from '../uploads.ts';
import { postAdmin } from '../../../support/adminClient.ts';
import type { TestApplication } from '../../../support/testWorkspace.ts';
import { signUp } from './dashboards.ts';
import { startApart, type ServiceOptions } from './serviceTarget.ts';
import type { Target } from './target.ts';

const clients = 10;
const aliases = 12;
const sessions = 30;
const eventsPerSession = 50;
/** Twelve times all events are 18,360 objects and almost 16 MiB. */
const paramLength = 600;

export async function startWithWideQuestions(
  options: ServiceOptions,
  { application, say }: { application: TestApplication; say: (line: string) => void },
): Promise<Target> {
  const target = await startApart(options);
  try {
    const { adminUrl: url } = target;
    const report = longReport();
    await send(target.urls[0]!, application, report);
    const token = await signUp(url, options.databaseUrl, application.id);
    const device = `device(applicationId: "${application.id}", id: "${report.device.id}")`;
    const lists = Array.from({ length: aliases }, (_, at) => {
      return `a${at}: sessions(limit: 200) { id startedAt events { id name type timestamp receivedAt params } }`;
    });
    const query = `{ ${device} { ${lists.join(' ')} } }`;
    return { ...target, during: () => askOnAndOn({ url, token, query, say }) };
  } catch (error) {
    await target.stop();
    throw error;
  }
}

function longReport(): SessionReport {
  const shape = { name: 'wide', sessions, eventsPerSession, flushes: 1 };
  const report = uploadSource(shape, { seed: 1, name: 'wide' }).next();
  const params = [{ name: 'text', value: 'x'.repeat(paramLength) }];
  const long = report.sessions.map((session) => {
    return { ...session, events: session.events?.map((event) => ({ ...event, params })) };
  });
  return { ...report, device: { ...report.device, id: 'wide' }, sessions: long };
}

async function send(url: string, { key }: TestApplication, report: SessionReport): Promise<void> {
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key.public },
    body: JSON.stringify(report),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

interface Asking {
  url: string;
  token: string;
  query: string;
  say: (line: string) => void;
}

/** Each client asks again when it has the response. Returns what ends them. */
function askOnAndOn({ url, token, query, say }: Asking): () => Promise<void> {
  const gone = new AbortController();
  let [count, bytes, refused] = [0, 0, 0];
  const client = async (): Promise<void> => {
    while (!gone.signal.aborted) {
      const response = await postAdmin(url, { token, query }, gone.signal);
      const body = await response.arrayBuffer();
      if (body.byteLength < 1_000_000) refused += 1;
      count += 1;
      bytes += body.byteLength;
    }
  };
  const begun = performance.now();
  const all = Promise.all(Array.from({ length: clients }, client));
  all.catch(() => undefined);
  return async () => {
    const seconds = (performance.now() - begun) / 1_000;
    gone.abort();
    await all.catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
    const mebibytes = count === 0 ? 0 : bytes / count / 1_048_576;
    say(`wide questions: ${(count / seconds).toFixed(2)} a second of ${mebibytes.toFixed(1)} MiB, ${refused} short`);
  };
}

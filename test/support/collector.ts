// A stand-in for a collector: an HTTP server that reads spans as OTLP in JSON, or refuses them, or never responds.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { samplerOf, type TracingSettings } from '../../src/platform/observability/tracing/sdkTracing.ts';
import type { Tracing } from '../../src/platform/observability/tracing/tracing.ts';
import { eventually } from './eventually.ts';

export interface CollectedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  failed: boolean;
}

export interface Collector {
  url: string;
  settings(change?: Partial<Parameters<typeof samplerOf>[0]>): TracingSettings;
  spans(): CollectedSpan[];
  /** All that came, headers included. */
  text(): string;
  resource(): Record<string, unknown>;
  requests(): number;
  behave(how: 'take' | 'refuse' | 'hang'): void;
  stop(): Promise<void>;
}

interface AnyValue {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
  doubleValue?: number;
  arrayValue?: { values: AnyValue[] };
}
type KeyValues = { key: string; value: AnyValue }[];
interface SentSpan extends Omit<CollectedSpan, 'attributes' | 'links' | 'failed'> {
  attributes: KeyValues;
  links?: CollectedSpan['links'];
  status?: { code?: number };
}
interface Sent {
  resourceSpans: { resource: { attributes: KeyValues }; scopeSpans: { spans: SentSpan[] }[] }[];
}

export async function startCollector(): Promise<Collector> {
  let how: 'take' | 'refuse' | 'hang' = 'take';
  let [requests, all] = [0, ''];
  const sent: Sent[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    const body = await text(request);
    if (how === 'hang') return;
    if (how === 'take') {
      all += headersOf(request) + body;
      sent.push(JSON.parse(body) as Sent);
    }
    response.writeHead(how === 'take' ? 200 : 400, { 'Content-Type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void receive(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const groups = () => sent.flatMap(({ resourceSpans }) => resourceSpans);
  return {
    url,
    settings: (change) => ({
      url: `${url}/v1/traces`,
      serviceName: 'tried',
      sampler: 'parentbased_always_on',
      ratio: 1,
      ...change,
    }),
    spans: () => groups().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(collected))),
    text: () => all,
    resource: () => record(groups()[0]?.resource.attributes ?? []),
    requests: () => requests,
    behave: (next) => void (how = next),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Closes, and waits for the last spans: on a busy machine they are under way for longer than the close waits for them. */
export async function closeTracing(tracing: Tracing): Promise<void> {
  const { ended } = tracing.counts();
  await tracing.close();
  await eventually(
    async () => tracing.counts(),
    ({ sent, lost }) => sent + lost >= ended,
  );
}

const headersOf = ({ method, url, rawHeaders }: IncomingMessage): string =>
  `${method} ${url} ${rawHeaders.join(' ')}\n`;

function collected({ attributes, links = [], status, ...span }: SentSpan): CollectedSpan {
  return {
    ...span,
    attributes: record(attributes),
    links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    failed: status?.code === 2,
  };
}

const record = (attributes: KeyValues) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)])) as Record<string, unknown>;

function valueOf({ stringValue, intValue, boolValue, doubleValue, arrayValue }: AnyValue): unknown {
  if (arrayValue) return arrayValue.values.map(valueOf);
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
}

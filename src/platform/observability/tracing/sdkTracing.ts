// Tracing by the SDK of OpenTelemetry. A process loads this file only where a collector is configured.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type Context, type Link, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { version } from '../../projectRoot.ts';
import { type Log, loggedError } from '../log.ts';
import type { Attributes, OpenSpan, SpanCounts, SpanStart, Tracing } from './tracing.ts';

const closeMillis = 3_000;
const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** The SDK's global state stays untouched: no library of the service can add spans of its own. */
export function createTracing(settings: TracingSettings, log: Log): Tracing {
  const counts: SpanCounts = { ended: 0, sent: 0, lost: 0 };
  const exporter = watchedExporter(new OTLPTraceExporter({ url: settings.url }), { log, counts });
  const provider = new TracerProvider({
    resource: resourceOf(settings),
    sampler: samplerOf(settings),
    spanLimits: { attributeValueLengthLimit: 2_000 },
    spanProcessors: [new BatchSpanProcessor({ exporter }), counting(counts)],
  });
  const tracer = provider.getTracer('campaign-analytics-backend', version);
  const running = new AsyncLocalStorage<SdkSpan | null>();
  const start = ({ name, kind, parent, attributes, links = [] }: SpanStart): SdkSpan => {
    const options = { kind: kinds[kind], attributes, links: links.map(linkTo) };
    return new SdkSpan(tracer.startSpan(name, options, contextOf(parent)));
  };
  return {
    lineFields: () => running.getStore()?.lineFields,
    current: () => running.getStore()?.recording ?? null,
    start,
    begin(begun, work) {
      const span = start(begun);
      return running.run(span, () => work(span));
    },
    outside: (work) => running.run(null, work),
    counts: () => counts,
    close: () => atMost(closeMillis, provider.shutdown()),
  };
}

/** Resolves when `work` has ended in any way, and after this time in any case. */
function atMost(millis: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    work.then(end, end);
  });
}

class SdkSpan implements OpenSpan {
  readonly span: Span;
  /** Timers and connections that a request has made keep its span for as long as they live. */
  #open = true;

  constructor(span: Span) {
    this.span = span;
  }

  /** Itself, while it is open and the sampler keeps it. */
  get recording(): SdkSpan | null {
    return this.#open && this.span.isRecording() ? this : null;
  }

  /** Also where the sampler has left the span out: the caller's trace may have been kept elsewhere. */
  get lineFields(): { trace_id: string; span_id: string } | undefined {
    if (!this.#open) return undefined;
    const { traceId, spanId } = this.span.spanContext();
    return { trace_id: traceId, span_id: spanId };
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  link(other: OpenSpan): void {
    this.span.addLink(linkTo(other));
  }

  end(failure?: unknown): void {
    if (!this.#open) return;
    this.#open = false;
    if (failure !== undefined) this.#fail(failure);
    this.span.end();
  }

  /** Not the message of an error: it may quote a value. The log has it without values, under the same trace id. */
  #fail(failure: unknown): void {
    const { code, type } = typeof failure === 'string' ? { code: failure } : loggedError(failure);
    this.set({ 'error.type': code ?? type });
    // A client that has gone is no failure of the service.
    if (failure !== 'client_gone') this.span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

const linkTo = (other: OpenSpan): Link => ({ context: (other as SdkSpan).span.spanContext() });

/** Only `traceparent` is taken in. `tracestate` is free text of the caller, which spans would pass on. */
function contextOf(parent: SpanStart['parent']): Context {
  if (parent === null) return ROOT_CONTEXT;
  if (typeof parent !== 'string') return trace.setSpan(ROOT_CONTEXT, (parent as SdkSpan).span);
  const sent = parseTraceParent(parent);
  return sent ? trace.setSpanContext(ROOT_CONTEXT, { ...sent, isRemote: true }) : ROOT_CONTEXT;
}

function counting(counts: SpanCounts): SpanProcessor {
  return {
    onStart: () => undefined,
    onEnd: () => void (counts.ended += 1),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
}

// What the SDK is told: which spans it keeps, and what it says of this process.

export interface TracingSettings {
  /** Where spans are posted. */
  url: string;
  serviceName: string;
  /** As OpenTelemetry's specification of the environment names them. */
  sampler: `${'parentbased_' | ''}${'always_on' | 'always_off' | 'traceidratio'}`;
  /** The part of traces that a sampler by ratio keeps, from 0 to 1. */
  ratio: number;
}

export function samplerOf({ sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>): Sampler {
  const root = rootSampler(sampler, ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(sampler: TracingSettings['sampler'], ratio: number): Sampler {
  if (sampler.endsWith('always_on')) return new AlwaysOnSampler();
  return sampler.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

/** The operator's OTEL_RESOURCE_ATTRIBUTES, which the SDK reads itself, come last: they may replace ours. */
export function resourceOf({ serviceName }: Pick<TracingSettings, 'serviceName'>): Resource {
  const ours = {
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
  };
  return defaultResource()
    .merge(resourceFromAttributes(ours))
    .merge(detectResources({ detectors: [envDetector] }));
}

// Sends spans through another exporter, counts them, and says so in the log when the collector is away: rarely, and once when it is back.

const quietMillis = 60_000;

export interface Watch {
  log: Log;
  counts: SpanCounts;
  /** In milliseconds, and never back. */
  now?: () => number;
}

/** A dead collector costs one line at its begin and one a minute. Spans that failed are not sent again. */
export function watchedExporter(exporter: SpanExporter, watch: Watch): SpanExporter {
  const { log, counts, now = () => performance.now() } = watch;
  /** Null while the collector takes spans. */
  let outage: { quietUntil: number; lost: number } | null = null;
  const failed = (spans: number, error: Error | undefined): void => {
    counts.lost += spans;
    outage ??= { quietUntil: -Infinity, lost: 0 };
    outage.lost += spans;
    if (now() < outage.quietUntil) return;
    outage.quietUntil = now() + quietMillis;
    log.warn({ err: error, lost: outage.lost }, 'spans could not be sent to the collector');
  };
  const succeeded = (spans: number): void => {
    counts.sent += spans;
    if (outage) log.info({ lost: outage.lost }, 'the collector takes spans again');
    outage = null;
  };
  return {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) succeeded(spans.length);
        else failed(spans.length, result.error);
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

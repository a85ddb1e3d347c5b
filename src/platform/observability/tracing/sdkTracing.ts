// Tracing by the SDK of OpenTelemetry. A process loads this file only where a collector is configured.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Link, type Span } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace';
import { version } from '../../version.ts';
import type { Log } from '../log.ts';
import { loggedError } from '../loggedError.ts';
import { resourceOf, samplerOf, type TracingSettings } from './sdkSettings.ts';
import type { Attributes, OpenSpan, SpanCounts, SpanStart, Tracing } from './tracing.ts';
import { watchedExporter } from './watchedExporter.ts';

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

// Traces as the rest of the service sees them: spans, without the SDK of OpenTelemetry: sdkTracing.ts and watchedExporter.ts import it.

/** No value is of a request or of a row: docs/operating/traces.md, "What a span holds". */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'consumer' | 'internal';
  /** A span, or the header `traceparent` of a request. Null, or a header that is not valid: the span begins a trace. */
  parent: OpenSpan | string | null;
  attributes?: Attributes;
  links?: readonly OpenSpan[];
}

export interface OpenSpan {
  set(attributes: Attributes): void;
  link(other: OpenSpan): void;
  /** With what was thrown, or with the name of a failure. Only the first call counts. */
  end(failure?: unknown): void;
}

/** How many spans ended, and what became of those that left the process. The queue drops spans when it is full. */
export interface SpanCounts {
  ended: number;
  sent: number;
  lost: number;
}

export interface Tracing {
  /** The ids for a log line that is written now; undefined outside every span. */
  lineFields(): { trace_id: string; span_id: string } | undefined;
  /** The span whose work runs now. Null after its end, where the sampler has left it out, and outside every span. */
  current(): OpenSpan | null;
  /** A span without work of its own: `current` does not give it. */
  start(start: SpanStart): OpenSpan;
  /** `work` and what it awaits belong to a new span, which the caller ends. */
  begin<Result>(start: SpanStart, work: (span: OpenSpan) => Result): Result;
  /** `work` belongs to no span. */
  outside<Result>(work: () => Result): Result;
  counts(): SpanCounts;
  /** Sends what is left, for at most three seconds. */
  close(): Promise<void>;
}

/** Runs `work` in a span that ends with it. Without tracing it only runs `work`. */
export async function traced<Result>(
  tracing: Tracing | null | undefined,
  start: SpanStart,
  work: (span: OpenSpan | null) => Promise<Result>,
): Promise<Result> {
  if (!tracing) return work(null);
  return tracing.begin(start, async (span) => {
    try {
      const result = await work(span);
      span.end();
      return result;
    } catch (error) {
      span.end(error);
      throw error;
    }
  });
}

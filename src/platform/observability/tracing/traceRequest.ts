// The span of an HTTP request: what its names are, and when it ends.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf } from '../../httpServer/requestId.ts';
import type { Attributes, OpenSpan, Tracing } from './tracing.ts';

export interface TracedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  /** The route of the contract: a path may hold an id. */
  route: string;
  /** As the metrics name it. */
  operation: string;
  /** Read when the request ends. */
  details?: () => Attributes;
}

/** Runs `work` in the request's span, which ends with the response. Without tracing it only runs `work`. */
export function traceRequest(tracing: Tracing | null, traced: TracedRequest, work: () => void): void {
  if (!tracing) return work();
  const { request, response, route, operation, details } = traced;
  const method = request.method!;
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    operation,
    'request.id': requestIdOf(request),
  };
  const header = request.headers['traceparent'];
  const parent = typeof header === 'string' ? header : null;
  tracing.begin({ name: `${method} ${route}`, kind: 'server', parent, attributes }, (span) => {
    response.once('close', () => endWith(span, response, details?.() ?? {}));
    work();
  });
}

function endWith(span: OpenSpan, response: ServerResponse, details: Attributes): void {
  const { statusCode, headersSent, writableFinished } = response;
  span.set({ ...details, ...(headersSent && { 'http.response.status_code': statusCode }) });
  if (!writableFinished) return span.end('client_gone');
  // A refusal of a request is no failure of the span: OpenTelemetry's conventions for HTTP servers.
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
}

// The span of a call of the public API.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { traceRequest } from '../platform/observability/tracing/traceRequest.ts';
import type { Noted } from './refusedRequest.ts';

interface Call extends Noted {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Only a call that is taken has a span: a refusal under load must stay cheap, and the metrics count it. */
export function traceCall<Taken extends Call>(call: Taken, answer: (call: Taken) => void): void {
  const { operation, request, response, deps } = call;
  if (!deps.tracing) return answer(call);
  const details = () => ({ 'application.id': call.application?.id });
  const traced = { request, response, route: operation.path, operation: operation.id, details };
  traceRequest(deps.tracing, traced, () => answer(call));
}

// Scripted faults: the request header `X-Mock-Fault` replaces, delays or cuts the response of the mock.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { errorResponse, send, type PublicResponse } from '../../../src/http/responses.ts';
import { wireLimit } from '../../../src/http/requestBody.ts';
import { AppError } from '../../../src/platform/errors.ts';

export const faultHeader = 'x-mock-fault';

const slowMillis = 10_000;
const maxScripts = 10_000;

type Fault = (request: IncomingMessage, response: ServerResponse, proceed: () => void) => void | Promise<void>;

const faults: Record<string, Fault> = {
  none: (_request, _response, proceed) => proceed(),
  '503': (_request, response) => send(response, errorResponse(new AppError('unavailable', { retryAfterSeconds: 1 }))),
  '403': (_request, response) => {
    const serverTime = Math.floor(Date.now() / 1_000);
    send(response, errorResponse(new AppError('not_authenticated', { reason: 'timestamp_out_of_window', serverTime })));
  },
  '413': (_request, response) =>
    send(response, errorResponse(new AppError('too_large', { unit: 'bytes', limit: wireLimit }))),
  '422': (_request, response) => send(response, refusedFields('sessions[0].events[0].name', 'is refused by the mock')),
  /** As for a body that was damaged on its way: openapi.yaml, "Paths in `fields`". */
  '422-json': (_request, response) =>
    send(response, refusedFields('', 'is not valid JSON in UTF-8; reading stopped at byte offset 5')),
  '500': (_request, response) => send(response, errorResponse(null)),
  slow: async (_request, _response, proceed) => {
    await pause(slowMillis);
    proceed();
  },
  /** The mock does the work, and the client gets only the head of the response. */
  cut: (request, response, proceed) => {
    response.end = () => {
      request.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', () => request.socket.destroy());
      return response;
    };
    proceed();
  },
};

export const faultNames = Object.keys(faults);

/**
 * `X-Mock-Fault: 503, cut, none` is a script. The first request with this header gets a 503, the response to the second
 * is cut, and all later requests are served. `;run=<anything>` after the faults makes another script of them. An
 * unknown fault gets a 400 that lists the known ones.
 */
export function withFaults(listener: RequestListener): RequestListener {
  const taken = new Map<string, number>();
  return (request, response) => {
    const script = request.headers[faultHeader];
    if (typeof script !== 'string') return void listener(request, response);
    const steps = script
      .split(';')[0]!
      .split(',')
      .map((step) => step.trim());
    const unknown = steps.find((step) => !Object.hasOwn(faults, step));
    if (unknown !== undefined) return refuseScript(response, unknown);
    if (taken.size >= maxScripts) taken.clear();
    const step = taken.get(script) ?? 0;
    taken.set(script, step + 1);
    void faults[steps[step] ?? 'none']!(request, response, () => void listener(request, response));
  };
}

function refusedFields(path: string, message: string): PublicResponse {
  return errorResponse(new AppError('validation_failed', { fields: [{ path, message }] }));
}

function refuseScript(response: ServerResponse, word: string): void {
  const message = `X-Mock-Fault has the unknown fault ${JSON.stringify(word)}. Faults: ${faultNames.join(', ')}.`;
  send(response, { status: 400, body: { error: 'unknown_fault', status: 400, message } });
}

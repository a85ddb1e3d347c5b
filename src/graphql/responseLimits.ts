// Bounds each response of the admin API, at most 16 MiB of data and at most 100 errors, and writes its data in slices.
import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import { mostBytes, tooLong } from '../platform/answerBudget.ts';
import { jsonPieces } from '../platform/json/jsonPieces.ts';
import { RawJson } from '../platform/json/rawJson.ts';
import type { AdminContext } from './context.ts';
import { formatError } from './errors.ts';

type Finished = GraphQLRequestContextWillSendResponse<AdminContext>;

const mostErrors = 100;
const limited = new WeakMap<Finished['response'], Promise<void>>();

/**
 * The response budget counts each row once, when it is read. A request can ask for the same row under fifteen aliases
 * or below many objects, so this file measures the whole response. One cause can fail a field of every object of a
 * level, so errors are bounded too.
 */
export function responseLimits(): ApolloServerPlugin<AdminContext> {
  return {
    requestDidStart: async () => ({
      willSendResponse: (finished) => {
        const done = limit(finished).finally(finished.contextValue.written);
        limited.set(finished.response, done);
        return done;
      },
    }),
  };
}

/** Apollo calls all plugins at once. Those after this one wait for what remains after the limits. */
export const untilLimited = ({ response }: Finished): Promise<void> | undefined => limited.get(response);

async function limit({ response: { body }, contextValue }: Finished): Promise<void> {
  if (body.kind !== 'single') return;
  const { data, errors } = body.singleResult;
  const text = data ? await textOf(data, contextValue) : undefined;
  if (text === null) body.singleResult = { data: null, errors: [formatError({ message: '' }, tooLong())] };
  // Written already: the type of Apollo knows no data that is text.
  else if (text !== undefined) body.singleResult.data = new RawJson(text) as unknown as typeof data;
  if (text !== null && errors) body.singleResult = { ...body.singleResult, errors: errors.slice(0, mostErrors) };
}

/** Null beyond the limit, and when the client has gone. In one piece, 16 MiB took 50 ms to measure and 50 ms to write. */
async function textOf(data: unknown, { pause, signal }: AdminContext): Promise<string | null> {
  const pieces: string[] = [];
  let bytes = 0;
  for (const piece of jsonPieces(data)) {
    bytes += Buffer.byteLength(piece);
    if (bytes > mostBytes || signal.aborted) return null;
    pieces.push(piece);
    const wait = pause();
    if (wait) await wait;
  }
  return pieces.join('');
}

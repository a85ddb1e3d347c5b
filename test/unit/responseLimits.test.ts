// The end of a long response: what is too long is refused before the reports see it.
import type { GraphQLRequestContextWillSendResponse } from '@apollo/server';
import type { AdminContext } from '../../src/graphql/context.ts';
import { responseLimits } from '../../src/graphql/responseLimits.ts';

type Finished = GraphQLRequestContextWillSendResponse<AdminContext>;

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ at, text: 'x'.repeat(1_000) }));

/** What the plugins after it see, which Apollo calls in the same turn. */
async function end(data: unknown) {
  const body = { kind: 'single', singleResult: { data } };
  const finished = { response: { body } } as unknown as Finished;
  const listener = (await responseLimits().requestDidStart!(finished)) as {
    willSendResponse(finished: Finished): Promise<void>;
  };
  const done = listener.willSendResponse(finished);
  const seen = body.singleResult as { data: unknown; errors?: { message: string }[] };
  await done;
  return seen;
}

test('ten megabytes go out as they are', async () => {
  const data = { rows: rows(10_000) };
  expect(await end(data)).toEqual({ data });
});

test('the reports see the refusal of a response that is too long', async () => {
  const { data, errors } = await end({ rows: rows(17_000) });
  expect(data).toBeNull();
  expect(errors).toHaveLength(1);
});

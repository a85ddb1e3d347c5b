// The end of a long response: its text is written in slices, and what is too long is refused before the reports see it.
import { responseLimits, untilLimited } from '../../src/graphql/responseLimits.ts';
import { stringifyWithRawJson } from '../../src/platform/json/rawJson.ts';

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ at, text: 'x'.repeat(1_000) }));

type Finished = Parameters<typeof untilLimited>[0];

async function end(data: unknown, pause: () => Promise<void> | undefined) {
  const events: string[] = [];
  const body = { kind: 'single', singleResult: { data } };
  const contextValue = { pause, signal: new AbortController().signal, written: () => events.push('written') };
  const finished = { response: { body }, contextValue } as unknown as Finished;
  const listener = await responseLimits().requestDidStart!(finished);
  const done = (listener as { willSendResponse(finished: Finished): Promise<void> }).willSendResponse(finished);
  await untilLimited(finished);
  events.push('reported');
  await done;
  return { result: body.singleResult as { data: unknown; errors?: { message: string }[] }, events };
}

test('other work runs while 10 MB are written', async () => {
  let turns = 0;
  const pause = () =>
    new Promise<void>((resolve) => {
      turns += 1;
      setImmediate(resolve);
    });
  const data = { rows: rows(10_000) };
  const { result, events } = await end(data, pause);
  expect(stringifyWithRawJson(result)).toBe(JSON.stringify({ data }));
  expect(turns).toBeGreaterThan(100);
  expect(events).toEqual(['written', 'reported']);
});

test('the reports see the refusal of a response that is too long', async () => {
  const { result, events } = await end({ rows: rows(17_000) }, () => undefined);
  expect(result.data).toBeNull();
  expect(result.errors).toHaveLength(1);
  expect(events).toEqual(['written', 'reported']);
});

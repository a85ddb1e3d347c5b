// The one-pass reader must return what JSON.parse and all checks return, and must not read what they refuse.
import type { BodyContract, PublicContract } from '../../../../src/http/contract.ts';
import { readBody } from '../../../../src/http/readBody.ts';
import { loadPublicDocument } from '../../../support/publicDocument.ts';
import type { PublicCase } from '../cases.ts';
import { figures, timeoutMillis } from '../figures.ts';
import { find, hold } from '../hold.ts';
import { soundContract } from '../memoryService.ts';
import { publicCases, type PublicCases } from './publicCases.ts';

let cases: PublicCases;
let contract: PublicContract;
beforeAll(async () => {
  cases = publicCases(await loadPublicDocument());
  contract = await soundContract();
});

function bodyOf({ operation }: PublicCase): BodyContract {
  const { path, method } = cases.operations.find(({ id }) => id === operation)!;
  return contract.match(method, path)!.body!;
}

/** Undefined when the body is refused. */
function longWay(body: BodyContract, bytes: Buffer): Promise<unknown> {
  const sent = { bytes, encoding: 'identity' as const, assertAwaited: () => undefined, onValue: () => undefined };
  const reading = readBody({ ...body, readPlain: () => undefined }, { ...sent, inTurn: (work) => work() });
  return reading.then(
    ({ value }) => value,
    () => undefined,
  );
}

const agreesIn =
  (readPlain: (body: BodyContract, bytes: Buffer) => unknown, seen = { plain: 0 }) =>
  async (request: PublicCase): Promise<void> => {
    const body = bodyOf(request);
    const bytes = Buffer.from(request.body, 'base64');
    const plain = readPlain(body, bytes);
    if (plain === undefined) return;
    seen.plain += 1;
    expect(plain).toEqual(await longWay(body, bytes));
  };

const kinds = ['valid', 'edges', 'faults', 'dictionary', 'bytes'] as const;
test.each(kinds)(
  '%s',
  async (name) => {
    const seen = { plain: 0 };
    const judge = agreesIn((body, bytes) => body.readPlain(bytes), seen);
    const runs = figures.publicInProcess[name];
    await hold<PublicCase>({ kind: 'public', cases: cases[name], runs, judge });
    // The reader does not read attribution. Elsewhere unknown members, odd numbers and escaped NULs are frequent.
    if (name === 'valid' || name === 'edges') expect(seen.plain).toBeGreaterThan(runs / 10);
  },
  timeoutMillis,
);

test('a reader that only parses is found', async () => {
  const onlyParses = (_: BodyContract, bytes: Buffer): unknown => {
    try {
      return JSON.parse(bytes.toString());
    } catch {
      return undefined;
    }
  };
  const found = await find({ cases: cases.faults, runs: 1_000, judge: agreesIn(onlyParses) });
  expect(found).not.toBeNull();
});

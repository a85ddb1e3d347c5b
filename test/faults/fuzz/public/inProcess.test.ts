// Fuzzes the public API without sockets and database: every response to requests made from openapi.yaml must follow it.
import { loadPublicDocument } from '../../../support/publicDocument.ts';
import type { PublicCase } from '../cases.ts';
import { isLong } from '../../support/form.ts';
import { figures, timeoutMillis } from '../figures.ts';
import { hold } from '../hold.ts';
import { memoryPublicApi } from '../memoryService.ts';
import { publicCases, untried, type PublicCases } from './publicCases.ts';
import { publicJudge, type PublicJudge } from './judge.ts';

let cases: PublicCases;
let judge: PublicJudge;
beforeAll(async () => {
  const document = await loadPublicDocument();
  cases = publicCases(document);
  judge = publicJudge(document, await memoryPublicApi());
});

const runs = figures.publicInProcess;
test.each(Object.entries(runs) as [keyof typeof runs, number][])(
  '%s: %d requests',
  async (name, runs) => hold<PublicCase>({ kind: 'public', cases: cases[name], runs, judge }),
  timeoutMillis,
);

/**
 * The short form may miss one of several hundred rules by chance. A rule that the generator cannot make at all shows in
 * many places.
 */
const missedByChance = isLong ? 0 : 3;

test('each rule of each schema was kept to its edge and broken', () => {
  expect(untried(cases).slice(missedByChance)).toEqual([]);
});

// Tests the fuzzer of the admin API: given responses that break schema.graphql in one place, it must find that place.
import type { RawAnswer, RawRequest } from '../exchange.ts';
import { find } from '../hold.ts';
import { adminCases, type AdminCases } from './adminCases.ts';
import { adminJudge } from './judge.ts';
import { memoryAdmin } from './memoryAdmin.ts';
import { readSdl } from './sdl.ts';

const sdl = readSdl();
const ids = ['0192f0c4-3333-7000-8000-000000000003'];
let service: Awaited<ReturnType<typeof memoryAdmin>>;
beforeAll(async () => {
  service = await memoryAdmin();
});
afterAll(() => service.stop());

type Break = (answer: RawAnswer, request: RawRequest) => RawAnswer;

async function findIn(breakage: Break, name: keyof AdminCases): Promise<string> {
  const exchange = async (request: RawRequest) => breakage(await service.exchange(request), request);
  const judge = adminJudge(sdl, { ...service, exchange });
  const found = await find({ cases: adminCases(sdl.fields, ids)[name], runs: 1_500, judge });
  return found ? `${found.request.change} ${found.why}` : 'nothing';
}

const replaced =
  (from: string, to: string): Break =>
  (answer) => ({ ...answer, text: answer.text.replace(from, to) });
const executed = (errors: object[]) => JSON.stringify({ data: null, errors });

test.each<[string, Break, keyof AdminCases, RegExp]>([
  [
    'a fault told at another field',
    replaced('"path":"input.name"', '"path":"input.image"'),
    'texts',
    /a fault at input\.image/,
  ],
  [
    'a code that the field does not list',
    replaced('"BAD_USER_INPUT","fields"', '"CONFLICT","reason":"version","fields"'),
    'texts',
    /not listed/,
  ],
  [
    'a conflict that does not say why',
    replaced('"BAD_USER_INPUT","fields"', '"CONFLICT","fields"'),
    'texts',
    /a conflict without a reason/,
  ],
  [
    'a refusal by a type that names another argument',
    (answer) => ({ ...answer, text: answer.text.replace(/"path":"input\b/, '"path":"other') }),
    'faults',
    /a fault at other/,
  ],
  [
    'a refusal by a type without its path',
    (answer) => ({ ...answer, text: answer.text.replace(/,"fields":\[[^\]]*\]/, '') }),
    'faults',
    /a refusal without its path/,
  ],
  [
    'a code that the schema does not know',
    replaced('GRAPHQL_VALIDATION_FAILED', 'INVALID'),
    'requests',
    /not documented/,
  ],
  [
    'a status that is not of its code',
    (answer) => ({ ...answer, status: answer.status === 401 ? 403 : answer.status }),
    'valid',
    /not documented|no data/,
  ],
  ['a page of HTML', (answer) => ({ ...answer, headers: { 'content-type': 'text/html' } }), 'valid', /not JSON/],
  [
    'what should be refused and is executed',
    (answer) => (answer.text.includes('UUID') ? { ...answer, status: 200, text: executed([]) } : answer),
    'faults',
    /HTTP 200 instead of 400/,
  ],
  [
    'a failure',
    (answer, { body }) => (body.includes('__proto__') ? { ...answer, status: 500, text: executed([]) } : answer),
    'texts',
    /a failure/,
  ],
])('%s', async (...[, breakage, name, found]) => {
  expect(await findIn(breakage, name)).toMatch(found);
});

// The search of exported signatures finds every `any` that a caller would meet, and no internal one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkSignatures, type SignatureCheck } from '../support/publicSignatures.ts';

const found: [string, string][] = [
  ['export function send(body: any): void { void body; }', 'send(body)'],
  ['export async function parsed() { return JSON.parse("{}"); }', 'parsed()'],
  ['export interface Campaign { action: { payload: any } }', 'Campaign → action → payload'],
  ['export type Fields = Record<string, any>;', 'Fields[]'],
  ['export type Answer = { status: 200; data: string } | { status: 404; data: any[] };', 'Answer → data'],
  ['export type Result<T> = T extends true ? { given: any } : string;', 'Result → given'],
  ['export class Client { constructor(meta: { x?: any }) { void meta; } }', 'Client(meta) → x'],
  ['interface Hidden { later: () => { x: any } }\nexport const hidden = {} as Hidden;', 'hidden → later() → x'],
];
const fine = `function inside(): any { return JSON.parse('{}'); }
  export async function ask(request: Request): Promise<Response> { inside(); return fetch(request); }
  export const count: number = 'one';`;

let folder: string;
let check: SignatureCheck;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-signatures-'));
  const compilerOptions = { strict: true, target: 'ES2023', lib: ['ES2023', 'DOM'], types: [], noEmit: true };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  writeFileSync(path.join(folder, 'client.ts'), [...found.map(([text]) => text), fine].join('\n'));
  check = checkSignatures(path.join(folder, 'tsconfig.json'), ['client.ts']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(found)('%s', (_, way) => {
  expect(check.anys).toContain(`client.ts ${way}`);
});

test('what stays inside, and what is the platform’s, is no matter', () => {
  expect(check.anys).toHaveLength(found.length);
});

test('what does not compile is told', () => {
  expect(check.errors).toEqual([expect.stringContaining("'string' is not assignable to type 'number'")]);
});

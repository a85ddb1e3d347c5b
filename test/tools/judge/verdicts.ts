// Judges a recording by all rules, as a table for people and as JSON for programs.
import type { Recorded, Recording } from './recording.ts';
import { rules } from './rules/allRules.ts';
import type { Finding, Part } from './rules/rule.ts';

export interface JudgedRule extends Finding {
  rule: string;
}

export function judge(recording: Recording): JudgedRule[] {
  return Object.entries(rules).map(([rule, check]) => ({ rule, ...check(recording) }));
}

/** 0: all kept. 1: a rule is broken. 2: none is broken, and not everything was seen. */
export function exitStatus(judged: JudgedRule[]): 0 | 1 | 2 {
  if (judged.some(({ verdict }) => verdict === 'broken')) return 1;
  return judged.every(({ verdict }) => verdict === 'kept') ? 0 : 2;
}

const words = { kept: 'kept', broken: 'BROKEN', notSeen: 'not seen' };

/** One line a rule. Below a broken one: the problem, and the request that breaks the rule. */
export function table(judged: JudgedRule[]): string {
  const width = Math.max(...judged.map(({ rule }) => rule.length));
  const lines = judged.flatMap(({ rule, verdict, problem, request, part }) => [
    `${rule.padEnd(width)}  ${words[verdict]}`,
    ...(problem === undefined ? [] : [`    ${problem}`]),
    ...(request ? quoted(request, part).map((line) => `    ${line}`) : []),
  ]);
  const count = (verdict: Finding['verdict']): number => judged.filter((one) => one.verdict === verdict).length;
  return [...lines, '', `${count('kept')} kept, ${count('broken')} broken, ${count('notSeen')} not seen`].join('\n');
}

/** The report as JSON, a piece for each request: a string of all of them may be longer than a string can be. */
export function* reportPieces(recording: Recording, judged: JudgedRule[]): Generator<string> {
  const { publicKey, complete, requests } = recording;
  const judgement = judged.map(({ request, ...one }) => ({ ...one, ...(request && { request: request.index }) }));
  const head = JSON.stringify({ publicKey, complete, status: exitStatus(judged), rules: judgement }, null, 2);
  yield `${head.slice(0, head.lastIndexOf('\n}'))},\n  "requests": [`;
  for (const [at, request] of requests.entries()) yield `${at === 0 ? '' : ','}\n    ${JSON.stringify(request)}`;
  yield '\n  ]\n}\n';
}

const longestBody = 2_000;

/** The part that the fault means comes before the body, which may be cut before that part. */
function quoted(request: Recorded, part: Part | undefined): string[] {
  const { index, scene, method, target, headers, json, response, loss } = request;
  const body = json === null ? [] : [cut(JSON.stringify(json))];
  const got = loss === null ? String(response.status) : `${response.status}, ${loss}`;
  return [
    `request ${index} in the scene "${scene}", response ${got}`,
    `> ${method} ${target}`,
    ...headers.map(([name, value]) => `> ${name}: ${value}`),
    ...(part ? [`> ${part.path}: ${cut(JSON.stringify(part.value))}`] : []),
    ...body.map((text) => `> ${text}`),
  ];
}

function cut(text: string): string {
  return text.length > longestBody ? `${text.slice(0, longestBody)} …` : text;
}

// Writes the verdicts as a table with a line for each group, after a line for each broken rule.
import type { Verdict } from './rule.ts';

/** With `verbose` there is a line for each rule, not only for the broken ones. */
export function report(verdicts: Verdict[], verbose: boolean): string {
  const groups = [...new Set(verdicts.map(({ group }) => group))];
  const shown = verdicts.filter(({ problem }) => verbose || problem !== null);
  return [...shown.map(lineOf), ...head, ...groups.map((group) => rowOf(group, verdicts))].join('\n');
}

const widths = { group: 36, number: 6 };
const head = [
  `| ${'group'.padEnd(widths.group)} |  rules |   kept | broken |`,
  `| ${'-'.repeat(widths.group)} | -----: | -----: | -----: |`,
];

function lineOf({ group, name, problem }: Verdict): string {
  return problem === null ? `kept    ${group}: ${name}` : `BROKEN  ${group}: ${name}\n        ${problem}`;
}

function rowOf(group: string, verdicts: Verdict[]): string {
  const own = verdicts.filter((verdict) => verdict.group === group);
  const broken = own.filter(({ problem }) => problem !== null).length;
  const numbers = [own.length, own.length - broken, broken].map((number) => String(number).padStart(widths.number));
  return `| ${group.padEnd(widths.group)} | ${numbers.join(' | ')} |`;
}

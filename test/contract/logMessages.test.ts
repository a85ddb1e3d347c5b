// docs/operating/logs.md must explain every log line at warn or error, for the operator on call.
import { readdirSync, readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

const table = readFileSync(projectFile('docs/operating/logs.md'), 'utf8');
const documented = [...table.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell]) =>
  [...cell!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
);
const source = readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('demo/'))
  .map((file) => readFileSync(projectFile(`src/${file}`), 'utf8'))
  .join('\n');

/** A documented text may be cut on one side: `… did not stop cleanly`, `off in PostgreSQL: …`. */
function covers(text: string, message: string): boolean {
  if (text.startsWith('…')) return message.endsWith(text.slice(1));
  if (text.endsWith('…')) return message.startsWith(text.slice(0, -1));
  return text === message;
}

test('every line at warn or error is in the table', () => {
  const calls = source.match(/\blog\??\.(?:warn|error)\(/g)!;
  const withMessage = /\blog\??\.(?:warn|error)\(\s*(?:\{[^}]*\}|\w+),\s*'([^']+)',?\s*\)/g;
  const messages = [...source.matchAll(withMessage)].map(([, message]) => message!);
  // The message of one call is the refusal's code: `unavailable`, or `validation_failed` if the database refused the data.
  expect(messages).toHaveLength(calls.length - 1);
  expect(messages.filter((message) => !documented.some((text) => covers(text, message)))).toEqual([]);
});

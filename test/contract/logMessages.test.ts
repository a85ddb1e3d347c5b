// docs/operating/logs.md against what is logged: whoever is on call finds each line at warn or error in its table.
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

/** A text may be cut off on either side: `… did not stop cleanly`, `off in PostgreSQL: …`. */
function covers(text: string, message: string): boolean {
  if (text.startsWith('…')) return message.endsWith(text.slice(1));
  if (text.endsWith('…')) return message.startsWith(text.slice(0, -1));
  return text === message;
}

test('every line at warn or error is in the table', () => {
  const calls = source.match(/\blog\??\.(?:warn|error)\(/g)!;
  const withMessage = /\blog\??\.(?:warn|error)\(\s*(?:\{[^}]*\}|\w+),\s*'([^']+)',?\s*\)/g;
  const messages = [...source.matchAll(withMessage)].map(([, message]) => message!);
  // One names its message by the refusal: `unavailable`, or `validation_failed` where the database refused the data.
  expect(messages).toHaveLength(calls.length - 1);
  expect(messages.filter((message) => !documented.some((text) => covers(text, message)))).toEqual([]);
});

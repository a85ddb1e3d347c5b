// Reads the blocks and commands of a section of a page, so that a test can follow them.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

export interface Step {
  /** The language of the block. */
  language: string;
  text: string;
  /** The output of a command that is meant to fail. */
  fails: string | null;
}

/** The blocks of a section in their order; each line of a `sh` block is a step of its own. */
export function stepsOf(page: string, heading: string): Step[] {
  const text = readFileSync(projectFile(page), 'utf8');
  const section = text.split(/^(?=##+ )/m).find((part) => part.startsWith(`## ${heading}\n`));
  if (!section) throw new Error(`${page} has no section "${heading}"`);
  return [...section.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)].flatMap(([, indent, language, block]) => {
    const lines = block!.split('\n').map((line) => line.slice(indent!.length));
    if (language !== 'sh') return [{ language: language!, text: lines.join('\n'), fails: null }];
    return lines.filter((line) => line !== '').map(commandOf);
  });
}

function commandOf(line: string): Step {
  const [command, fails] = line.split(/ +# fails: /);
  return { language: 'sh', text: command!, fails: fails ?? null };
}

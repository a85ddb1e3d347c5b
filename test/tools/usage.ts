// Reads the help of a tool. It is a text file, because test/support/usage.js prints it before anything is compiled.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

/** `folder` is that of the tool: `test/tools/mock`. */
export function usageOf(folder: string): string {
  return readFileSync(projectFile(`${folder}/usage.txt`), 'utf8');
}

// The files of src/ as the tests of the house read them: text and relative imports.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';

export interface SourceFile {
  /** From the project's root, with slashes: `src/http/answers.ts`. */
  name: string;
  text: string;
  /** Relative imports only, from the project's root; type imports count too. */
  imports: string[];
}

export function sourceFiles(): SourceFile[] {
  const names = readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readSource(path.posix.join('src', name.split(path.sep).join('/'))));
}

function readSource(name: string): SourceFile {
  const text = readFileSync(path.join(projectRoot, name), 'utf8');
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const relative = imported.filter((specifier) => specifier.startsWith('.'));
  return { name, text, imports: relative.map((specifier) => path.posix.join(path.posix.dirname(name), specifier)) };
}

// Reads the files of src/ and of the demo for the tests of the layers: text and relative imports. The tests beside the
// dashboard's screens are none of them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';

export interface SourceFile {
  /** The path from the project's root, with slashes: `src/http/responses.ts`. */
  name: string;
  text: string;
  /** Relative imports only, as paths from the project's root. */
  imports: SourceImport[];
}

export interface SourceImport {
  to: string;
  /** `import type` and `import()` load nothing when the process starts. */
  deferred: boolean;
}

const folders = ['src', 'test/tools/demo'];

export function sourceFiles(): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(projectFile(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
      .sort()
      .map((name) => readSource(path.posix.join(folder, name.split(path.sep).join('/')))),
  );
}

function readSource(name: string): SourceFile {
  const text = readFileSync(path.join(projectRoot, name), 'utf8');
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const relative = imported.filter((specifier) => specifier.startsWith('.'));
  const imports = relative.map((specifier) => ({
    to: path.posix.join(path.posix.dirname(name), specifier),
    deferred: isDeferred(text, specifier),
  }));
  return { name, text, imports };
}

function isDeferred(text: string, specifier: string): boolean {
  return text.includes(`import('${specifier}')`) || new RegExp(`import type [^;]*from '${specifier}'`).test(text);
}

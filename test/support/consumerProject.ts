// Sets up a consumer of the contracts in a folder of its own: the contracts, its own files, and the output of the README's commands.
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { installPackages } from './ownPackages.js';
import { runShell } from './scratchProject.ts';

export interface ConsumerProject {
  folder: string;
  read: (file: string) => string;
  load: <Module>(file: string) => Promise<Module>;
  remove: () => void;
}

/** The commands that test/consumers/README.md gives for `projects/<name>`, in their order. */
export function commandsOf(name: string): string[] {
  const readme = readFileSync(projectFile('test', 'consumers', 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((text) => text.includes(`(projects/${name})`));
  const lines = /^```sh\n([^]*?)^```/m
    .exec(section ?? '')?.[1]
    ?.trim()
    .split('\n');
  if (lines === undefined) throw new Error(`test/consumers/README.md has no commands for ${name}`);
  return lines;
}

/** Copies `projects/<name>`, both contracts and the documents of test/dashboard, and generates everything. */
export async function generateConsumer(name: string): Promise<ConsumerProject> {
  // Resolves symbolic links: generators and the compiler compare paths as text.
  const outermost = realpathSync(mkdtempSync(path.join(tmpdir(), 'campaign-analytics-consumer-')));
  const root = path.join(outermost, 'contractTools', 'consumers');
  const folder = path.join(root, name);
  const projects = projectFile('test', 'consumers', 'projects');
  for (const part of ['tsconfig.json', 'shared', name]) {
    cpSync(path.join(projects, part), path.join(root, part), { recursive: true });
  }
  for (const contract of ['openapi.yaml', 'schema.graphql']) cpSync(projectFile(contract), path.join(folder, contract));
  cpSync(projectFile('test', 'dashboard'), path.join(folder, 'documents'), { recursive: true });
  cpSync(projectFile('generated', 'dashboard', 'graphql.ts'), path.join(root, 'shared', 'clientPreset.ts'));
  // A package is looked for in the folders above, as in this repository.
  symlinkSync(projectFile('node_modules'), path.join(outermost, 'node_modules'), 'dir');
  symlinkSync(await installPackages('contractTools'), path.join(outermost, 'contractTools', 'node_modules'), 'dir');
  symlinkSync(await installPackages('consumers'), path.join(root, 'node_modules'), 'dir');
  for (const command of commandsOf(name)) await run(folder, command);
  return {
    folder,
    read: (file) => readFileSync(path.join(folder, file), 'utf8'),
    load: async <Module>(file: string) => (await import(pathToFileURL(path.join(folder, file)).href)) as Module,
    remove: () => rmSync(outermost, { recursive: true, force: true }),
  };
}

async function run(folder: string, command: string): Promise<void> {
  // Runs the program that npx would find, and saves the second that npx takes to find it.
  const line = command.replace(/^npx (\S+)/, (_, bin: string) => programOf(bin));
  const { exitCode, output } = await runShell(folder, line);
  if (exitCode !== 0) throw new Error(`${command}: exit code ${exitCode}\n${output}`);
}

function programOf(bin: string): string {
  const places = [['test', 'consumers'], ['test', 'contractTools'], []].map((folder) =>
    projectFile(...folder, 'node_modules', '.bin', bin),
  );
  const place = places.find((file) => existsSync(file));
  if (place === undefined) throw new Error(`No package brings ${bin}`);
  return place;
}

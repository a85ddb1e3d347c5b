// Installs the packages of a folder of test/ that has a package.json of its own, when they are missing or outdated.
// `node test/support/ownPackages.js <folder> <program> …` also runs one of their programs.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** `name` is a folder of test/. Several processes may call this at once. Resolves to the folder of the packages. */
export async function installPackages(name) {
  const folder = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const packages = path.join(folder, 'node_modules');
  const lock = await readFile(path.join(folder, 'package-lock.json'));
  const installed = createHash('sha256').update(lock).update(process.platform).update(process.arch).digest('hex');
  const isCurrent = async () =>
    (await readFile(path.join(packages, '.installed'), 'utf8').catch(() => undefined)) === installed;
  if (await isCurrent()) return packages;

  process.stderr.write(`Installing the packages of test/${name}\n`);
  // A complete installation is renamed to its place, so that no other process sees half of one.
  const unfinished = await mkdtemp(path.join(folder, '.installing-'));
  try {
    for (const file of ['package.json', 'package-lock.json'])
      await cp(path.join(folder, file), path.join(unfinished, file));
    await npmCi(unfinished);
    await writeFile(path.join(unfinished, 'node_modules', '.installed'), installed);
    if (await isCurrent()) return packages;
    await rename(packages, path.join(unfinished, 'outdated')).catch(unlessCode('ENOENT'));
    await rename(path.join(unfinished, 'node_modules'), packages).catch(async (error) => {
      if (!(await isCurrent())) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return packages;
}

const unlessCode = (code) => (error) => {
  if (error.code !== code) throw error;
};

/** No package needs a script of its own here. */
async function npmCi(folder) {
  const output = [];
  const words = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
  const child = spawn('npm', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
  const exitCode = await ended(child);
  if (exitCode !== 0) throw new Error(`npm ci failed with exit code ${exitCode}\n${Buffer.concat(output)}`);
}

/** Resolves to the exit code, or to 1 after a signal. */
function ended(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function run(name, program, words) {
  const packages = await installPackages(name);
  process.exitCode = await ended(spawn(path.join(packages, '.bin', program), words, { stdio: 'inherit' }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, program, ...words] = process.argv.slice(2);
  // Without `await`: jest loads this file by `require`.
  void (program === undefined ? installPackages(name) : run(name, program, words));
}

// A headless Chromium from npm for the tests of web pages, unpacked once per version.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium, type Browser } from 'playwright-core';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { installPackages } from './ownPackages.js';

const cache = projectFile('node_modules', '.cache');

/** TEST_CHROMIUM names the program of another Chromium. Throws the browser's own message if no Chromium starts. */
export async function startBrowser(): Promise<Browser> {
  const given = process.env['TEST_CHROMIUM'];
  const folder = given === undefined ? await unpackChromium() : '';
  const executablePath = given ?? path.join(folder, 'chromium');
  const first = await launch(executablePath, folder).catch((error: unknown) => error as Error);
  if (!(first instanceof Error)) return first;
  // A slim image lacks some shared libraries. The npm package contains them.
  const libraries = path.join(folder, 'al2023', 'lib');
  const needed = given === undefined && first.message.includes('error while loading shared libraries');
  const second = needed
    ? await launch(executablePath, folder, libraries).catch((error: unknown) => error as Error)
    : first;
  if (!(second instanceof Error)) return second;
  throw new Error(
    `Chromium cannot start, so the pages cannot be looked at. The npm package is for Linux on x64; elsewhere ` +
      `TEST_CHROMIUM must name a Chromium's program. It said:\n${reasonOf(second)}`,
  );
}

/** The browser's error without the hundred command-line options that it repeats. */
function reasonOf({ message }: Error): string {
  const [first, ...others] = message.split('\n');
  return [first, ...others.filter((line) => line.includes('[err]') || line.includes('exitCode'))].join('\n');
}

async function launch(executablePath: string, folder: string, libraries?: string): Promise<Browser> {
  const fonts = existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: path.join(folder, 'fonts') };
  const env = { ...process.env, ...fonts, ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }) };
  // Chromium's sandbox does not work in a container or as root. The pages are this project's own.
  return await chromium.launch({ executablePath, env, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Unpacks into a temporary folder and renames it at the end, so that no test starts a half-unpacked browser. */
async function unpackChromium(): Promise<string> {
  const packages = await installPackages('browser');
  const manifest = path.join(packages, '@sparticuz', 'chromium', 'package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const folder = path.join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(path.join(cache, 'unpacking-'));
  const program = `import chromium from '@sparticuz/chromium'; await chromium.executablePath();`;
  // The package unpacks into TMPDIR. It unpacks the shared libraries only when it detects AWS Lambda.
  const env = { ...process.env, NODE_OPTIONS: '', TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
  const cwd = path.dirname(packages);
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd, env });
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

// Scripts and styles of the documentation pages, own ones and those of npm packages, each under a hash of its content.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { projectFile } from '../../platform/projectRoot.ts';

/** Which file of which package. React 18 is the last with a browser build (docs/contributing/packages.md). */
const packageFiles = {
  'react.js': 'react-18/umd/react.production.min.js',
  'react-dom.js': 'react-dom-18/umd/react-dom.production.min.js',
  'graphiql.css': 'graphiql/graphiql.min.css',
  'graphiql.js': 'graphiql/graphiql.min.js',
  'graphiql-explorer.css': '@graphiql/plugin-explorer/dist/style.css',
  'graphiql-explorer.js': '@graphiql/plugin-explorer/dist/index.umd.js',
};
const ownFiles = [
  ...(['docs.css', 'chrome.css', 'reference.css', 'explorer.css'] as const),
  ...(['theme.js', 'docs.js', 'reference.js', 'explorer.js'] as const),
  'icon.svg',
] as const;

export type AssetName = keyof typeof packageFiles | (typeof ownFiles)[number];

export interface Asset {
  /** Changes with the content, so that a browser may cache the file for ever. */
  url: string;
  file: string;
}

export type Assets = Record<AssetName, Asset>;

/** Throws when a file is missing: at the start, not at the first visit. */
export async function loadAssets(): Promise<Assets> {
  const own = ownFiles.map((name) => [name, projectFile('src', 'ops', 'docs', 'browser', name)] as const);
  const ofPackages = Object.entries(packageFiles).map(([name, file]) => [name, packageFile(file)] as const);
  const assets = [...own, ...ofPackages].map(async ([name, file]) => [name, await describeAsset(name, file)] as const);
  return Object.fromEntries(await Promise.all(assets)) as Assets;
}

async function describeAsset(name: string, file: string): Promise<Asset> {
  const hash = createHash('sha256').update(await readFile(file));
  return { url: `/docs/assets/${hash.digest('hex').slice(0, 16)}/${name}`, file };
}

/** Resolves the package's package.json, because packages export few of their files. */
function packageFile(file: string): string {
  const segments = file.split('/');
  const name = segments.splice(0, file.startsWith('@') ? 2 : 1).join('/');
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return path.join(path.dirname(manifest), ...segments);
}

// Scripts and styles of the documentation pages, own ones and those of npm packages, each under a hash of its content.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { projectFile } from '../../platform/projectRoot.ts';

/** Which file of which package: docs/contributing/packages.md says why these. */
const packageFiles = {
  'redoc.js': '@redocly/cli/lib/chunks/redoc.standalone.js',
  'react.js': 'react-18/umd/react.production.min.js',
  'react-dom.js': 'react-dom-18/umd/react-dom.production.min.js',
  'graphiql.css': 'graphiql/graphiql.min.css',
  'graphiql.js': 'graphiql/graphiql.min.js',
  'graphiql-explorer.css': '@graphiql/plugin-explorer/dist/style.css',
  'graphiql-explorer.js': '@graphiql/plugin-explorer/dist/index.umd.js',
};
const ownFiles = [
  'docs.css',
  'docs.js',
  'reference.css',
  'reference.js',
  'explorer.css',
  'explorer.js',
  'icon.svg',
] as const;

export type AssetName = keyof typeof packageFiles | (typeof ownFiles)[number];

export interface Asset {
  /** Changes with the content, so that a browser may cache the file for ever. */
  url: string;
  content: Buffer;
}

export type Assets = Record<AssetName, Asset>;

/** Throws when a file is missing: at the start, not at the first visit. */
export async function loadAssets(): Promise<Assets> {
  const own = ownFiles.map((name) => [name, projectFile('src', 'ops', 'docs', 'browser', name)] as const);
  const ofPackages = Object.entries(packageFiles).map(([name, file]) => [name, packageFile(file)] as const);
  const assets = [...own, ...ofPackages].map(async ([name, file]) => [name, await readAsset(name, file)] as const);
  return Object.fromEntries(await Promise.all(assets)) as Assets;
}

async function readAsset(name: string, file: string): Promise<Asset> {
  const read = await readFile(file);
  const content = name === 'redoc.js' ? withoutLogo(read) : read;
  const hash = createHash('sha256').update(content).digest('hex');
  return { url: `/docs/assets/${hash.slice(0, 16)}/${name}`, content };
}

/** Redoc has no option for it. An image that cannot be read is left out. */
function withoutLogo(redoc: Buffer): Buffer {
  return Buffer.from(redoc.toString().replaceAll(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini[a-z-]*\.svg/g, 'data:,'));
}

/** Resolves the package's package.json, because packages export few of their files. */
function packageFile(file: string): string {
  const segments = file.split('/');
  const name = segments.splice(0, file.startsWith('@') ? 2 : 1).join('/');
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return path.join(path.dirname(manifest), ...segments);
}

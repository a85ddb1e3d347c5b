// Reads both contracts at present and as they were last released, each with its version, and compares them.
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OpenAPIBackend } from 'openapi-backend';
import type { Change } from './change.ts';
import { graphqlChanges } from './graphqlChanges.ts';
import { openapiChanges } from './openapiChanges.ts';

export interface Comparison {
  file: 'openapi.yaml' | 'schema.graphql';
  was: string;
  is: string;
  /** Whether the text has changed. A change that no rule finds may still change a promise in a description. */
  textChanged: boolean;
  changes: Change[];
}

const releasedIn = (root: string) => path.join(root, 'test', 'contract', 'released');
/** The file with the version of schema.graphql: the version of the package, because an SDL has no place for one. */
const versionFile = 'schema.version';

export async function compareWithReleased(root: string): Promise<Comparison[]> {
  return Promise.all([compareOpenapi(root), compareGraphql(root)]);
}

async function compareOpenapi(root: string): Promise<Comparison> {
  const [released, present] = [releasedIn(root), root].map((folder) => path.join(folder, 'openapi.yaml'));
  return {
    file: 'openapi.yaml',
    was: await infoVersion(released!),
    is: await infoVersion(present!),
    textChanged: (await text(released!)) !== (await text(present!)),
    changes: await openapiChanges(released!, present!),
  };
}

async function compareGraphql(root: string): Promise<Comparison> {
  const [released, present] = await Promise.all(
    [releasedIn(root), root].map((folder) => text(path.join(folder, 'schema.graphql'))),
  );
  return {
    file: 'schema.graphql',
    was: (await text(path.join(releasedIn(root), versionFile))).trim(),
    is: await packageVersion(root),
    textChanged: released !== present,
    changes: await graphqlChanges(released!, present!),
  };
}

/** Overwrites the contracts that were released before. */
export async function writeReleased(root: string): Promise<void> {
  for (const name of ['openapi.yaml', 'schema.graphql'])
    await copyFile(path.join(root, name), path.join(releasedIn(root), name));
  await writeFile(path.join(releasedIn(root), versionFile), `${await packageVersion(root)}\n`);
}

const text = (file: string) => readFile(file, 'utf8');

async function packageVersion(root: string): Promise<string> {
  return (JSON.parse(await text(path.join(root, 'package.json'))) as { version: string }).version;
}

async function infoVersion(file: string): Promise<string> {
  const api = new OpenAPIBackend({ definition: file, quick: true });
  await api.loadDocument();
  return api.document.info.version;
}

// The public API over its dependencies in memory, for every test of this folder without a database.
import { loadPublicContract, type PublicContract } from '../../../src/http/publicContract.ts';
import { operations } from '../../../src/http/publicOperations.ts';
import { createPublicApi } from '../../../src/http/publicApi.ts';
import { projectFile } from '../../../src/platform/projectRoot.ts';
import { inProcess } from './exchange.ts';
import { memoryDeps, memoryKey } from './memoryDeps.ts';
import type { Target } from './public/judge.ts';

/** `contract` is that of openapi.yaml, unless a test breaks it. */
export async function memoryPublicApi(contract?: PublicContract): Promise<Target> {
  const sound = contract ?? (await soundContract());
  const api = createPublicApi(sound, memoryDeps());
  const exchange = inProcess((request, response) => void api(request, response));
  return { exchange, key: memoryKey, now: () => new Date() };
}

export function soundContract(): Promise<PublicContract> {
  return loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
}

// The version of the running service, from package.json.
import { readFileSync } from 'node:fs';
import { projectFile } from './projectRoot.ts';

export const { version } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { version: string };

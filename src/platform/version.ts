// The version of what runs, as package.json says it.
import { readFileSync } from 'node:fs';
import { projectFile } from './projectRoot.ts';

export const { version } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { version: string };

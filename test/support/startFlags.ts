// The flags that `npm start` gives Node: every test and bench starts the built service with the same ones.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

const { scripts } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { scripts: { start: string } };

export const startFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'));

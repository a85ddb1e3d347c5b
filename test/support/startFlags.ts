// The flags that `npm start` gives Node: whatever else starts the built service gives it the same.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';

const { scripts } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { scripts: { start: string } };

export const startFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'));

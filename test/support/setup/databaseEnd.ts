// The globalTeardown of projects that use a database.
export { endDatabase as default } from '../testRun.ts';

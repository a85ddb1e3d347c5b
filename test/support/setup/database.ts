// The globalSetup of projects whose tests need only a database.
export { startDatabase as default } from '../testRun.ts';

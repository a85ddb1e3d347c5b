// Before the projects whose tests only need a database.
export { startDatabase as default } from '../testRun.ts';

// The globalSetup of the project process.
export { startProcesses as default } from '../testRun.ts';

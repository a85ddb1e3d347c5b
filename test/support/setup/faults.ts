// The globalSetup of the project faults.
export { startFaults as default } from '../testRun.ts';

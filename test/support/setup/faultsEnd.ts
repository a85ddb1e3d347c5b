// The globalTeardown of the project faults.
export { endFaults as default } from '../testRun.ts';

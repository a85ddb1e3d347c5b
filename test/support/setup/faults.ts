// Before the tests of faults.
export { startFaults as default } from '../testRun.ts';

// After the tests of faults.
export { endFaults as default } from '../testRun.ts';

// The globalSetup of projects whose tests start built programs.
export { startPrograms as default } from '../testRun.ts';

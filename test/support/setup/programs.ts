// Before the projects whose tests start what is built.
export { startPrograms as default } from '../testRun.ts';

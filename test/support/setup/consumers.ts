// The globalSetup of the project consumers.
export { startConsumers as default } from '../testRun.ts';

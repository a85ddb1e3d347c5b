// The globalSetup of the project browser.
export { startBrowsers as default } from '../testRun.ts';

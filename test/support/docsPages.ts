// Uses the documentation pages in a browser as a reader does, at the width of a desktop and of a phone.
import type { Browser, Page } from 'playwright-core';

export const widths = [
  { width: 1280, height: 860 },
  { width: 390, height: 844 },
];

export interface DocsPage {
  name: string;
  path: string;
  /** Makes a request from the page, waits for its response, and resolves to the text that the reader then sees. */
  use: (page: Page) => Promise<string>;
}

export const docsPages: DocsPage[] = [
  { name: 'overview', path: '/docs', use: (page) => page.locator('main').innerText() },
  { name: 'build', path: '/docs/build-an-sdk', use: (page) => page.locator('main').innerText() },
  { name: 'public', path: '/docs/public', use: fetchCampaigns },
  { name: 'admin', path: '/docs/admin', use: askWhoIAm },
];

/** Sends the demo key, which the page contains. */
async function fetchCampaigns(page: Page): Promise<string> {
  return await send(page, 'getCampaigns');
}

export async function uploadSession(page: Page): Promise<string> {
  return await send(page, 'reportSessions');
}

/** Sends the form of an operation as it is filled in. Resolves to the response and the request, as the page shows them. */
export async function send(page: Page, operationId: string): Promise<string> {
  const form = page.locator(`form[data-operation="${operationId}"]`);
  await form.getByRole('button', { name: 'Send' }).click();
  await form.locator('.answer .status').waitFor();
  return await form.locator('.answer').innerText();
}

async function askWhoIAm(page: Page): Promise<string> {
  // The form has its listener with the explorer.
  await page.locator('.graphiql-execute-button').waitFor();
  await page.locator('#login button').click();
  await page.locator('#session').getByText('Logged in as').waitFor();
  await page.locator('.graphiql-execute-button').click();
  await page.locator('.graphiql-sidebar').getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
  await page.locator('.graphiql-plugin').getByText('applications').waitFor();
  const answer = page.locator('.result-window').getByText('"role"');
  await answer.waitFor();
  return await page.locator('.result-window').innerText();
}

export interface OpenedPage {
  page: Page;
  /** Every message in the browser's console, and every request that failed or left the service's origin. */
  problems: string[];
}

export interface View {
  viewport?: { width: number; height: number };
  scheme?: 'light' | 'dark';
}

export async function openPage(browser: Browser, url: string, view: View = {}): Promise<OpenedPage> {
  const { viewport = widths[0]!, scheme = 'light' } = view;
  const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const problems: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  page.on('request', (request) => {
    const elsewhere = /^https?:/.test(request.url()) && new URL(request.url()).origin !== origin;
    if (elsewhere) problems.push(`another host: ${request.url()}`);
  });
  await page.goto(url);
  await page.locator('main > *').first().waitFor();
  return { page, problems };
}

// Uses the documentation pages in a browser as a reader does, at the width of a desktop and of a phone.
import type { Browser, Page } from 'playwright-core';

export const widths = [
  { width: 1280, height: 860 },
  { width: 390, height: 844 },
];

export interface DocsPage {
  name: string;
  path: string;
  /** Uses the page, and resolves to the text that the reader then sees. */
  use: (page: Page) => Promise<string>;
}

export const docsPages: DocsPage[] = [
  { name: 'overview', path: '/docs', use: (page) => page.locator('main').innerText() },
  { name: 'build', path: '/docs/build-an-sdk', use: (page) => page.locator('main').innerText() },
  { name: 'public', path: '/docs/public', use: openOperation },
  { name: 'admin', path: '/docs/admin', use: askWhoIAm },
];

/** Goes from a link of the introduction to the operation, and reads its command. */
async function openOperation(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Fetching', exact: true }).click();
  const command = page.locator('pre', { hasText: '/api/v1/campaigns?' });
  await command.waitFor();
  return await command.innerText();
}

async function askWhoIAm(page: Page): Promise<string> {
  // The form has its listener with the explorer.
  await page.locator('.graphiql-execute-button').waitFor();
  await page.locator('#login button').click();
  await page.locator('#session').getByText('Logged in as').waitFor();
  await page.locator('.graphiql-execute-button').click();
  await page.locator('.graphiql-sidebar').getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
  await page.locator('.graphiql-plugin').getByText('applications').waitFor();
  const result = page.locator('.result-window').getByText('"role"');
  await result.waitFor();
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
  await page.locator('#main :is(h1, h2), #login').first().waitFor();
  return { page, problems };
}

// The dashboard in a real browser: opens a screen at a width and in a colour scheme, logged in, and looks for what is wrong.
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { loadDashboard } from '../../src/http/dashboard/dashboardPage.ts';
import { hashPassword } from '../../src/platform/passwordHash.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import type { Role } from '../../src/workspace/workspace.ts';
import { startBrowser } from './browser.ts';
import { eventually } from './eventually.ts';
import { startTestService, type TestService, type TestServiceOptions } from './testService.ts';
import { newUser, organizationOf, type TestUser } from './testUsers.ts';

export const widths = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
] as const;
export const schemes = ['light', 'dark'] as const;

export interface DashboardLogin {
  email: string;
  password: string;
}

export interface DashboardTest {
  service: TestService;
  browser: Browser;
  stop(): Promise<void>;
}

/** The service with the built page, and a browser. The tests of the project `browser` build the page first. */
export async function startDashboard(options: TestServiceOptions = {}): Promise<DashboardTest> {
  const dashboard = await loadDashboard(projectFile('dist', 'dashboard'));
  const service = await startTestService({ ...options, dashboard });
  const browser = await startBrowser();
  const stop = async (): Promise<void> => {
    // Its open pages keep on asking, which would hold the drain up.
    await browser.close();
    await service.stop();
  };
  return { service, browser, stop };
}

/** A user of the test application's organization who can log in on the page. */
export async function newDashboardUser(service: TestService, role: Role = 'owner'): Promise<TestUser & DashboardLogin> {
  const user = await newUser(service, await organizationOf(service, service.application.id), role);
  const password = 'a fine phrase for a test';
  const data = { passwordHash: await hashPassword(password) };
  await service.database.prisma.user.update({ where: { id: user.id }, data });
  return { ...user, password };
}

export interface OpenDashboard {
  context: BrowserContext;
  page: Page;
  /** Errors in the console and of the page: a test expects none. */
  problems: string[];
}

/** A browser context of its own: nothing of another test is in its storage. */
export async function openDashboard(
  browser: Browser,
  {
    viewport = widths[0],
    scheme = 'light',
  }: { viewport?: { width: number; height: number }; scheme?: 'light' | 'dark' } = {},
): Promise<OpenDashboard> {
  const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce', locale: 'en' });
  // For a hang alone: on a busy machine the page took more than the 30 s of Playwright.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  return { context, page, problems };
}

/** Logs in on the login page and lands on `path` below `/admin`. */
export async function logIn(
  page: Page,
  url: string,
  { path, ...login }: DashboardLogin & { path: string },
): Promise<void> {
  await page.goto(`${url}/admin/login?next=${encodeURIComponent(path)}`);
  await page.getByLabel('E-mail address').fill(login.email);
  await page.getByLabel('Password', { exact: true }).fill(login.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((now) => !now.pathname.endsWith('/login'));
}

/** From here on the page's timers wait: a text that is gone after two seconds stays, however long the machine pauses. */
export const stopClock = (page: Page): Promise<void> => page.clock.pauseAt(new Date(Date.now() + 60_000));

/** Waits until a field has the value: a page shows a new URL or a response a moment after it has it. */
export const waitForValue = (field: Locator, value: string): Promise<string> =>
  eventually(
    () => field.inputValue(),
    (now) => now === value,
  );

/** Waits until the element has the focus, which moves after what caused it. */
export const waitForFocus = (element: Locator): Promise<void> =>
  element.and(element.page().locator(':focus')).waitFor();

const axe = readFileSync(projectFile('node_modules', 'axe-core', 'axe.min.js'), 'utf8');

/** The violations of WCAG 2.2 AA, each with its places. */
export async function violationsOf(page: Page): Promise<string[]> {
  // By the debugger's own way, which the page's Content-Security-Policy does not concern.
  await page.evaluate(axe);
  return await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  });
}

/** How far the page is wider than the screen, in pixels. */
export async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth'));
}

/** The figures of the tiles, by their names. */
export async function tilesOf(page: Page): Promise<Record<string, string>> {
  await page.locator('main dl > div').first().waitFor();
  const read = `[...document.querySelectorAll('main dl > div')].map((tile) => [
    tile.querySelector('dt').textContent, tile.querySelector('dd').textContent])`;
  return Object.fromEntries(await page.evaluate<[string, string][]>(read));
}

/** The cells of a table's rows, as they are shown. */
export async function rowsOf(page: Page, caption: string): Promise<string[][]> {
  const rows = page.getByRole('region', { name: caption, exact: true }).locator('tbody tr');
  await rows.first().waitFor();
  return (await rows.allInnerTexts()).map((row) => row.split('\t').map((cell) => cell.trim()));
}

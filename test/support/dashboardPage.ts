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

/** The service with the built page, and a browser. The tests of the project `browser` build the page first. */
export interface DashboardTest {
  readonly service: TestService;
  readonly browser: Browser;
}

/** How a page is opened. */
export interface Look {
  viewport?: { width: number; height: number };
  scheme?: 'light' | 'dark';
}

/** An organization of its own with an application and a user, in the service that all tests of a file share. */
export interface Workspace extends DashboardTest {
  readonly user: TestUser & DashboardLogin;
  /** The path of one of the application's screens below `/admin`; one that begins with `/` stays. */
  pathOf: (screen: string) => string;
  urlOf: (screen: string) => string;
  /** A page that nobody has opened anything in. */
  newPage: (look?: Look) => Promise<OpenDashboard>;
  /** Logs in on the login page and lands at the screen. */
  logIn: (page: Page, screen: string, as?: DashboardLogin) => Promise<void>;
  /** A page at the screen, where `as` is logged in: the user of the workspace unless given. */
  open: (screen: string, look?: Look & { as?: DashboardLogin }) => Promise<OpenDashboard>;
}

/**
 * Starts one service and one browser for the tests of a file. After each test its pages are closed, and the test fails
 * if one of them had a problem.
 */
export function useDashboard(options: TestServiceOptions = {}) {
  let service: TestService;
  let browser: Browser;
  const opened: OpenDashboard[] = [];
  beforeAll(async () => {
    service = await startTestService({ ...options, dashboard: await loadDashboard(projectFile('dist', 'dashboard')) });
    browser = await startBrowser();
  });
  afterEach(async () => {
    const closing = opened.splice(0);
    await Promise.all(closing.map(({ context }) => context.close()));
    expect(closing.flatMap(({ problems }) => problems)).toEqual([]);
  });
  afterAll(async () => {
    // Its open pages keep on asking, which would hold the drain up.
    await browser?.close();
    await service?.stop();
  });
  const newPage = async (look?: Look): Promise<OpenDashboard> => {
    const page = await openDashboard(browser, look);
    opened.push(page);
    return page;
  };

  /** `changed` starts another service for the workspace. */
  function useWorkspace(role: Role, changed?: TestServiceOptions): Workspace {
    let own: TestService;
    let user: TestUser & DashboardLogin;
    beforeAll(async () => {
      const page = changed && (await loadDashboard(projectFile('dist', 'dashboard')));
      own = page
        ? await startTestService({ ...options, ...changed, dashboard: page })
        : await service.withNewApplication();
      user = await newDashboardUser(own, role);
    });
    afterAll(async () => {
      if (changed) await own?.stop();
    });
    const logInAt: Workspace['logIn'] = (page, screen, as = user) =>
      logIn(page, own.url, { ...as, path: pathOf(screen) });
    const pathOf = (screen: string): string =>
      screen.startsWith('/') ? screen : `/apps/${own.application.id}/${screen}`;
    return {
      get service() {
        return own;
      },
      get browser() {
        return browser;
      },
      get user() {
        return user;
      },
      pathOf,
      urlOf: (screen) => `${own.url}/admin${pathOf(screen)}`,
      newPage,
      logIn: logInAt,
      async open(screen, { as, ...look } = {}) {
        const opened = await newPage(look);
        await logInAt(opened.page, screen, as);
        return opened;
      },
    };
  }
  return { useWorkspace };
}

/** Registers the test at both widths and in both colour schemes. */
export function testEverywhere(name: string, run: (look: Required<Look>) => Promise<void>): void {
  describe.each(widths)('at a width of $width', (viewport) => {
    test.each(schemes)(`${name}: %s`, (scheme) => run({ viewport, scheme }));
  });
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
  /** Errors in the console that are none here, for a test to add to. */
  expected: RegExp[];
}

/** A browser context of its own: nothing of another test is in its storage. */
export async function openDashboard(
  browser: Browser,
  { viewport = widths[0], scheme = 'light' }: Look = {},
): Promise<OpenDashboard> {
  const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce', locale: 'en' });
  // For a hang alone: on a busy machine the page took more than the 30 s of Playwright.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const problems: string[] = [];
  const expected: RegExp[] = [];
  page.on('console', (message) => {
    const isExpected = expected.some((one) => one.test(message.text()));
    if (message.type() === 'error' && !isExpected) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return { context, page, problems, expected };
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

/** The page as it is shown now breaks no rule of accessibility, and is not wider than the screen. */
export async function expectFine(page: Page): Promise<void> {
  const at = `${new URL(page.url()).pathname} at ${page.viewportSize()!.width}`;
  expect([at, await violationsOf(page), await overflowOf(page)]).toEqual([at, [], 0]);
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

// `npm run docs:screenshots`: every screen of the dashboard with the demo's data, at both widths and in both colour schemes.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { demoLogin } from '../../src/accounts/signupPolicy.ts';
import { screenPaths } from '../../src/http/dashboard/dashboardPage.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { askAdmin } from '../support/adminClient.ts';
import { startBrowser } from '../support/browser.ts';
import { logIn, openDashboard, schemes, widths } from '../support/dashboardPage.ts';
import { clearAway, newDataDir, runBuilt, startService, type RunningService } from '../support/serviceProcess.ts';

const folder = path.resolve(process.env['SCREENSHOTS_DIR'] || projectFile('.data', 'screenshots'), 'dashboard');
const timeout = 600_000;
let service: RunningService;
let browser: Browser;
let screens: { name: string; path: string }[];
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const dataDir = newDataDir();
  service = await startService({ DATA_DIR: dataDir, ANALYTICS: 'embedded', ANALYTICS_MEMORY_MIB: '256' });
  const env = { DATA_DIR: dataDir, PORT: new URL(service.url).port };
  const demo = runBuilt('test/tools/demo/main.js', env, ['--devices', '120', '--days', '14', '--seed', '3']);
  expect((await demo.ended).code).toBe(0);
  screens = await screensOf(service.url);
  browser = await startBrowser();
}, timeout);
afterAll(async () => {
  await browser?.close();
  await clearAway();
}, timeout);

interface Listed {
  id: string;
  stats: { resolved: { completed: number } };
}

const completed = ({ stats }: Listed): number => stats.resolved.completed;

/** Events of the demo, so that the funnel has something to show. */
const steps = ['AppOpened', 'ScreenViewed', 'ProductAdded'].map((name) => ({ name, type: 'CUSTOM' }));

/** The screens of the application that has the most campaigns, which is the demo's own. */
async function screensOf(url: string): Promise<{ name: string; path: string }[]> {
  const login = `mutation { login(input: { email: "${demoLogin.email}", password: "${demoLogin.password}" }) { token } }`;
  const { data } = await askAdmin(url, { query: login });
  const { token } = data!['login'] as { token: string };
  const asked = async <Found>(query: string) => (await askAdmin(url, { query, token })).data as Found;
  const { applications } = await asked<{ applications: { id: string }[] }>('{ applications { id } }');
  const counted = await Promise.all(
    applications.map(async ({ id }) => {
      const found = await asked<{ campaigns: Listed[]; devices: { nodes: { id: string }[] } | null }>(
        `{ campaigns(applicationId: "${id}") { id stats { resolved { completed } } }
          devices(applicationId: "${id}", limit: 1) { nodes { id } } }`,
      );
      const campaigns = found.campaigns.sort((one, other) => completed(other) - completed(one));
      return { id, campaigns, device: found.devices?.nodes[0]?.id ?? '' };
    }),
  );
  const demo = counted.sort((one, other) => other.campaigns.length - one.campaigns.length)[0]!;
  const about: Record<string, string> = {
    device: `?id=${encodeURIComponent(demo.device)}`,
    events: `?events=${encodeURIComponent('[{"name":"ScreenViewed","type":"CUSTOM"}]')}`,
    funnel: `?steps=${encodeURIComponent(JSON.stringify(steps))}`,
  };
  return screenPaths
    .filter((each) => each !== '/')
    .map((each) => {
      const name = each.split('/').at(-1)!.replace(':id', 'campaign');
      const shown = each.replace(':applicationId', demo.id).replace(':id', demo.campaigns[0]!.id);
      return { name, path: shown + (about[name] ?? '') };
    });
}

/** Until nothing is loading any more. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await page.waitForTimeout(700);
}

const beforeLogin = /^\/(login|signup|forgot-password|reset-password|accept-invitation|confirm-email)/;

test.each(widths.flatMap((viewport) => schemes.map((scheme) => ({ viewport, scheme }))))(
  'at $viewport.width, $scheme',
  async ({ viewport, scheme }) => {
    const { page, context, problems } = await openDashboard(browser, { viewport, scheme });
    const shoot = async ({ name, path: shown }: { name: string; path: string }): Promise<void> => {
      await page.goto(`${service.url}/admin${shown}`);
      await settled(page);
      await page.screenshot({ path: path.join(folder, `${name}-${viewport.width}-${scheme}.png`), fullPage: true });
    };
    for (const screen of screens.filter(({ path: shown }) => beforeLogin.test(shown))) await shoot(screen);
    await logIn(page, service.url, { ...demoLogin, path: '/' });
    for (const screen of screens.filter(({ path: shown }) => !beforeLogin.test(shown))) await shoot(screen);
    expect(problems).toEqual([]);
    await context.close();
  },
  timeout,
);

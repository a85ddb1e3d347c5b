// The dashboard with ten thousand campaigns and texts of 256 characters: every screen that lists them stays usable at each width.
import type { Page } from 'playwright-core';
import { crowdApplication, hardTexts } from '../support/crowdedApplication.ts';
import {
  logIn,
  newDashboardUser,
  openDashboard,
  overflowOf,
  schemes,
  startDashboard,
  violationsOf,
  widths,
  type DashboardTest,
} from '../support/dashboardPage.ts';

let dashboard: DashboardTest;
let user: Awaited<ReturnType<typeof newDashboardUser>>;
beforeAll(async () => {
  dashboard = await startDashboard();
  await crowdApplication(dashboard.service);
  user = await newDashboardUser(dashboard.service, 'owner');
});
afterAll(() => dashboard.stop());

/** Events as the URL of a report names them. */
const steps = (...names: string[]): string =>
  encodeURIComponent(JSON.stringify(names.map((name) => ({ name, type: 'CUSTOM' }))));

/** Each screen with the text that says that it is there, and what is opened in it first. */
const screens: { path: string; ready: (page: Page) => Promise<void> }[] = [
  { path: 'campaigns', ready: (page) => page.getByText(/^1 to 50 of [\d,]+ campaigns$/).waitFor() },
  {
    path: 'live',
    ready: async (page) => {
      await page.getByRole('cell', { name: hardTexts.solid }).first().waitFor();
      await page.getByRole('button', { name: 'Add filter' }).click();
      await page.getByRole('combobox', { name: 'Property' }).click();
      await page.getByRole('option', { name: hardTexts.mixed, exact: true }).waitFor();
    },
  },
  { path: 'devices', ready: (page) => page.getByRole('link', { name: hardTexts.solid }).first().waitFor() },
  {
    path: `device?id=${encodeURIComponent(hardTexts.rightToLeft)}`,
    ready: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  },
  {
    path: 'campaign-editor',
    ready: async (page) => {
      await page.getByRole('combobox', { name: 'Event' }).click();
      await page.getByRole('option', { name: hardTexts.mixed, exact: true }).waitFor();
    },
  },
  {
    path: `funnel?steps=${steps(hardTexts.spaced, hardTexts.solid)}`,
    ready: (page) => page.getByRole('table', { name: 'Steps of the funnel' }).waitFor(),
  },
  { path: 'overview', ready: (page) => page.getByRole('link', { name: hardTexts.markup }).first().waitFor() },
  {
    path: `events?events=${steps(hardTexts.solid, hardTexts.rightToLeft)}`,
    ready: (page) => page.getByRole('img', { name: /chart/ }).first().waitFor(),
  },
];

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(schemes)('no screen is wider than the page or breaks a rule of accessibility: %s', async (scheme) => {
    const { page, problems, context } = await openDashboard(dashboard.browser, { viewport, scheme });
    const base = `/apps/${dashboard.service.application.id}`;
    await logIn(page, dashboard.service.url, { ...user, path: `${base}/campaigns` });
    const found: Record<string, unknown> = {};
    for (const { path, ready } of screens) {
      await page.goto(`${dashboard.service.url}/admin${base}/${path}`);
      await ready(page);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      found[path] = [await violationsOf(page), await overflowOf(page), problems.splice(0)];
      await lookAt(page, `${path.split('?')[0]}-${viewport.width}-${scheme}`);
    }
    expect(found).toEqual(Object.fromEntries(screens.map(({ path }) => [path, [[], 0, []]])));
    await context.close();
  });
});

/** CROWDED_SHOTS names a folder for pictures, to look at what is asserted here. */
async function lookAt(page: Page, name: string): Promise<void> {
  const folder = process.env['CROWDED_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

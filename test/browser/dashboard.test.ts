// The whole dashboard in a browser: a journey from the sign-up on, screens with more than they can show, and what a visit loads.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { askAdmin } from '../support/adminClient.ts';
import { fetchConfig, withinASecond } from '../support/campaigns.ts';
import { crowdApplication, hardTexts } from '../support/crowdedApplication.ts';
import { expectFine, testEverywhere, useDashboard, type DashboardTest } from '../support/dashboardPage.ts';
import { useApp } from '../support/phone.ts';

const { useWorkspace } = useDashboard();

// The dashboard's whole journey in a browser: from the sign-up to a running campaign, seen in the live view and in its figures.
describe('journey', () => {
  const dashboard = useWorkspace('owner');
  const newcomer = { email: `new-${randomUUID()}@example.com`, password: 'a fine phrase for a journey' };
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const fill = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  const goTo = (page: Page, screen: string) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();

  async function signUp(page: Page): Promise<void> {
    await page.goto(dashboard.urlOf('/signup'));
    await fill(page, 'Your name', 'Nora');
    await fill(page, 'Organization', 'Northern Games');
    await fill(page, 'E-mail address', newcomer.email);
    await fill(page, 'Password', newcomer.password);
    await press(page, 'Sign up');
    await page.getByRole('heading', { name: 'Create your first application' }).waitFor();
    await fill(page, 'Name', 'Puzzle');
    await fill(page, 'Bundle or package identifier', 'com.example.puzzle');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('berlin');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    await press(page, 'Create the application');
    await page.waitForURL(/\/first-event$/);
  }

  /** Runs the command that the page shows, as a shell would. */
  async function sendFirstEvent(page: Page): Promise<void> {
    await page.getByText('Waiting for your first event').waitFor();
    const shown = page.getByRole('region', { name: '1. Send an event' }).locator('pre');
    const command = await shown.filter({ hasText: 'curl' }).innerText();
    const url = /curl -i (\S+)/.exec(command)![1]!;
    const headers = [...command.matchAll(/-H '([^:]+): ([^']*)'/g)].map(([, name, value]) => [name!, value!]);
    const body = /-d '([^']*)'/.exec(command)![1]!;
    const sent = await fetch(url, {
      method: 'POST',
      headers: Object.fromEntries(headers) as Record<string, string>,
      body,
    });
    expect([sent.status, await sent.text()]).toEqual([200, '{}']);
    await page.getByText('The event LevelCompleted has arrived').waitFor();
  }

  async function readKeys(page: Page): Promise<{ publicKey: string; secretKey: string }> {
    await goTo(page, 'Keys');
    await page.getByRole('button', { name: /^Secret/ }).click();
    await press(page, 'Show the secret');
    const pair = page.getByRole('dialog').locator('code');
    await pair.nth(1).waitFor();
    const [publicKey, secretKey] = await pair.allInnerTexts();
    await page.keyboard.press('Escape');
    return { publicKey: publicKey!, secretKey: secretKey! };
  }

  /** Gives the id of the campaign, which runs. */
  async function runCampaign(page: Page): Promise<string> {
    await goTo(page, 'Campaigns');
    await page.getByText('No campaigns yet').waitFor();
    await page.getByRole('link', { name: 'New campaign' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Well done');
    await page.getByRole('combobox', { name: 'Event' }).fill('level');
    await page.getByRole('option', { name: 'LevelCompleted' }).click();
    await press(page, 'Add condition');
    const row = page.getByRole('group', { name: 'Condition 1' });
    await row.getByRole('combobox', { name: 'Parameter' }).fill('level');
    await row.getByLabel('Comparison').selectOption('GTE');
    await row.getByLabel('Type').selectOption('NUMBER');
    await row.getByRole('textbox', { name: 'Value' }).fill('5');
    await fill(page, 'Kind', 'message');
    await fill(page, 'Payload', '{"text": "Well done"}');
    await page.getByLabel(/^Blocking/).check();
    await press(page, 'Save as a draft');
    await page.waitForURL(/\/campaigns\/[\da-f-]{36}$/);
    await press(page, 'Start now');
    await page.getByRole('dialog').getByRole('button', { name: 'Start now' }).click();
    await page.getByText('Draft → Active').waitFor();
    return page.url().split('/').at(-1)!;
  }

  async function seeLive(page: Page): Promise<void> {
    await goTo(page, 'Live');
    const shown = page.getByRole('row').filter({ hasText: 'CampaignShown' });
    await shown.nth(1).waitFor();
    expect(await shown.count()).toBe(2);
    await page.getByRole('row').filter({ hasText: 'CampaignResolved' }).filter({ hasText: 'Dismissed' }).waitFor();
  }

  async function seeFigures(page: Page): Promise<void> {
    await goTo(page, 'Campaigns');
    const row = page.getByRole('row').filter({ hasText: 'Well done' });
    // What the page has read before is shown until the new figures are there, here and below.
    await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    expect((await row.getByRole('cell').allInnerTexts()).slice(2, 5)).toEqual(['2', '1', '1']);
    await row.getByRole('link', { name: 'Well done' }).click();
    const results = page.getByRole('region', { name: 'Results since its creation' });
    await results.getByText('2', { exact: true }).waitFor();
    const tiles = (await results.locator('dl > div').allInnerTexts()).map((text) => text.split('\n')[1]);
    expect(tiles).toEqual(['2', '1', '1', '0', '0', '0']);
    for (const step of ['4 devices had the event LevelCompleted', '3 devices with parameters that fit'])
      await page.getByRole('button', { name: step }).waitFor();
    await page.getByRole('button', { name: '2 devices have shown the campaign' }).click();
    const behind = page.getByRole('dialog');
    await behind.getByRole('link', { name: 'phone-2' }).waitFor();
    await behind.getByRole('link', { name: 'phone-1' }).click();
    await page.getByRole('region', { name: 'Timeline' }).getByText('CampaignShown').waitFor();
  }

  async function statsOf(id: string): Promise<unknown> {
    const { url } = dashboard.service;
    const login = 'mutation L($input: LoginInput!) { login(input: $input) { token } }';
    const { token } = (await askAdmin(url, { query: login, variables: { input: newcomer } })).data!['login'] as {
      token: string;
    };
    const stats = `{ campaign(id: "${id}") { state stats { shown resolved { completed dismissed } } } }`;
    return (await askAdmin(url, { query: stats, token })).data!['campaign'];
  }

  test('somebody signs up, sends an event, runs a campaign, and sees what devices made of it', async () => {
    const { page } = await dashboard.newPage();
    await signUp(page);
    await sendFirstEvent(page);
    const keys = await readKeys(page);
    const id = await runCampaign(page);
    const application = { key: { public: keys.publicKey } } as DashboardTest['service']['application'];
    await withinASecond(
      async () => (await fetchConfig({ client: dashboard.service.client, application })).body.campaigns.length > 0,
    );
    const credentials = { ...keys, baseUrl: dashboard.service.url };
    await useApp({ id: 'phone-1', credentials, user: 'Completed' }, 'LevelCompleted', { level: 5 });
    await useApp({ id: 'phone-2', credentials, user: 'Dismissed' }, 'LevelCompleted', { level: 9 });
    await useApp({ id: 'phone-3', credentials, user: 'Completed' }, 'LevelCompleted', { level: 4 });
    await seeLive(page);
    await seeFigures(page);
    expect(await statsOf(id)).toEqual({
      state: 'ACTIVE',
      stats: { shown: 2, resolved: { completed: 1, dismissed: 1 } },
    });
  });
});

// The dashboard with ten thousand campaigns and texts of 256 characters: every screen that lists them stays usable at each width.
describe('crowded', () => {
  const dashboard = useWorkspace('owner');
  beforeAll(() => crowdApplication(dashboard.service));

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

  testEverywhere('no screen is wider than the page or breaks a rule of accessibility', async (look) => {
    const { page } = await dashboard.open('campaigns', look);
    for (const { path, ready } of screens) {
      await page.goto(dashboard.urlOf(path));
      await ready(page);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      await lookAt(page, `${path.split('?')[0]}-${look.viewport.width}-${look.scheme}`);
      await expectFine(page);
    }
  });

  /** CROWDED_SHOTS names a folder for pictures, to look at what is asserted here. */
  async function lookAt(page: Page, name: string): Promise<void> {
    const folder = process.env['CROWDED_SHOTS'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }
});

// What a browser loads of the dashboard: at most 300 kB compressed before the first screen is there, and no other host.
describe('size', () => {
  const dashboard = useWorkspace('owner');
  const mostBytes = 300_000;

  test.each(['/login', '/'])('the first load that ends at %s', async (path) => {
    const { url } = dashboard.service;
    const { page } = await dashboard.newPage();
    const loaded: Promise<[string, number]>[] = [];
    page.on('response', (response) => {
      const size = Number(response.headers()['content-length'] ?? 0);
      loaded.push(Promise.resolve([response.url(), size]));
    });
    await page.goto(dashboard.urlOf('/login'));
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    if (path === '/') {
      await dashboard.logIn(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    const files = await Promise.all(loaded);
    expect(files.filter(([file]) => !file.startsWith(url))).toEqual([]);
    const bytes = new Map(files.filter(([file]) => file.includes('/admin/assets/')));
    expect(bytes.size).toBeGreaterThan(2);
    expect([...bytes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(mostBytes);
  });

  test('the page has the rules of every part of Mantine that it uses', () => {
    const folder = projectFile('dist', 'dashboard', 'assets');
    const textOf = (end: string): string =>
      readdirSync(folder)
        .filter((name) => name.endsWith(end))
        .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
        .join('\n');
    const classesOf = (text: string): Set<string> => new Set(text.match(/\bm_[0-9a-f]{4,8}\b/g));
    const [used, ruled] = [classesOf(textOf('.js')), classesOf(textOf('.css'))];
    const known = classesOf(readFileSync(projectFile('node_modules', '@mantine', 'core', 'styles.css'), 'utf8'));
    expect(used.size).toBeGreaterThan(50);
    // Each has an import to add to src/dashboard/mantine.css.
    expect([...known].filter((name) => used.has(name) && !ruled.has(name))).toEqual([]);
  });
});

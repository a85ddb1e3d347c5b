// The documentation pages in a real browser: they open without an error in the console, fit a phone, and show responses of both APIs.
import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { docsPages, openPage, uploadSession, widths } from '../support/docsPages.ts';
import { clearAway, startService, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const timeout = 60_000;
const answers: Record<string, RegExp> = {
  overview: /getCampaigns[\s\S]*RATE_LIMITED/,
  public: /200[\s\S]*"revision"/,
  admin: /"email": "demo@example.com"/,
};
let database: TestDatabase;
let service: RunningService;
let browser: Browser;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startService({ DATABASE_URL: database.url, SESSION_SIGNATURE: 'required' });
  browser = await startBrowser();
}, 150_000);
afterAll(async () => {
  await browser?.close();
  await clearAway();
  await database.drop();
}, timeout);

describe.each(widths)('at a width of $width', (viewport) => {
  test.each(docsPages)(
    '$path opens, is used, and fits',
    async ({ name, path, use }) => {
      const { page, problems } = await openPage(browser, service.opsUrl + path, viewport);
      expect(await use(page)).toMatch(answers[name]!);
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      expect(problems).toEqual([]);
      await page.context().close();
    },
    timeout,
  );
});

test(
  'the reference signs a session upload with the secret that is typed in, and without one it is refused',
  async () => {
    const { page } = await openPage(browser, `${service.opsUrl}/docs/public`);
    expect(await uploadSession(page)).toMatch(/X-Signature: v1=[\s\S]*\b200\b/i);
    await page.locator('#keys [name=secret]').fill('');
    await page.locator('.btn.execute').click();
    await page.locator('.live-responses-table').getByText('signature_missing').first().waitFor();
    await page.context().close();
  },
  timeout,
);

test(
  'the guide opens and fits a phone, and so do the operations',
  async () => {
    const { page, problems } = await openPage(browser, `${service.opsUrl}/docs/public`, widths[1]);
    // A text squeezed beside another one also fits the page, with one letter per line. So the test requires a width.
    for (const text of await page.locator('.opblock-tag small').all())
      expect((await text.boundingBox())!.width).toBeGreaterThan(195);
    await page.locator('.guide summary').click();
    const name = page.locator('.guide td code', { hasText: 'reportStoreTransactions' });
    expect((await name.boundingBox())!.height).toBeLessThan(40);
    for (const operation of await page.locator('.opblock-summary-control').all()) await operation.click();
    await page.locator('.btn.execute').nth(3).waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(problems).toEqual([]);
    await page.context().close();
  },
  timeout,
);

test(
  'a key that is typed in takes the place of the one that the page knows',
  async () => {
    const { page, problems } = await openPage(browser, `${service.opsUrl}/docs/public`);
    await page.locator('.opblock-summary-control').last().click();
    for (const key of ['pub_unknown', '']) {
      await page.locator('#keys [name=public]').fill(key);
      await page.locator('#keys [name=public]').press('Tab');
      await page.locator('.btn.execute').click();
      await page.locator('.live-responses-table').getByText('Application not found').first().waitFor();
      await page.locator('.btn-clear').click();
    }
    // The test itself asks for the 404 of the page's request.
    expect(problems.filter((problem) => !/^404: |status of 404/.test(problem))).toEqual([]);
    await page.context().close();
  },
  timeout,
);

test(
  'the browser itself refuses another host, whatever a page would ask for',
  async () => {
    const { page } = await openPage(browser, `${service.opsUrl}/docs`);
    const blocked = await page.evaluate(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', ({ blockedURI }) => resolve(blockedURI));
      fetch('https://example.com/').catch(() => undefined);
    })`);
    expect(blocked).toBe('https://example.com/');
    await page.context().close();
  },
  timeout,
);

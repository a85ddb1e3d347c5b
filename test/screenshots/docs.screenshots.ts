// `npm run docs:screenshots`: every documentation page, opened and used, at both widths and in both colour schemes, as PNG files in SCREENSHOTS_DIR.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { startBrowser } from '../support/browser.ts';
import { schemes } from '../support/dashboardPage.ts';
import { docsPages, openPage, widths } from '../support/docsPages.ts';
import { startOpsService, type OpsService } from '../support/opsService.ts';

const folder = path.resolve(process.env['SCREENSHOTS_DIR'] || projectFile('.data', 'screenshots'));
const timeout = 120_000;
let service: OpsService;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  service = await startOpsService({});
  browser = await startBrowser();
}, timeout);
afterAll(async () => {
  await browser?.close();
  await service.stop();
}, timeout);

const views = widths.flatMap((viewport) => schemes.map((scheme) => ({ viewport, scheme })));
const shots = views.flatMap((view) => docsPages.map((page) => ({ ...page, ...view })));

test.each(shots)(
  '$name at $viewport.width, $scheme',
  async ({ name, path: address, use, viewport, scheme }) => {
    const { page } = await openPage(browser, service.url + address, { viewport, scheme });
    const shoot = (suffix: string, fullPage: boolean) =>
      page.screenshot({ path: path.join(folder, `${name}-${viewport.width}-${scheme}${suffix}.png`), fullPage });
    // The reference is too long for one picture.
    await shoot('', name !== 'public');
    await use(page);
    if (name === 'public' || name === 'admin') await shoot('-used', name === 'admin');
    await page.context().close();
  },
  timeout,
);

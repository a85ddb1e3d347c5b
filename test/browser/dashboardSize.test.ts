// What a browser loads of the dashboard: at most 300 kB compressed before the first screen is there, and no other host.
import {
  logIn,
  newDashboardUser,
  openDashboard,
  startDashboard,
  type DashboardTest,
} from '../support/dashboardPage.ts';

const mostBytes = 300_000;
let dashboard: DashboardTest;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

test.each(['/login', '/'])('the first load that ends at %s', async (path) => {
  const { service, browser } = dashboard;
  const { page, context } = await openDashboard(browser);
  const loaded: Promise<[string, number]>[] = [];
  page.on('response', (response) => {
    const size = Number(response.headers()['content-length'] ?? 0);
    loaded.push(Promise.resolve([response.url(), size]));
  });
  await page.goto(`${service.url}/admin/login`);
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  if (path === '/') {
    await logIn(page, service.url, { ...(await newDashboardUser(service)), path });
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  const files = await Promise.all(loaded);
  expect(files.filter(([url]) => !url.startsWith(service.url))).toEqual([]);
  const bytes = new Map(files.filter(([url]) => url.includes('/admin/assets/')));
  expect(bytes.size).toBeGreaterThan(2);
  expect([...bytes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(mostBytes);
  await context.close();
});

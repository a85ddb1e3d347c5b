// Opens a screen of the dashboard at both widths and in both schemes, and finds no error, violation or sideways scrolling.
import {
  logIn,
  openDashboard,
  overflowOf,
  schemes,
  violationsOf,
  widths,
  type DashboardLogin,
  type DashboardTest,
} from './dashboardPage.ts';

interface Opened {
  path: string;
  /** Absent: a page in front of the login. */
  login?: DashboardLogin;
  /** A text that is there once the screen has loaded. */
  seen: string;
}

export async function expectOpensEverywhere({ browser, service }: DashboardTest, opened: Opened): Promise<void> {
  for (const viewport of widths) {
    for (const scheme of schemes) {
      const { page, problems, context } = await openDashboard(browser, { viewport, scheme });
      if (opened.login) await logIn(page, service.url, { ...opened.login, path: opened.path });
      else await page.goto(`${service.url}/admin${opened.path}`);
      await page.getByText(opened.seen).first().waitFor();
      const at = `${opened.path} ${viewport.width} ${scheme}`;
      const found = [at, await violationsOf(page), await overflowOf(page), problems];
      expect(found).toEqual([at, [], 0, []]);
      await context.close();
    }
  }
}

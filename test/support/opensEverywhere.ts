// Opens a screen of the dashboard at both widths and in both schemes, and finds no error, violation or sideways scrolling.
import { expectFine, logIn, schemes, widths, type DashboardLogin, type Workspace } from './dashboardPage.ts';

interface Opened {
  path: string;
  /** Absent: the user of the workspace. Null: a page in front of the login. */
  login?: DashboardLogin | null;
  /** A text that is there once the screen has loaded. */
  seen: string;
}

export async function expectOpensEverywhere(
  { newPage, service, user, pathOf, urlOf }: Workspace,
  { path, login = user, seen }: Opened,
): Promise<void> {
  for (const viewport of widths) {
    for (const scheme of schemes) {
      const { page, problems, context } = await newPage({ viewport, scheme });
      if (login) await logIn(page, service.url, { ...login, path: pathOf(path) });
      else await page.goto(urlOf(path));
      await page.getByText(seen).first().waitFor();
      await expectFine(page);
      expect(problems).toEqual([]);
      await context.close();
    }
  }
}

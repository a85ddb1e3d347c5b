// Every field and every search parameter of the page, tried with texts that something on the way could take for something else.
import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { useDashboard } from '../../test/support/dashboardPage.ts';
import { eventually } from '../../test/support/eventually.ts';
import { projectFile } from '../platform/projectRoot.ts';

const longId = '723421968459640832';
const list = 'iPhone15,2, iPhone15,3';
const texts = [longId, '662E41', 'null', '1.0', 'true', '"7"', list, '2.14.3', '   ', ' a\\,b '];

/** What a field makes of a text: the value that is asked, or null where the field refuses it. */
type Take = (text: string) => unknown;
const isBlank = (text: string): boolean => text.trim() === '';
const exact: Take = (text) => text;
const name: Take = (text) => (isBlank(text) ? null : text);
/** A browser takes the blanks around an address away. */
const address: Take = (text) => text.trim() || null;
const password: Take = (text) => (text.length < 8 ? null : text);
const refused: Take = () => null;
const version: Take = (text) => (text === '2.14.3' ? 2_014_003 : text === '1.0' ? 1_000_000 : null);
/** Digits alone are the number that devices send; this one passes what is exact. */
const endOfRange: Take = (text) => (isBlank(text) ? undefined : version(text));
const optional =
  (take: Take): Take =>
  (text) =>
    isBlank(text) ? undefined : take(text);
const listed: Take = (text) =>
  ({ [list]: ['iPhone15,2', 'iPhone15,3'], '"7"': ['7'], ' a\\,b ': ['a,b'] })[text] ?? (isBlank(text) ? null : [text]);
const testDevices: Take = (text) => listed(text) ?? undefined;

/** JSON without digits that a number would lose; JSON's null is no payload. */
const payload: Take = (text) => {
  if (isBlank(text) || text === 'null') return undefined;
  return text === longId || text === '662E41' ? null : jsonOf(text);
};

interface Field {
  /** The file of src/dashboard and the label there, as the list of all fields in the source names it. */
  at: string;
  label: string;
  take: Take;
  /** What is typed instead of a refused text, so that the rest of the form is sent. */
  right?: string;
  /** Must be like the field before it. */
  follows?: true;
}

interface Place {
  name: string;
  /** Below `/admin`; `:app` is the application. */
  path: string;
  login?: false;
  /** Opens the form and gives what its fields are in. */
  open?: (page: Page) => Promise<Locator | void>;
  fields: Field[];
  /** The name of the button that sends. Absent: each field is asked by Enter or by itself. */
  send?: string;
}

const field = (at: string, take: Take, right?: string, label?: string): Field => ({
  ...{ at, take, label: label ?? at.slice(at.indexOf(' ') + 1) },
  ...(right !== undefined && { right }),
});
const press = (button: string) => async (page: Page) => {
  await page.getByRole('button', { name: button, exact: true }).click();
  return page.getByRole('dialog').last();
};
const inForm = (button: string) => async (page: Page) => page.locator('form').filter({ hasText: button });

const places: Place[] = [
  {
    ...{ name: 'login', path: '/login', login: false, send: 'Log in' },
    fields: [
      field('screens/login/Login.tsx E-mail address', address, 'a@example.com'),
      field('screens/login/Login.tsx Password', exact),
    ],
  },
  {
    ...{ name: 'an organization for an account without one', path: '/login', login: false, send: 'Create' },
    open: async (page) => {
      await page.getByLabel('E-mail address').fill('none@example.com');
      await page.getByLabel('Password', { exact: true }).fill('x');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('Your account belongs to no organization.').waitFor();
    },
    fields: [field('screens/login/Login.tsx Name of the organization', name, 'A')],
  },
  {
    ...{ name: 'sign-up', path: '/signup', login: false, send: 'Sign up' },
    fields: [
      field('screens/login/Login.tsx Your name', name, 'A'),
      field('screens/login/Login.tsx Organization', name, 'A'),
      field('screens/login/Login.tsx E-mail address', address, 'a@example.com'),
      field('screens/login/Login.tsx Password', password, 'right length'),
    ],
  },
  {
    ...{ name: 'forgotten password', path: '/forgot-password', login: false, send: 'Send the mail' },
    fields: [field('screens/login/Login.tsx E-mail address', address, 'a@example.com')],
  },
  {
    ...{ name: 'new password', path: '/reset-password?token=1.0', login: false, send: 'Set the password' },
    fields: [
      field('screens/login/MailedLinks.tsx New password', password, 'right length'),
      { ...field('screens/login/MailedLinks.tsx The same password again', exact, 'right length'), follows: true },
    ],
  },
  {
    ...{ name: 'invitation', path: '/accept-invitation?token=1.0', login: false, send: 'Log in and join' },
    open: async (page) => page.getByText('With my account').click(),
    fields: [
      field('screens/login/MailedLinks.tsx E-mail address', (text) => text.trim()),
      field('screens/login/MailedLinks.tsx Password', exact),
    ],
  },
  {
    ...{ name: 'own name', path: '/profile', send: 'Save', open: inForm('Picture') },
    fields: [field('screens/profile/Profile.tsx Name', name, 'A'), field('screens/profile/Profile.tsx Picture', exact)],
  },
  {
    ...{ name: 'own password', path: '/profile', send: 'Change the password', open: inForm('Current password') },
    fields: [
      field('screens/profile/Profile.tsx Current password', exact),
      field('screens/profile/Profile.tsx New password', password, 'right length'),
      { ...field('screens/profile/Profile.tsx The new password again', exact, 'right length'), follows: true },
    ],
  },
  {
    ...{ name: 'own address', path: '/profile', send: 'Send the mail', open: inForm('Send the mail') },
    fields: [
      field(
        "screens/profile/Profile.tsx isConfirmed ? 'New e-mail address' : 'E-mail address'",
        ...([address, 'a@example.com', 'New e-mail address'] as const),
      ),
      field('screens/profile/Profile.tsx Your password', exact),
    ],
  },
  {
    ...{ name: 'deletion of the account', path: '/profile', send: 'Delete the account' },
    open: press('Delete the account'),
    fields: [field('screens/profile/Profile.tsx Your password', exact)],
  },
  {
    ...{ name: 'another organization', path: '/profile', send: 'Create', open: press('Create an organization') },
    fields: [field('screens/profile/Organizations.tsx Name of the organization', name, 'A')],
  },
  {
    ...{ name: 'invitation of a member', path: '/team', send: 'Invite', open: press('Invite a member') },
    fields: [
      field('screens/team/Team.tsx E-mail address', address, 'a@example.com'),
      field('screens/team/Team.tsx Name', optional(exact)),
    ],
  },
  {
    ...{ name: 'organization', path: '/organization', send: 'Save' },
    fields: [
      field('screens/organization/EditOrganization.tsx Name', name, 'A'),
      field('screens/organization/EditOrganization.tsx Logo', exact),
    ],
  },
  {
    ...{ name: 'service token', path: '/service-tokens', send: 'Create', open: press('Create a token') },
    fields: [field('screens/serviceTokens/ServiceTokens.tsx Name', name, 'A')],
  },
  {
    ...{ name: 'project', path: '/applications', send: 'Create', open: press('New project') },
    fields: [field('screens/applications/Applications.tsx Name', name, 'A')],
  },
  {
    ...{ name: 'first application', path: '/applications?none', send: 'Create the application' },
    fields: [field('screens/applications/Applications.tsx Project', name, 'A')],
    open: async (page) => {
      for (const label of ['Name', 'Bundle or package identifier'])
        await page.getByLabel(label, { exact: true }).fill('x');
    },
  },
  {
    ...{ name: 'settings', path: '/apps/:app/settings', send: 'Save' },
    fields: [
      field('screens/applications/applicationParts.tsx Name', name, 'A'),
      field('screens/applications/applicationParts.tsx Bundle or package identifier', name, 'A'),
      field('screens/applications/applicationParts.tsx Time zone', name, 'UTC'),
      field('screens/applications/Settings.tsx Test devices', testDevices),
    ],
  },
  {
    ...{ name: 'store credentials', path: '/apps/:app/store', send: 'Save the credentials', open: inForm('Issuer id') },
    fields: [
      field('screens/store/Store.tsx Issuer id', name, 'A'),
      field('screens/store/Store.tsx Key id', name, 'A'),
      field('screens/store/Store.tsx Private key', refused, '-----BEGIN PRIVATE KEY-----'),
      field('screens/store/Store.tsx Bundle identifier at the store', (text) => text.trim() || undefined),
    ],
  },
  {
    ...{
      name: 'number of the app',
      path: '/apps/:app/store',
      send: 'Save the number',
      open: inForm('Save the number'),
    },
    fields: [field('screens/store/Store.tsx Number of the app', (text) => (isBlank(text) ? undefined : null), '7')],
  },
  {
    ...{ name: 'product', path: '/apps/:app/store', send: 'Save', open: press('Name a product') },
    fields: [
      field('screens/store/Store.tsx Product identifier', name, 'A'),
      field('screens/store/Store.tsx Days of 24 hours', refused, '7'),
    ],
  },
  {
    ...{ name: 'webhook', path: '/apps/:app/webhooks', send: 'Create the webhook', open: press('New webhook') },
    fields: [field('screens/webhooks/Webhooks.tsx URL', address, 'https://a.example')],
  },
  {
    ...{ name: 'key', path: '/apps/:app/keys', send: 'Create the key', open: press('New key') },
    fields: [field('screens/keys/Keys.tsx Label', exact)],
  },
  {
    ...{ name: 'campaign', path: '/apps/:app/campaigns/new', send: 'Save as a draft', open: openEditor },
    fields: [
      field('screens/campaigns/sections.tsx Name', name, 'A'),
      field('screens/campaigns/sections.tsx Notes', exact),
      field('screens/campaigns/sections.tsx Priority', optional(refused), '1'),
      field('screens/campaigns/sections.tsx Event', name, 'A'),
      field("screens/campaigns/sections.tsx scope === 'EVENT' ? 'Parameter' : 'Property'", name, 'A', 'Parameter'),
      field('screens/campaigns/sections.tsx Values', listed, 'A'),
      field('screens/campaigns/sections.tsx Value', exact),
      field('screens/campaigns/sections.tsx label', endOfRange, '1.2', 'Lowest'),
      field('screens/campaigns/sections.tsx label', optional(refused), '2', 'In one session'),
      field('screens/campaigns/sections.tsx Seconds between two shows', optional(refused), '3'),
      field('screens/campaigns/sections.tsx Kind', name, 'A'),
      field('screens/campaigns/sections.tsx Deadline in seconds', optional(refused), '4'),
    ],
  },
  {
    ...{
      name: 'payload of a campaign',
      path: '/apps/:app/campaigns/new',
      send: 'Save as a draft',
      open: openPayload,
    },
    // JSON, whose numbers the service takes as a double has them.
    fields: [field('screens/campaigns/sections.tsx Payload', payload, '5')],
  },
  {
    ...{ name: 'login above the page', path: '/team', send: 'Log in', open: openLoginAgain },
    fields: [field('session/SessionProvider.tsx Password', exact)],
  },
];

/** Fields that ask by Enter or once typing pauses. */
const asking: Place[] = [
  {
    ...{ name: 'devices', path: '/apps/:app/devices' },
    fields: [field('screens/devices/Devices.tsx Device or user', exact)],
  },
  {
    ...{ name: 'devices of a user', path: '/apps/:app/devices' },
    open: async (page) => page.getByText('Of one user').click(),
    fields: [field('screens/devices/Devices.tsx User', exact)],
  },
  {
    ...{ name: 'transactions', path: '/apps/:app/transactions' },
    fields: [
      field('screens/transactions/Transactions.tsx Product', exact),
      field('screens/transactions/Transactions.tsx User (external_id)', exact),
      field('screens/transactions/Transactions.tsx Device id', exact),
    ],
  },
  {
    ...{ name: 'entitlements', path: '/apps/:app/entitlements' },
    fields: [
      field('screens/entitlements/Entitlements.tsx User (external_id)', exact),
      field('screens/entitlements/Entitlements.tsx Device id', exact),
    ],
  },
  {
    ...{ name: 'campaigns', path: '/apps/:app/campaigns' },
    fields: [field('screens/campaigns/Campaigns.tsx Search by name', exact)],
  },
  {
    ...{ name: 'audit log', path: '/audit' },
    fields: [
      field('screens/audit/Audit.tsx By', (text) => text.trim() || undefined),
      field('screens/audit/Audit.tsx Object', exact),
    ],
  },
  {
    ...{ name: 'events', path: '/apps/:app/events?measure=SUM&breakdown={"scope":"USER","property":"b"}' },
    fields: [
      field('screens/events/NamesPanel.tsx Search for a name', exact),
      field('parts/FilterEditor.tsx label', optional(exact), undefined, 'Event'),
      field('screens/events/Events.tsx Measured property', optional(exact)),
      field('parts/FilterEditor.tsx Property of the breakdown', optional(exact)),
    ],
  },
];

/** Fields that have a test of their own below, or that ask the service nothing. */
const apart = [
  'session/SessionProvider.tsx E-mail address',
  'parts/dialogs.tsx `Type “${typed',
  'parts/FilterEditor.tsx Property',
  'parts/FilterEditor.tsx Value',
  'parts/FilterEditor.tsx Values',
  'screens/funnel/Funnel.tsx Within',
  'screens/retention/Retention.tsx Periods',
  'screens/team/Team.tsx Search by name or address',
];

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function openEditor(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add condition', exact: true }).click();
  await page.getByRole('button', { name: 'Add condition', exact: true }).click();
  const [first, second] = [1, 2].map((at) => page.getByRole('group', { name: `Condition ${at}` }));
  await first!.getByLabel('Comparison').selectOption('IN');
  await second!.getByRole('combobox', { name: 'Parameter' }).fill('other');
  await page.getByLabel(/^Blocking/).check();
}

async function openPayload(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('A');
  await page.getByLabel('Kind', { exact: true }).fill('open');
}

/** As when another device has ended the login: the next request is refused. */
async function openLoginAgain(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Invite a member' }).click();
  await page.getByLabel('E-mail address').fill('a@example.com');
  await dashboard.user.ask('mutation { logoutEverywhere }');
  passes = true;
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await dialog.waitFor();
  // The browser itself refuses what is no address.
  for (const text of texts.filter((one) => !isBlank(one))) {
    await dialog.getByLabel('E-mail address').fill(text);
    expect(await dialog.locator('input:invalid').count()).toBe(1);
  }
  await dialog.getByLabel('E-mail address').fill(dashboard.user.email);
  passes = false;
  return dialog;
}

const dashboard = useDashboard().useWorkspace('owner');
/** Whether mutations reach the service. */
let passes = false;

const pathOf = (path: string): string => path.replace(':app', dashboard.service.application.id);

/** A page whose mutations end here: they are asked, and nothing changes. `asked` has the variables of all requests. */
async function opened({ path, login }: Pick<Place, 'path' | 'login'>) {
  const { page, expected } = await dashboard.newPage();
  const asked: unknown[] = [];
  if (login === false) await page.goto(dashboard.urlOf(path));
  else await dashboard.logIn(page, pathOf(path));
  await page.route('**/admin/graphql/', async (route) => {
    const body = route.request().postData() ?? '';
    const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
    asked.push(variables);
    const own = passes || !query.startsWith('mutation') || query.startsWith('mutation Refresh');
    if (own) return await route.continue();
    const isLoginOfNobody = JSON.stringify(variables).includes('none@example.com');
    const extensions = isLoginOfNobody ? { code: 'NO_ORGANIZATION', challenge: 'c' } : { code: 'RATE_LIMITED' };
    await route.fulfill({ json: { errors: [{ message: 'Tried alone.', extensions }] } });
  });
  return { page, asked, expected };
}

const leavesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.values(value).flatMap(leavesOf)
    : [value, ...(Array.isArray(value) ? value.flatMap(leavesOf) : [])];
const holds = (variables: unknown, wanted: unknown): boolean =>
  leavesOf(variables).some((leaf) => isDeepStrictEqual(leaf, wanted));

/** The part of a password around its input has the mark. */
const isMarked = (input: Locator): Promise<boolean> =>
  input.evaluate((element) => element.closest('[aria-invalid="true"], [data-error="true"]') !== null);
const fieldIn = (within: Page | Locator, { label }: Field): Locator =>
  within
    .getByLabel(label, { exact: true })
    // A star stands behind the label of a field that must be filled.
    .or(within.getByLabel(`${label} *`, { exact: true }))
    .first();

test.each(places)('every text in the form: $name', async ({ path, login, open, fields, send }) => {
  const { page, asked, expected } = await opened({ path, ...(login === false && { login }) });
  // The browser says of the refusal that asks for the login that it failed.
  if (open === openLoginAgain) expected.push(/status of 401/);
  if (path.endsWith('?none')) {
    await page.route('**/admin/graphql/', async (route) => {
      if (!route.request().postData()!.includes('query ApplicationsList')) return await route.fallback();
      await route.fulfill({ json: { data: { projects: [] } } });
    });
    await page.reload();
    await page.getByText('Create your first application').waitFor();
  }
  const form = (await open?.(page)) ?? page;
  const button = form.getByRole('button', { name: send!, exact: true }).last();
  for (const text of texts) {
    for (const one of fields) await fieldIn(form, one).fill(text);
    const wrong = fields.filter(({ take }) => take(text) === null);
    if (wrong.length > 0) {
      await button.press('Enter');
      const marked = () => Promise.all(wrong.map((one) => isMarked(fieldIn(form, one))));
      const all = await eventually(marked, (now) => now.every(Boolean));
      expect({ text, all }).toEqual({ text, all: wrong.map(() => true) });
      for (const one of fields.filter((one) => wrong.includes(one) || one.follows))
        await fieldIn(form, one).fill(one.right!);
    }
    asked.length = 0;
    // While the response to the text before is under way, the button is shut.
    await eventually(() => button.isEnabled(), Boolean);
    await button.press('Enter');
    const wanted = fields.filter((one) => !wrong.includes(one) && !one.follows).map(({ take }) => take(text));
    const fits = (variables: unknown): boolean =>
      wanted.every((value) => value === undefined || holds(variables, value));
    const found = await eventually(
      async () => asked,
      (now) => now.some(fits),
    ).catch(() => asked);
    expect({ text, wanted, found: found.some(fits) || found }).toEqual({ text, wanted, found: true });
  }
});

test.each(asking)('every text in the fields that ask at once: $name', async ({ path, open, fields }) => {
  const { page, asked } = await opened({ path });
  await open?.(page);
  for (const one of fields) {
    for (const text of texts) {
      const field = fieldIn(page, one);
      await field.fill('');
      asked.length = 0;
      await field.fill(text);
      await field.press('Enter');
      const wanted = one.take(text);
      // A field that asks for less than was typed shows what it asks for.
      const left = await field.inputValue();
      expect([text, wanted ?? '']).toContain(left);
      if (wanted !== undefined) {
        const found = await eventually(
          async () => asked,
          (now) => now.some((variables) => holds(variables, wanted)),
        ).catch(() => asked);
        const isAsked = found.some((variables) => holds(variables, wanted));
        expect({ field: one.at, text, found: isAsked || found }).toEqual({ field: one.at, text, found: true });
      }
      // Blanks are seen as such.
      if (isBlank(text) && left === text && wanted === text) await page.getByText('3 blanks').first().waitFor();
    }
    await fieldIn(page, one).fill('x');
  }
});

/** What a filter asks for, by the comparison and the property. */
const filterCases: { scope: 'USER' | 'DEVICE'; property: string; op: string; take: Take }[] = [
  { scope: 'USER', property: 'p', op: 'EQ', take: (text) => ({ '1.0': 1, true: true, '"7"': '7' })[text] ?? text },
  {
    ...{ scope: 'USER', property: 'p', op: 'IN' },
    take: (text) => ({ '1.0': [1], true: [true] })[text] ?? listed(text),
  },
  { scope: 'USER', property: 'p', op: 'CONTAINS', take: (text) => (text === '"7"' ? '7' : text) },
  { scope: 'DEVICE', property: 'deviceModel', op: 'NOT_IN', take: listed },
  {
    ...{ scope: 'DEVICE', property: 'appVersion', op: 'GTE' },
    take: (text) => (text === '"7"' ? 7 : version(text) === null ? null : text),
  },
];

test.each(filterCases)('every text in a filter: $scope $property $op', async ({ scope, property, op, take }) => {
  const { page, asked } = await opened({ path: '/apps/:app/devices' });
  for (const text of texts) {
    await page.getByRole('button', { name: 'Add filter', exact: true }).click();
    // In the wrong order: the value is there before what it is compared with.
    await page.getByLabel('Value', { exact: true }).fill(text);
    await page.getByLabel('Comparison').selectOption(op);
    await page.getByRole('combobox', { name: 'Property' }).fill(property);
    await page.getByLabel('Of', { exact: true }).selectOption(scope);
    asked.length = 0;
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const wanted = take(text);
    if (wanted === null) {
      await page
        .getByLabel(/^Values?$/)
        .and(page.locator('[aria-invalid="true"]'))
        .waitFor();
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      continue;
    }
    const one = { scope, property, op, value: wanted };
    const found = await eventually(
      async () => asked,
      (now) => now.some((variables) => holds(variables, [one])),
    ).catch(() => asked);
    expect({ text, found: found.some((variables) => holds(variables, [one])) || found }).toEqual({ text, found: true });
    const remove = page.getByRole('button', { name: /^Remove: / });
    // Each value of a list is seen apart.
    if (text === list && Array.isArray(wanted))
      expect(await remove.locator('xpath=..').innerText()).toMatch(
        /one of "iPhone15,2" "iPhone15,3"|none of "iPhone15,2" "iPhone15,3"/,
      );
    await remove.click();
    await remove.waitFor({ state: 'detached' });
  }
});

test('a whole number stays what is typed, and a search of the page alone takes every text', async () => {
  const { page } = await opened({ path: '/apps/:app/funnel' });
  for (const [path, label] of [
    ['funnel', 'Within'],
    ['retention', 'Periods'],
  ] as const) {
    await page.goto(dashboard.urlOf(path));
    for (const text of texts) {
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.getByText(/^1 to /).waitFor();
      expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(text);
    }
  }
  await page.goto(dashboard.urlOf('/team'));
  for (const text of texts) {
    await page.getByLabel('Search by name or address').fill(text);
    await eventually(
      async () => new URL(page.url()).searchParams.get('q'),
      (q) => q === text || q === JSON.stringify(text),
    );
    expect(await page.getByLabel('Search by name or address').inputValue()).toBe(text);
  }
  await page.goto(dashboard.urlOf('settings'));
  await page.getByRole('button', { name: 'Delete …' }).click();
  for (const text of texts) {
    await page.getByRole('dialog').getByRole('textbox').fill(text);
    expect(
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Delete/ })
        .isDisabled(),
    ).toBe(true);
  }
});

/** Where each text parameter is seen: `asked` of the service, or `shown` in a field. Others are numbers, flags and JSON. */
const parameters: Record<
  string,
  {
    path: string;
    also?: string;
    asked?: string[];
    /** The button that asks. */
    send?: string;
    shown?: Record<string, string>;
    other?: string[];
  }
> = {
  auditSearch: { path: '/audit', asked: ['actor', 'action', 'objectType', 'objectId'], other: ['before'] },
  campaignSearch: {
    path: '/apps/:app/campaigns/018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90',
    other: ['from', 'to', 'interval', 'unit', 'measure'],
  },
  campaignsSearch: { path: '/apps/:app/campaigns', asked: ['q'], other: ['states', 'sort', 'page'] },
  deviceSearch: { path: '/apps/:app/device', asked: ['id'] },
  devicesSearch: {
    ...{ path: '/apps/:app/devices', asked: ['search', 'user', 'after'] },
    other: ['filters', 'since', 'sort', 'test'],
  },
  entitlementsSearch: {
    path: '/apps/:app/entitlements',
    asked: ['user', 'device', 'after'],
    other: ['active', 'open'],
  },
  eventsSearch: {
    ...{ path: '/apps/:app/events', also: 'measure=SUM&events=[{"name":"E","type":"CUSTOM"}]' },
    asked: ['property', 'names', 'after'],
    other: ['from', 'to', 'interval', 'unit', 'events', 'measure', 'breakdown', 'lines', 'test'],
  },
  funnelSearch: {
    ...{ path: '/apps/:app/funnel' },
    other: ['from', 'to', 'interval', 'unit', 'steps', 'within', 'order', 'breakdown', 'test'],
  },
  keysSearch: { path: '/apps/:app/keys', other: ['revoked'] },
  liveSearch: { path: '/apps/:app/live', other: ['filters', 'test'] },
  loginSearch: { path: '/login', other: ['next'] },
  newCampaignSearch: { path: '/apps/:app/campaigns/new', other: ['copy'] },
  overviewSearch: { path: '/apps/:app/overview', other: ['from', 'to', 'interval', 'unit', 'figure', 'test'] },
  retentionSearch: {
    path: '/apps/:app/retention',
    other: ['from', 'to', 'interval', 'unit', 'start', 'returning', 'mode', 'periods', 'test'],
  },
  revenueSearch: {
    path: '/apps/:app/revenue',
    other: ['from', 'to', 'interval', 'unit', 'currency', 'by', 'figure', 'test'].filter((one) => one !== 'unit'),
  },
  subscriptionsSearch: { path: '/apps/:app/subscriptions', other: ['at', 'test'] },
  teamSearch: { path: '/team', shown: { q: 'Search by name or address' }, other: ['role', 'status'] },
  tokenSearch: { path: '/confirm-email', asked: ['token'], send: 'Confirm' },
  transactionsSearch: {
    ...{ path: '/apps/:app/transactions', asked: ['product', 'user', 'device', 'after'] },
    other: ['state', 'from', 'to', 'open', 'revenue', 'counts', 'test'],
  },
  webhooksSearch: { path: '/apps/:app/webhooks', other: ['webhook', 'state', 'after'] },
};

/** The text that an address with it means: quotes of JSON are those of an older address. */
const meant = (text: string): string => (text === '"7"' ? '7' : text);

test('every search parameter of the page takes every text', async () => {
  const { page, asked } = await opened({ path: '/team' });
  // The router follows the history of the page, so that nothing is loaded anew for each text.
  const go = async (path: string, search: string): Promise<void> => {
    asked.length = 0;
    await page.evaluate((url) => history.pushState({}, '', url), `/admin${pathOf(path)}?${search}`);
  };
  for (const { path, also = '', asked: texts0 = [], send, shown = {}, other = [] } of Object.values(parameters)) {
    for (const name of texts0) {
      // The API refuses a name of blanks, so the page says that a property is missing.
      for (const text of texts.filter((one) => name !== 'property' || !isBlank(one))) {
        // The page of a mailed token keeps the first one.
        if (send !== undefined) await go('/team', '');
        if (send !== undefined) await page.getByRole('heading', { name: 'Team' }).waitFor();
        await go(path, `${also}&${name}=${encodeURIComponent(text)}`);
        if (send !== undefined) await page.getByRole('button', { name: send, exact: true }).click();
        const found = await eventually(
          async () => asked,
          (now) => now.some((one) => holds(one, meant(text))),
        ).catch(() => asked);
        const isAsked = found.some((one) => holds(one, meant(text)));
        expect({ path, name, text, found: isAsked || found }).toEqual({ path, name, text, found: true });
      }
    }
    for (const [name, label] of Object.entries(shown)) {
      for (const text of texts) {
        await go(path, `${name}=${encodeURIComponent(text)}`);
        await eventually(
          () => page.getByLabel(label).inputValue(),
          (value) => value === meant(text),
        );
      }
    }
    for (const text of texts) {
      await go(path, other.map((name) => `${name}=${encodeURIComponent(text)}`).join('&'));
      await page.locator('h1').first().waitFor();
      expect(await page.getByText('Something went wrong').count()).toBe(0);
    }
  }
});

const files = readdirSync(projectFile('src', 'dashboard'), { recursive: true, encoding: 'utf8' });
const source = (file: string): string => readFileSync(projectFile('src', 'dashboard', file), 'utf8');

test('the list above has every search parameter', async () => {
  const schemas: [string, z.ZodObject][] = [];
  for (const file of files.filter((name) => /^screens\/searches\.ts$/.test(name))) {
    const all = (await import(projectFile('src', 'dashboard', file))) as Record<string, unknown>;
    for (const [name, schema] of Object.entries(all)) if (schema instanceof z.ZodObject) schemas.push([name, schema]);
  }
  const inSource = Object.fromEntries(schemas.map(([name, { shape }]) => [name, Object.keys(shape).sort()]));
  const inList = Object.fromEntries(
    Object.entries(parameters).map(([name, { asked = [], shown = {}, other = [] }]) => [
      name,
      [...asked, ...Object.keys(shown), ...other].sort(),
    ]),
  );
  expect(inList).toEqual(inSource);
  // A route has no other schema.
  const used = [...source('routes.tsx').matchAll(/validateSearch: ([^,]*),/g)].map((match) => match[1]);
  expect(new Set(used)).toEqual(new Set(Object.keys(parameters)));
});

test('the list above has every field in which text is typed', () => {
  const wrappers = /^parts\/(inputs|NameInputs)\.tsx$/;
  const found = files
    .filter((file) => file.endsWith('.tsx') && !wrappers.test(file))
    .flatMap((file) =>
      [...source(file).matchAll(inputs)].flatMap(([, tag]) => {
        // A field for a date takes no text.
        if (/type="(date|datetime-local)"/.test(tag!)) return [];
        const [, text, code] = /label=(?:"([^"]*)"|\{([^}]*)\})/.exec(tag!) ?? [];
        return [`${file} ${text ?? code ?? ''}`];
      }),
    );
  const inList = [...places, ...asking].flatMap(({ fields }) => fields.map(({ at }) => at));
  expect([...new Set([...inList, ...apart])].sort()).toEqual([...new Set(found)].sort());
});

/** All parts of Mantine and of this page into which text is typed, and the elements themselves. */
const inputs =
  /<(?:\w*TextInput|Textarea|PasswordInput|Autocomplete|TagsInput|NumberInput|WholeNumberInput|JsonInput|ValuesInput|TypedText|TextFilter|NameInput|EventInput|PinInput|input|textarea)\b((?:[^>]|=>|>=)*?)\/>/g;

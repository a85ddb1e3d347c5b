// How much users can make the service store: bytes in a day, numbers of objects, and texts that others see.
import { randomBytes, randomUUID } from 'node:crypto';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { addressKey, sharedKey } from '../../src/accounts/attempts.ts';
import { type AdminResponse, askAdmin } from '../support/adminClient.ts';
import { auditLines } from '../support/auditLines.ts';
import { newCampaignEditor } from '../support/campaignEdits.ts';
import { newServiceToken } from '../support/serviceTokens.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, putMembership, type TestUser } from '../support/testUsers.ts';
import { newWebhook } from '../support/webhooks.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// What users and service tokens can make the service store in a day by mutations (schema.graphql, "Stored bytes").
describe('storedBytes', () => {
  const mebibyte = 1_048_576;
  const day = 24 * 3_600_000;

  let service: TestService;
  let organizationId: string;
  let owner: TestUser;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    const counts = { perAccount: 1_000, perAddress: 10_000, windowSeconds: 900 };
    const attemptLimits = { ...counts, storedPerAccount: mebibyte, storedPerAddress: 2 * mebibyte };
    service = await startTestService({ now: () => now, attemptLimits });
    organizationId = await organizationOf(service, service.application.id);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    // Yesterday's bytes of the network no longer count.
    now = new Date(now.getTime() + day);
    owner = await newUser(service, organizationId);
  });

  const elsewhere = '192.0.2.1';
  const useUp = (account: string, address = elsewhere) => service.deps.attempts.storing({ account, address }, mebibyte);
  const limited = { code: 'RATE_LIMITED', retryAfterSeconds: day / 1_000 };
  const refusalOf = ({ errors }: AdminResponse) => errors[0]?.extensions;
  const project = (name: string) => `mutation { projectEdit(input: { name: "${name}" }) { id } }`;

  /** Entitlements of the product `pass`. */
  async function storeLines(count: number): Promise<void> {
    await service.database.pool.query(
      `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, signed_at)
    SELECT 'line ' || n, $1, 'pass', 'NON_RENEWING', 'PRODUCTION', now(), now() FROM generate_series(1, $2::integer) AS n`,
      [service.application.id, count],
    );
  }

  async function storedOf(
    campaign: string,
  ): Promise<{ versions: number; changes: number; lines: number; bytes: number }> {
    const { rows } = await service.database.pool.query<{ versions: number; changes: number; bytes: number }>(
      `SELECT (SELECT count(*)::integer FROM campaign_versions WHERE campaign_id = $1) AS versions,
      (SELECT count(*)::integer FROM campaign_changes WHERE campaign_id = $1) AS changes,
      ((SELECT sum(length(delivered::text)) FROM campaign_versions WHERE campaign_id = $1)
        + (SELECT sum(length(changes::text)) FROM campaign_changes WHERE campaign_id = $1))::integer AS bytes`,
      [campaign],
    );
    return { ...rows[0]!, lines: (await auditLines(service, organizationId)).length };
  }

  test('edits of a delivered campaign end at the bound of the day, store nothing beyond it, and go on the next day', async () => {
    const editor = await newCampaignEditor(service);
    const trigger = { event: 'Bought', type: 'CUSTOM' };
    const actionOf = (payload: string) => ({ type: 'open', payload });
    const { id } = await editor.create({ trigger, action: actionOf('short') });
    expect((await editor.move(id, 'ACTIVE')).errors).toEqual([]);
    const edit = () => editor.edit({ id, action: actionOf(randomBytes(45_000).toString('base64')) });
    let edits = 0;
    while ((await edit()).errors.length === 0) if (++edits === 100) throw new Error('no bound');
    const stored = await storedOf(id);
    expect(edits).toBeGreaterThan(1);
    expect(stored).toMatchObject({ versions: edits + 1, changes: edits + 1 });
    expect(stored.bytes).toBeLessThan(mebibyte + 4 * 65_536);
    expect(refusalOf(await edit())).toEqual(limited);
    expect(await storedOf(id)).toEqual(stored);
    expect((await owner.ask(project('Of somebody else'))).errors).toEqual([]);
    now = new Date(now.getTime() + day);
    const { id: userId, sessionId } = editor.user;
    const token = await service.deps.accessTokens.issue({ userId, sessionId }, now);
    const query = `mutation { campaignEdit(input: { id: "${id}", name: "Tomorrow" }) { id } }`;
    expect((await askAdmin(service.url, { query, token })).errors).toEqual([]);
  });

  test('whatever stores something is refused, also in another organization of the user', async () => {
    await useUp(owner.id);
    const [id, applicationId, email] = [randomUUID(), service.application.id, 'new@example.com'];
    const passwords = 'currentPassword: "a", newPassword: "a fine phrase", newPasswordRepeat: "a fine phrase"';
    const mutations = {
      apiKeyCreate: `(applicationId: "${applicationId}") { public }`,
      apiKeyEdit: '(input: { public: "pub_x", label: "x" }) { public }',
      applicationEdit: `(input: { id: "${applicationId}", name: "x" }) { id }`,
      campaignChangeState: `(id: "${id}", state: SCHEDULED) { id }`,
      campaignEdit: `(input: { applicationId: "${applicationId}", name: "x" }) { id }`,
      emailChange: `(input: { newEmail: "${email}", password: "x" })`,
      organizationEdit: '(input: { name: "x" }) { id }',
      passwordChange: `(input: { ${passwords} })`,
      productEdit: `(input: { applicationId: "${applicationId}", productId: "x", durationDays: 1 }) { productId }`,
      projectEdit: '(input: { name: "x" }) { id }',
      serviceTokenCreate: '(input: { name: "x", role: "viewer" }) { token }',
      storeCredentialsEdit: `(input: { applicationId: "${applicationId}" })`,
      userEdit: '(input: { name: "x" }) { id }',
      userInvite: `(input: { email: "${email}", role: "viewer" }) { id }`,
      webhookEdit: `(input: { applicationId: "${applicationId}", url: "https://example.com" }) { secret }`,
      webhookRedeliver: `(deliveryId: "${id}") { id }`,
    } satisfies Partial<Record<keyof MutationResolvers, string>>;
    const lines = await auditLines(service, organizationId);
    for (const [name, rest] of Object.entries(mutations)) {
      const response = await owner.ask(`mutation { ${name}${rest} }`);
      expect([name, refusalOf(response)]).toEqual([name, limited]);
    }
    expect(await auditLines(service, organizationId)).toEqual(lines);
    const other = await newOrganization(service);
    const membership = { organizationId: other, userId: owner.id, role: 'owner', status: 'active' } as const;
    await service.database.prisma.membership.create({ data: membership });
    const { data } = await owner.ask(`mutation { organizationSwitch(id: "${other}") { token } }`);
    const { token } = data!['organizationSwitch'] as { token: string };
    expect(refusalOf(await askAdmin(service.url, { query: project('x'), token }))).toEqual(limited);
  });

  test('what is written for webhooks counts, also by a move that is never refused', async () => {
    const editor = await newCampaignEditor(service);
    const admin = await newUser(service, organizationId);
    const { id } = await editor.create({ trigger: { event: 'Bought', type: 'CUSTOM' }, action: { type: 'open' } });
    const key = Uint8Array.from(sharedKey({ mutation: 'storing', account: editor.user.id, address: '' } as const));
    const count = async () => (await service.database.prisma.attempt.findUnique({ where: { key } }))?.count ?? 0;
    /** In KiB. */
    const costOf = async (state: string): Promise<number> => {
      const before = await count();
      expect((await editor.move(id, state)).errors).toEqual([]);
      return (await count()) - before;
    };
    const alone = { started: await costOf('ACTIVE'), stopped: await costOf('PAUSED') };
    expect(alone.stopped).toBeGreaterThanOrEqual(4);
    const made = [];
    for (let n = 0; n < 5; n += 1) made.push(await newWebhook(admin, service.application.id));
    expect({ started: await costOf('ACTIVE'), stopped: await costOf('PAUSED') }).toEqual({
      started: alone.started + 5,
      stopped: alone.stopped + 5,
    });
    for (const { id: webhook } of made) await admin.ask(`mutation { webhookDelete(id: "${webhook}") }`);
  });

  test('an edit of a product’s duration counts for each of its entitlements and each webhook', async () => {
    const admin = await newUser(service, organizationId);
    const { id: webhook } = await newWebhook(admin, service.application.id);
    const key = Uint8Array.from(sharedKey({ mutation: 'storing', account: admin.id, address: '' } as const));
    const costOf = async (durationDays: number): Promise<number> => {
      const before = (await service.database.prisma.attempt.findUniqueOrThrow({ where: { key } })).count;
      const input = `{ applicationId: "${service.application.id}", productId: "pass", durationDays: ${durationDays} }`;
      expect((await admin.ask(`mutation { productEdit(input: ${input}) { productId } }`)).errors).toEqual([]);
      return (await service.database.prisma.attempt.findUniqueOrThrow({ where: { key } })).count - before;
    };
    const alone = await costOf(30);
    await storeLines(100);
    expect(await costOf(31)).toBe(alone + 100);
    await admin.ask(`mutation { webhookDelete(id: "${webhook}") }`);
  });

  test('whatever ends or stops something works also after the bytes are used up', async () => {
    const { prisma } = service.database;
    const other = await newUser(service, organizationId, 'viewer');
    const editor = await newCampaignEditor(service);
    const campaign = await editor.create({ trigger: { event: 'Bought', type: 'CUSTOM' }, action: { type: 'open' } });
    await editor.move(campaign.id, 'ACTIVE');
    const created = (await owner.ask(project('Short-lived'))).data!['projectEdit'] as { id: string };
    const fields = `projectId: "${created.id}", name: "x", bundleId: "x", platform: "iOS"`;
    const made = await owner.ask(`mutation { applicationEdit(input: { ${fields} }) { id apiKeys { public } } }`);
    const application = made.data!['applicationEdit'] as { id: string; apiKeys: { public: string }[] };
    const webhook = await newWebhook(owner, application.id);
    const token = await newServiceToken(owner);
    const session = await prisma.loginSession.findFirstOrThrow({ where: { userId: owner.id } });
    await useUp(owner.id);
    const endings = [
      `campaignChangeState(id: "${campaign.id}", state: PAUSED) { id }`,
      `apiKeyRevoke(public: "${application.apiKeys[0]!.public}")`,
      `webhookDelete(id: "${webhook.id}")`,
      `serviceTokenRevoke(id: "${token.id}")`,
      `userRemove(email: "${other.email}")`,
      `applicationDelete(id: "${application.id}")`,
      `projectDelete(id: "${created.id}")`,
      'logoutEverywhere',
      `sessionRevoke(id: "${session.id}")`,
    ];
    for (const ending of endings) {
      const { errors } = await owner.ask(`mutation { ${ending} }`);
      expect([ending, errors]).toEqual([ending, []]);
    }
  });

  test('the service tokens of an organization count together, and those of another organization for themselves', async () => {
    const [first, second] = [
      await newServiceToken(owner, { role: 'editor' }),
      await newServiceToken(owner, { role: 'editor' }),
    ];
    const query = `mutation { campaignEdit(input: { applicationId: "${service.application.id}", name: "x" }) { id } }`;
    await useUp(`service tokens of ${organizationId}`);
    for (const { token } of [first, second]) {
      expect(refusalOf(await askAdmin(service.url, { query, token }))).toEqual(limited);
    }
    expect((await owner.ask(query)).errors).toEqual([]);
  });

  test('accounts at one network address have a bound together, however many they are', async () => {
    await useUp(randomUUID(), '127.0.0.1');
    expect((await owner.ask(project('Half'))).errors).toEqual([]);
    await useUp(randomUUID(), '127.0.0.1');
    const other = await newUser(service, await newOrganization(service));
    for (const user of [owner, other]) expect(refusalOf(await user.ask(project('x')))).toEqual(limited);
  });

  test('readings of a secret count for their lines in the audit log, and beyond the bound no secret is shown', async () => {
    const query = '{ applications { apiKeys { public secret } } }';
    const { data } = await owner.ask(query);
    expect(JSON.stringify(data)).toContain(service.application.key.secret);
    await useUp(owner.id);
    const lines = await auditLines(service, organizationId);
    const { text, errors } = await owner.ask(query);
    expect(errors[0]!.extensions).toEqual(limited);
    expect(text).not.toContain('sec_');
    expect(await auditLines(service, organizationId)).toEqual(lines);
    const { rows } = await service.database.pool.query<{ most: number }>('SELECT max(count) AS most FROM attempts');
    expect(rows[0]!.most).toBeGreaterThan(1_024);
  });

  test('many mutations at once store no more than the bound, and what is refused counts against nobody', async () => {
    const create = `mutation { projectEdit(input: { name: "Many", image: "${'x'.repeat(2_048)}" }) { id } }`;
    const responses = await Promise.all(Array.from({ length: 120 }, () => owner.ask(create)));
    const made = responses.filter(({ errors }) => errors.length === 0).length;
    // In KiB: 12.1 by the arguments, and a little more by the result.
    expect(made).toBeGreaterThan(60);
    expect(made).toBeLessThanOrEqual(Math.ceil(1_024 / 13));
    const attempt = { mutation: 'storing', account: owner.id, address: '127.0.0.1' } as const;
    for (const key of [sharedKey(attempt), addressKey(attempt)]) {
      const { count } = await service.database.prisma.attempt.findUniqueOrThrow({
        where: { key: Uint8Array.from(key) },
      });
      expect(count).toBeGreaterThanOrEqual(made * 13);
      expect(count).toBeLessThanOrEqual(made * 15);
    }
  });

  test('a viewer who edits their own name without an end stops nobody but themselves', async () => {
    await putMembership(service, owner, { role: 'viewer' });
    await useUp(owner.id);
    expect(refusalOf(await owner.ask('mutation { userEdit(input: { name: "x" }) { id } }'))).toEqual(limited);
    const other = await newUser(service, organizationId);
    expect((await other.ask(project('Of the other'))).errors).toEqual([]);
  });
});

// The numbers of objects of each kind (schema.graphql, "Numbers of objects"): the last one is made, and of many at once only that one.
describe('numbersOfObjects', () => {
  let service: TestService;
  let owner: TestUser;
  let projectId: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    owner = await newUser(service, await organizationOf(service, service.application.id));
    const { prisma } = service.database;
    projectId = (await prisma.application.findUniqueOrThrow({ where: { id: service.application.id } })).projectId;
  });

  interface Kind {
    most: number;
    path: string;
    /** Rows of the place at the begin. */
    there: number;
    /** A place of the kind, for `$1`. */
    place: () => string;
    /** Inserts `$2` rows. */
    fill: string;
    create: (at: number) => string;
  }

  const applicationId = () => service.application.id;
  const kinds: Record<string, Kind> = {
    projects: {
      ...{ most: 1_000, path: 'input', there: 1, place: () => owner.organizationId },
      fill: `INSERT INTO projects (id, organization_id, name) SELECT gen_random_uuid(), $1::uuid, 'x' FROM generate_series(1, $2)`,
      create: () => 'projectEdit(input: { name: "x" }) { id }',
    },
    applications: {
      ...{ most: 1_000, path: 'input.projectId', there: 1, place: () => projectId },
      fill: `INSERT INTO applications (id, project_id, name, bundle_id, platform)
      SELECT gen_random_uuid(), $1::uuid, 'x', 'x', 'iOS' FROM generate_series(1, $2)`,
      create: () =>
        `applicationEdit(input: { projectId: "${projectId}", name: "x", bundleId: "x", platform: "iOS" }) { id }`,
    },
    keys: {
      ...{ most: 1_000, path: 'applicationId', there: 1, place: applicationId },
      fill: `INSERT INTO api_keys (id, application_id, public, secret_encrypted)
      SELECT gen_random_uuid(), $1::uuid, gen_random_uuid()::text, '' FROM generate_series(1, $2)`,
      create: () => `apiKeyCreate(applicationId: "${applicationId()}") { public }`,
    },
    'service tokens': {
      ...{ most: 1_000, path: 'input', there: 0, place: () => owner.organizationId },
      fill: `INSERT INTO service_tokens (id, organization_id, name, role, hash, created_by)
      SELECT gen_random_uuid(), $1::uuid, 'x', 'viewer', gen_random_uuid()::text::bytea, 'x' FROM generate_series(1, $2)`,
      create: () => 'serviceTokenCreate(input: { name: "x", role: "viewer" }) { token }',
    },
    campaigns: {
      ...{ most: 10_000, path: 'input.applicationId', there: 0, place: applicationId },
      fill: `INSERT INTO campaigns (id, application_id, name) SELECT gen_random_uuid(), $1::uuid, 'x' FROM generate_series(1, $2)`,
      create: () => `campaignEdit(input: { applicationId: "${applicationId()}", name: "x" }) { id }`,
    },
    products: {
      ...{ most: 10_000, path: 'input.applicationId', there: 0, place: applicationId },
      fill: `INSERT INTO store_products (application_id, product_id) SELECT $1::uuid, 'p' || n FROM generate_series(1, $2) n`,
      create: (at) =>
        `productEdit(input: { applicationId: "${applicationId()}", productId: "new-${at}", durationDays: 1 }) { productId }`,
    },
    users: {
      ...{ most: 10_000, path: 'input', there: 1, place: () => owner.organizationId },
      fill: `INSERT INTO memberships (id, organization_id, invited_email, role, status)
      SELECT gen_random_uuid(), $1::uuid, 'u' || n || '@example.com', 'viewer', 'invited' FROM generate_series(1, $2) n`,
      create: (at) => `userInvite(input: { email: "new-${at}@example.com", role: "viewer" }) { email }`,
    },
    organizations: {
      ...{ most: 100, path: 'input', there: 1, place: () => owner.id },
      fill: `WITH made AS (INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'x' FROM generate_series(1, $2) RETURNING id)
      INSERT INTO memberships (id, organization_id, user_id, role, status)
      SELECT gen_random_uuid(), id, $1::uuid, 'owner', 'active' FROM made`,
      create: () => 'organizationCreate(input: { name: "x" }) { token }',
    },
  };

  test.each(Object.entries(kinds))('%s', async (objects, { most, path, there, place, fill, create }) => {
    await service.database.pool.query(fill, [place(), most - there - 1]);
    const ask = (at: number) => owner.ask(`mutation { ${create(at)} }`);
    const responses = await Promise.all(Array.from({ length: 4 }, (_, at) => ask(at)));
    const refused = responses.filter(({ errors }) => errors.length > 0);
    expect(refused).toHaveLength(3);
    const fields = [{ path, message: `has ${most} ${objects} already` }];
    for (const { errors } of refused) expect(errors[0]!.extensions).toEqual({ code: 'BAD_USER_INPUT', fields });
  });

  test('an edit needs no room, and an application does not move into a full project', async () => {
    const full = await newUser(service, await newOrganization(service));
    const { data } = await full.ask('mutation { projectEdit(input: { name: "Full" }) { id } }');
    const { id } = data!['projectEdit'] as { id: string };
    await service.database.pool.query(kinds['applications']!.fill, [id, 1_000]);
    const { rows } = await service.database.pool.query<{ id: string }>(
      'SELECT id FROM applications WHERE project_id = $1 LIMIT 1',
      [id],
    );
    const edit = (input: string) => full.ask(`mutation { applicationEdit(input: { ${input} }) { id } }`);
    expect((await edit(`id: "${rows[0]!.id}", projectId: "${id}", name: "y"`)).errors).toEqual([]);
    const other = (await full.ask('mutation { projectEdit(input: { name: "Other" }) { id } }')).data![
      'projectEdit'
    ] as {
      id: string;
    };
    const fields = `projectId: "${other.id}", name: "x", bundleId: "x", platform: "iOS"`;
    const made = (await edit(fields)).data!['applicationEdit'] as { id: string };
    const { errors } = await edit(`id: "${made.id}", projectId: "${id}"`);
    expect(errors[0]!.extensions['fields']).toEqual([
      { path: 'input.projectId', message: 'has 1000 applications already' },
    ]);
  });
});

// Names and pictures that a page shows to others: no name directs the text beside it, and no picture is a script (schema.graphql, "Conventions").
describe('textsOfPages', () => {
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    viewer = await newUser(service, await newOrganization(service), 'viewer');
  });

  const edit = 'mutation E($input: UserEditInput!) { userEdit(input: $input) { name avatar } }';
  const send = (input: Record<string, unknown>) => viewer.ask(edit, { input });
  const refusal = (path: string, message: string) => ({
    errors: [{ extensions: { code: 'BAD_USER_INPUT', fields: [{ path, message }] } }],
  });

  test.each(['\u202e', '\u202a', '\u202c', '\u2066', '\u2069'])('a name with %j is refused', async (character) => {
    const message = 'must not contain characters that direct the text around them';
    expect(await send({ name: `Bob ${character}moc.elpmaxe@nna` })).toMatchObject(refusal('input.name', message));
  });

  test.each(['אבג Ltd', 'عربي', 'a\u200fb', 'می\u200cخواهم', '👨\u200d👩\u200d👧'])(
    'the name %s is kept',
    async (name) => {
      expect(await send({ name })).toMatchObject({ data: { userEdit: { name } } });
    },
  );

  test.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\tscript:x',
    '\u0001vbscript:x',
    'data:text/html,x',
    'DATA:,x',
  ])('the picture %j is refused', async (avatar) => {
    const message = 'must not be a URL that runs in a page';
    expect(await send({ avatar })).toMatchObject(refusal('input.avatar', message));
  });

  test.each(['https://example.com/javascript:1.png', 'data:image/png;base64,AAAA', 'a picture', 'javascript.png'])(
    'the picture %s is kept',
    async (avatar) => {
      expect(await send({ avatar })).toMatchObject({ data: { userEdit: { avatar } } });
    },
  );
});

// A dashboard's whole journey over HTTP, from sign-up to a revoked key and a new password, with documents of any generator.
import { withinASecond } from './campaigns.ts';
import { dashboardClient, type TypedDocument } from './dashboardClient.ts';
import { mailsTo, startMailWorker } from './mail.ts';
import { startMailServer, type MailServer } from './mailServer.ts';
import { storeHolder, storeLine } from './storedLines.ts';
import { startTestService, type TestService } from './testService.ts';
import { aDevice, anEvent, aReport, aSession, json, signedHeaders } from './uploads.ts';

type Preset = typeof import('../../generated/dashboard/graphql.ts');
type DocumentName = Extract<keyof Preset, `${string}Document`>;

/** Each document by its name, with the types that the client preset gives it. */
export type DashboardDocuments = {
  [Name in DocumentName]: Preset[Name] extends TypedDocument<infer Data, infer Variables>
    ? TypedDocument<Data, Variables>
    : never;
};

const system = (name: string, params: Record<string, string>) =>
  anEvent({ name, type: 'system', params: Object.entries(params).map(([key, value]) => ({ name: key, value })) });

/** Registers the journey as a test; `load` resolves to the documents once the generated client is ready. */
export function testDashboard(load: () => Promise<DashboardDocuments>): void {
  let service: TestService;
  let mailServer: MailServer;
  let stopWorker: () => Promise<void>;
  beforeAll(async () => {
    service = await startTestService({ signatureRequired: true });
    mailServer = await startMailServer();
    stopWorker = await startMailWorker(service, { smtpUrl: mailServer.url });
  });
  afterAll(async () => {
    await stopWorker();
    await mailServer.stop();
    await service.stop();
  });

  test('sign up, invite, build, run a campaign, and close every door again', async () => {
    const documents = await load();
    const nobody = dashboardClient(service.url);
    const password = 'a fine phrase of the owner';
    const email = 'olga@example.com';
    const { signup } = await nobody.ask(documents.SignupDocument, {
      input: { email, password, organization: 'Acme', name: 'Olga' },
    });
    expect(signup.user).toEqual({ email, role: 'owner', status: 'active' });
    const owner = nobody.as(signup.token);

    // The owner confirms the address.
    const [confirmation] = await mailsTo(mailServer, email);
    expect(await nobody.ask(documents.ConfirmEmailDocument, { token: confirmation!.token })).toEqual({
      emailConfirm: true,
    });

    // The owner invites an editor, who accepts.
    const editorEmail = 'ed@example.com';
    const { userInvite } = await owner.ask(documents.InviteUserDocument, {
      input: { email: editorEmail, role: 'editor' },
    });
    expect(userInvite).toEqual({ email: editorEmail, role: 'editor', status: 'invited' });
    const [invitation] = await mailsTo(mailServer, editorEmail);
    const editorPassword = 'a fine phrase of the editor';
    await nobody.ask(documents.UpdatePasswordDocument, {
      input: { token: invitation!.token, newPassword: editorPassword, newPasswordRepeat: editorPassword },
    });
    const { login } = await nobody.ask(documents.LoginDocument, {
      input: { email: editorEmail, password: editorPassword },
    });
    const editor = nobody.as(login.token);
    expect((await editor.ask(documents.MeDocument, {})).me).toMatchObject({ role: 'editor', status: 'active' });
    expect(await editor.refusal(documents.EditProjectDocument, { input: { name: 'Not mine to make' } })).toEqual({
      status: 200,
      codes: ['FORBIDDEN'],
    });

    // The owner creates a project, an application and a key.
    const { projectEdit } = await owner.ask(documents.EditProjectDocument, { input: { name: 'Game' } });
    const { applicationEdit } = await owner.ask(documents.EditApplicationDocument, {
      input: { projectId: projectEdit.id, name: 'Game for phones', bundleId: 'com.example.game', platform: 'iOS' },
    });
    const applicationId = applicationEdit.id;
    const { apiKeyCreate: key } = await owner.ask(documents.CreateApiKeyDocument, { applicationId });

    // The editor takes a campaign from draft to active.
    const { campaignEdit } = await editor.ask(documents.EditCampaignDocument, {
      input: {
        applicationId,
        name: 'Rate us',
        priority: 5,
        trigger: { event: 'LevelCompleted', type: 'CUSTOM', filters: [{ param: 'level', op: 'GTE', value: 3 }] },
        action: { type: 'rate', payload: { title: 'Rate us?' } },
      },
    });
    expect(campaignEdit).toMatchObject({ state: 'DRAFT', version: 1, priority: 5 });
    expect(campaignEdit.allowedTransitions).toEqual(expect.arrayContaining(['ACTIVE', 'SCHEDULED', 'ARCHIVED']));
    const campaign = { id: campaignEdit.id };
    const served = async () => {
      const { body } = await service.client.send('getCampaigns', { 'X-Api-Key': key.public });
      return (body as { campaigns: { id: string }[] }).campaigns.map(({ id }) => id);
    };
    expect(await served()).toEqual([]);
    const { campaignChangeState } = await editor.ask(documents.ChangeCampaignStateDocument, {
      ...campaign,
      state: 'ACTIVE',
      expectedVersion: 1,
    });
    expect(campaignChangeState.state).toBe('ACTIVE');
    await withinASecond(async () => (await served()).includes(campaign.id));

    // A device shows and resolves the campaign in a signed upload.
    const device = aDevice();
    const upload = async () => {
      const events = [
        system('CampaignShown', { source: 'LevelCompleted', campaignId: campaign.id }),
        system('CampaignResolved', { campaignId: campaign.id, result: 'Completed' }),
      ];
      const body = json(aReport({ device, sessions: [aSession({ events })] }));
      const headers = { 'X-Api-Key': key.public, ...signedHeaders(key, body) };
      return (await service.client.send('reportSessions', headers, body)).status;
    };
    expect(await upload()).toBe(200);
    const { campaign: counted } = await editor.ask(documents.CampaignWithStatsDocument, campaign);
    expect(counted!.stats).toEqual({
      shown: 1,
      resolved: { completed: 1, dismissed: 0, unavailable: 0, skippedNoPresenter: 0, skippedNoContinuation: 0 },
      unavailableReasons: { timedOut: 0, presenterFailed: 0, presenterReported: 0 },
    });
    const { device: seen } = await editor.ask(documents.DeviceSessionsDocument, { applicationId, id: device.id });
    expect(seen!.sessions[0]!.events.map(({ name }) => name).sort()).toEqual(['CampaignResolved', 'CampaignShown']);

    // A paused campaign is no longer served.
    await editor.ask(documents.ChangeCampaignStateDocument, { ...campaign, state: 'PAUSED' });
    await withinASecond(async () => (await served()).length === 0);
    const { campaign: changed } = await editor.ask(documents.CampaignHistoryDocument, campaign);
    expect(changed!.history.map(({ by, toState }) => [by, toState])).toEqual([
      [editorEmail, 'PAUSED'],
      [editorEmail, 'ACTIVE'],
      [editorEmail, null],
    ]);
    expect(changed!.history[2]!.changes[0]).toEqual({
      field: 'name',
      before: null,
      after: 'Rate us',
      valuesKept: true,
    });
    const { campaigns } = await editor.ask(documents.CampaignsDocument, { applicationId, state: 'PAUSED' });
    expect(campaigns.map(({ id }) => id)).toEqual([campaign.id]);

    // The app's own server asks what a customer owns, and grants by it.
    const { serviceTokenCreate } = await owner.ask(documents.CreateServiceTokenDocument, {
      input: { name: 'Server', role: 'viewer', applicationIds: [applicationId] },
    });
    await storeLine(service, applicationId, { lineId: '730000100200301', productId: 'com.example.game.pro' });
    await storeHolder(service, applicationId, { lineId: '730000100200301', device: device.id, externalId: 'crm-1001' });
    const server = nobody.as(serviceTokenCreate.token);
    const ofCustomer = { applicationId, externalId: 'crm-1001' };
    const { entitlements } = await server.ask(documents.CustomerEntitlementsDocument, ofCustomer);
    expect(entitlements.nodes.map(({ productId, environment }) => [productId, environment])).toEqual([
      ['com.example.game.pro', 'PRODUCTION'],
    ]);
    const { storeTransactions } = await server.ask(documents.SoldTransactionsDocument, { applicationId });
    expect(storeTransactions).toEqual({ nodes: [], endCursor: null, hasMore: false });

    // The owner revokes the key.
    const { organization } = await owner.ask(documents.WorkspaceDocument, {});
    expect(organization).toMatchObject({ name: 'Acme', projectsCount: 1, projects: [{ name: 'Game' }] });
    await owner.ask(documents.RevokeApiKeyDocument, { public: key.public });
    await withinASecond(async () => (await upload()) === 404);

    // A new password ends every login that used the old one.
    const { refreshToken: pair } = await nobody.ask(documents.RefreshTokenDocument, { token: signup.refreshToken });
    expect(await nobody.ask(documents.ResetPasswordDocument, { input: { email } })).toEqual({ resetPassword: true });
    const [, reset] = await mailsTo(mailServer, email, 2);
    const newPassword = 'another fine phrase of the owner';
    const input = { token: reset!.token, newPassword, newPasswordRepeat: newPassword };
    await nobody.ask(documents.UpdatePasswordDocument, { input });
    for (const token of [signup.token, pair.token]) {
      expect(await nobody.as(token).refusal(documents.MeDocument, {})).toEqual({
        status: 401,
        codes: ['UNAUTHENTICATED'],
      });
    }
    for (const token of [signup.refreshToken, pair.refreshToken]) {
      expect((await nobody.refusal(documents.RefreshTokenDocument, { token })).codes).toEqual(['INVALID_TOKEN']);
    }
    expect((await nobody.refusal(documents.LoginDocument, { input: { email, password } })).codes).toEqual([
      'INVALID_CREDENTIALS',
    ]);
    expect((await nobody.refusal(documents.UpdatePasswordDocument, { input })).codes).toEqual(['INVALID_TOKEN']);
    const again = await nobody.ask(documents.LoginDocument, { input: { email, password: newPassword } });

    // The audit log contains every step.
    const { auditLog } = await nobody.as(again.login.token).ask(documents.AuditLogDocument, {});
    expect(auditLog.map(({ actor, action }) => `${actor} ${action}`).reverse()).toEqual([
      `${email} signup`,
      `${email} emailConfirm`,
      `${email} userInvite`,
      `${editorEmail} updatePassword`,
      `${email} projectEdit`,
      `${email} applicationEdit`,
      `${email} apiKeyCreate`,
      `${email} apiKeyReveal`,
      `${editorEmail} campaignEdit`,
      `${editorEmail} campaignChangeState`,
      `${editorEmail} campaignChangeState`,
      `${email} serviceTokenCreate`,
      `${email} apiKeyRevoke`,
      `${email} updatePassword`,
    ]);

    // The owner logs out.
    const last = nobody.as(again.login.token);
    expect(await last.ask(documents.LogoutDocument, {})).toEqual({ logout: true });
    expect((await last.refusal(documents.MeDocument, {})).status).toBe(401);
  });
}

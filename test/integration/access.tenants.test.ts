// Two organizations have rows in every table: a query returns the caller's own organization, and nothing of the other.
import { randomUUID } from 'node:crypto';
import type { QueryResolvers } from '../../generated/graphql.ts';
import { analyticsQueries, type AnalyticsField } from '../support/analyticsQueries.ts';
import { upload } from '../support/purchases.ts';
import { fillApplication } from '../support/removal.ts';
import { newDelivery, newWebhook } from '../support/webhooks.ts';
import { storeLine } from '../support/storedLines.ts';
import { newServiceToken } from '../support/serviceTokens.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

/** The values that identify an organization in a response; no other organization has them. */
interface Objects {
  organization: string;
  user: string;
  email: string;
  project: string;
  application: string;
  key: string;
  campaign: string;
  transaction: string;
  session: string;
  webhook: string;
}

interface Tenant {
  admin: TestUser;
  objects: Objects;
}

/** Both applications know this device: only the application tells which response is one's own. */
const device = randomUUID();

/**
 * All queries but `countries`, which belong to no organization, those of analytics (below), and `campaignsCount`, whose own
 * test counts only the own ones.
 */
const queries: Record<
  Exclude<keyof QueryResolvers, 'countries' | 'campaignsCount' | AnalyticsField>,
  (of: Objects) => string
> = {
  applications: ({ project }) =>
    `all: applications { id } some: applications(projectId: "${project}") { id project { id } apiKeys { public } }`,
  auditLog: () => 'auditLog(limit: 200) { actor objectId details }',
  campaign: ({ campaign }) => `campaign(id: "${campaign}") { id }`,
  campaigns: ({ application }) => `all: campaigns { id } some: campaigns(applicationId: "${application}") { id }`,
  device: ({ application }) => `device(applicationId: "${application}", id: "${device}") { transactions { id } }`,
  entitlements: ({ application }) => `entitlements(applicationId: "${application}") { nodes { id } }`,
  id: () => 'id',
  me: () => 'me { email }',
  organization: () => 'organization { id users { email } projects { id applications { id } } }',
  organizations: () => 'organizations { id users { email } }',
  products: ({ application }) => `products(applicationId: "${application}") { productId }`,
  projects: () => 'projects { id applications { id apiKeys { public } } }',
  webhookDeliveries: ({ webhook }) => `webhookDeliveries(webhookId: "${webhook}") { nodes { webhookId } }`,
  webhooks: ({ application }) => `webhooks(applicationId: "${application}") { id }`,
  serviceTokens: () => 'serviceTokens { createdBy }',
  sessions: () => 'sessions { id }',
  storeTransactions: ({ application }) => `storeTransactions(applicationId: "${application}") { nodes { id } }`,
};

let service: TestService;
let tenants: [Tenant, Tenant];
beforeAll(async () => {
  service = await startTestService();
  tenants = [await newTenant(), await newTenant()];
});
afterAll(() => service.stop());

async function newTenant(): Promise<Tenant> {
  const application = await service.newApplication();
  const { campaign } = await fillApplication(service, application);
  const transaction = randomUUID();
  await upload({ ...service, application }, [transaction], { device });
  await storeLine(service, application.id, { lineId: transaction });
  const organization = await organizationOf(service, application.id);
  const admin = await newUser(service, organization, 'admin');
  const { database } = service;
  const { projectId: project } = await database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
  const product = `input: { applicationId: "${application.id}", productId: "of ${application.id}", durationDays: 1 }`;
  await admin.ask(`mutation { productEdit(${product}) { productId } }`);
  // Writes a line of the audit log.
  await admin.ask(`mutation { projectEdit(input: { id: "${project}", name: "Renamed" }) { id } }`);
  const { id: webhook } = await newWebhook(admin, application.id);
  const own = {
    organization,
    user: admin.id,
    email: admin.email,
    session: admin.sessionId,
    project,
    campaign,
    transaction,
    webhook,
  };
  await newServiceToken(admin);
  await newDelivery(service, { owner: admin, application: application.id, campaign, webhook });
  return { admin, objects: { ...own, application: application.id, key: application.key.public } };
}

const shown = (text: string, objects: Objects) =>
  Object.entries(objects)
    .filter(([, value]) => text.includes(value as string))
    .map(([name]) => name);

test.each(Object.entries(queries))(
  "%s shows what is one's own, and nothing of another organization",
  async (_, query) => {
    for (const [own, other] of [tenants, tenants.toReversed() as typeof tenants]) {
      const mine = await own.admin.ask(`{ ${query(own.objects)} }`);
      expect(mine.errors).toEqual([]);
      expect(shown(mine.text, own.objects)).not.toEqual([]);
      expect(shown(mine.text, other.objects)).toEqual([]);
      const theirs = await own.admin.ask(`{ ${query(other.objects)} }`);
      expect(shown(theirs.text, other.objects)).toEqual([]);
    }
  },
);

test.each(Object.entries(analyticsQueries))("%s refuses another organization's application", async (_, query) => {
  for (const [own, other] of [tenants, tenants.toReversed() as typeof tenants]) {
    expect((await own.admin.ask(`{ ${query(other.objects.application)} }`)).codes).toEqual(['NOT_FOUND']);
    expect((await own.admin.ask(`{ ${query(own.objects.application)} }`)).codes).not.toContain('NOT_FOUND');
  }
});

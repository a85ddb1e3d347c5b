// Reads sales through the admin API as an app's own server does: with a service token, page after page.
import { askWithToken, type AdminApi } from '../adminApi.ts';
import type { Said, SaidEntitlement, SaidTransaction } from './saidItems.ts';

export interface SalesReads {
  said(): Promise<Said>;
  phone(deviceId: string): Promise<SaidPhone>;
  close(): Promise<void>;
}

export interface SaidPhone {
  transactions: { id: string; productId: string | null; reason: string | null }[];
  entitlements: { storeTransactionIds: string[] }[];
}

interface Page<Node> {
  nodes: Node[];
  endCursor: string | null;
  hasMore: boolean;
}

interface Created {
  serviceTokenCreate: { token: string; serviceToken: { id: string } };
}

/** `admin` makes the token, which only reads this one application. */
export async function openSalesReads(
  admin: AdminApi,
  { baseUrl, applicationId }: { baseUrl: string; applicationId: string },
): Promise<SalesReads> {
  const { serviceTokenCreate: created } = await admin.ask<Created>(
    `mutation Token($application: UUID!) {
      serviceTokenCreate(input: { name: "Demo", role: "viewer", applicationIds: [$application] }) {
        token serviceToken { id }
      }
    }`,
    { application: applicationId },
  );
  const server = askWithToken(baseUrl, created.token);
  return {
    async said() {
      return {
        transactions: await allOf<SaidTransaction>(server, applicationId, transactionsQuery),
        entitlements: await allOf<SaidEntitlement>(server, applicationId, entitlementsQuery),
      };
    },
    async phone(deviceId) {
      const { device } = await server.ask<{ device: SaidPhone | null }>(phoneQuery, { applicationId, deviceId });
      return device ?? { transactions: [], entitlements: [] };
    },
    async close() {
      await admin.ask('mutation Revoke($id: UUID!) { serviceTokenRevoke(id: $id) }', { id: created.serviceToken.id });
    },
  };
}

/** A transaction that is resolved meanwhile moves back in the order, so two pages may have it. */
async function allOf<Node extends { id: string }>(server: AdminApi, applicationId: string, query: string) {
  const nodes = new Map<string, Node>();
  for (let after: string | null = null, hasMore = true; hasMore;) {
    const { page }: { page: Page<Node> } = await server.ask(query, { applicationId, after });
    for (const node of page.nodes) nodes.set(node.id, node);
    ({ hasMore, endCursor: after } = page);
  }
  return [...nodes.values()];
}

const transactionsQuery = `query Sold($applicationId: UUID!, $after: String) {
  page: storeTransactions(applicationId: $applicationId, limit: 200, after: $after) {
    nodes {
      id state reason originalId productId kind environment purchasedAt expiresAt revokedAt ownership offer quantity
      price currency
    }
    endCursor hasMore
  }
}`;

const entitlementsQuery = `query Owned($applicationId: UUID!, $after: String) {
  page: entitlements(applicationId: $applicationId, limit: 200, after: $after) {
    nodes { id productId purchasedAt expiresAt graceExpiresAt revokedAt inBillingRetry ownership quantity active }
    endCursor hasMore
  }
}`;

const phoneQuery = `query Phone($applicationId: UUID!, $deviceId: String!) {
  device(applicationId: $applicationId, id: $deviceId) {
    transactions { id productId reason }
    entitlements { storeTransactionIds }
  }
}`;

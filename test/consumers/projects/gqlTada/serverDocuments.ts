// The documents of test/dashboard/servers.graphql: service tokens, webhooks, and what an app's own server asks.
import { graphql } from './graphql.ts';

export const ServiceTokensDocument = graphql(`
  query ServiceTokens {
    serviceTokens {
      id
      name
      role
      applicationIds
      createdAt
      createdBy
      expiresAt
      lastUsedAt
    }
  }
`);

export const CreateServiceTokenDocument = graphql(`
  mutation CreateServiceToken($input: ServiceTokenCreateInput!) {
    serviceTokenCreate(input: $input) {
      token
      serviceToken {
        id
        name
      }
    }
  }
`);

export const RevokeServiceTokenDocument = graphql(`
  mutation RevokeServiceToken($id: UUID!) {
    serviceTokenRevoke(id: $id)
  }
`);

export const WebhooksDocument = graphql(`
  query Webhooks($applicationId: UUID!) {
    webhooks(applicationId: $applicationId) {
      id
      url
      events
      enabled
      gone
      updatedAt
      updatedBy
    }
  }
`);

export const WebhookDeliveriesDocument = graphql(`
  query WebhookDeliveries($webhookId: UUID!, $state: WebhookDeliveryState, $after: String) {
    webhookDeliveries(webhookId: $webhookId, state: $state, after: $after) {
      nodes {
        id
        event
        state
        attempts
        createdAt
        deliveredAt
        lastStatus
        lastError
        body
      }
      endCursor
      hasMore
    }
  }
`);

export const EditWebhookDocument = graphql(`
  mutation EditWebhook($input: WebhookEditInput!) {
    webhookEdit(input: $input) {
      webhook {
        id
        enabled
      }
      secret
    }
  }
`);

export const DeleteWebhookDocument = graphql(`
  mutation DeleteWebhook($id: UUID!) {
    webhookDelete(id: $id)
  }
`);

export const RedeliverWebhookDocument = graphql(`
  mutation RedeliverWebhook($deliveryId: UUID!) {
    webhookRedeliver(deliveryId: $deliveryId) {
      id
      state
    }
  }
`);

export const CustomerEntitlementsDocument = graphql(`
  query CustomerEntitlements($applicationId: UUID!, $externalId: String!, $after: String) {
    entitlements(applicationId: $applicationId, externalId: $externalId, active: true, after: $after) {
      nodes {
        id
        productId
        environment
        expiresAt
        quantity
        owner {
          externalId
        }
      }
      endCursor
      hasMore
    }
  }
`);

export const SoldTransactionsDocument = graphql(`
  query SoldTransactions($applicationId: UUID!, $from: DateTime, $to: DateTime, $after: String) {
    storeTransactions(applicationId: $applicationId, state: RESOLVED, from: $from, to: $to, after: $after) {
      nodes {
        id
        originalId
        productId
        purchasedAt
        price
        currency
        revokedAt
        environment
      }
      endCursor
      hasMore
    }
  }
`);

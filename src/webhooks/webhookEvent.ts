// The events of webhooks (pure): their names in the admin API, and the `type` that a receiver gets.

export const eventTypes = {
  ENTITLEMENT_ACTIVATED: 'entitlement.activated',
  ENTITLEMENT_RENEWED: 'entitlement.renewed',
  ENTITLEMENT_EXPIRED: 'entitlement.expired',
  ENTITLEMENT_REVOKED: 'entitlement.revoked',
  ENTITLEMENT_TRANSFERRED: 'entitlement.transferred',
  CAMPAIGN_STATE_CHANGED: 'campaign.state_changed',
} as const;

export type WebhookEventName = keyof typeof eventTypes;

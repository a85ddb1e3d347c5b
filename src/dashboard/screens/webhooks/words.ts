// The events of webhooks as receivers know them, and the states of deliveries in words.
import type { WebhookDeliveryState, WebhookEvent } from '../../../../generated/screens/enums.ts';

export const eventNames: Record<WebhookEvent, string> = {
  CAMPAIGN_STATE_CHANGED: 'campaign.state_changed',
  ENTITLEMENT_ACTIVATED: 'entitlement.activated',
  ENTITLEMENT_RENEWED: 'entitlement.renewed',
  ENTITLEMENT_EXPIRED: 'entitlement.expired',
  ENTITLEMENT_REVOKED: 'entitlement.revoked',
  ENTITLEMENT_TRANSFERRED: 'entitlement.transferred',
};

export const stateNames: Record<WebhookDeliveryState, string> = {
  PENDING: 'Waiting',
  DELIVERED: 'Delivered',
  PARKED: 'Given up',
};

// Purchases as screens show them: the store's words, prices, products, and links.
import { Badge, Group, Text } from '@mantine/core';
import { linkOptions } from '@tanstack/react-router';
import type {
  EntitlementKind,
  StoreEnvironment,
  StoreOffer,
  StoreOfferMode,
  StoreOwnership,
  StoreRevocationReason,
  StoreRevocationType,
  StoreTransactionState,
} from '../../../generated/screens/enums.ts';
import type { EntitlementsSearch, TransactionsSearch } from '../screens/searches.ts';
import { GivenText } from './GivenText.tsx';
import { money } from './figures.ts';

/** What the store's words mean, for people. */
export const kinds: Record<EntitlementKind, string> = {
  CONSUMABLE: 'Consumable',
  NON_CONSUMABLE: 'Bought once',
  AUTO_RENEWABLE: 'Subscription',
  NON_RENEWING: 'For a fixed time',
};

export const states: Record<StoreTransactionState, string> = {
  PENDING: 'Waiting',
  RESOLVED: 'Verified',
  NOT_FOUND: 'Unknown to the store',
  FAILED: 'Failed',
};

export const environments: Record<StoreEnvironment, string> = { PRODUCTION: 'Production', SANDBOX: 'Sandbox' };

export const ownerships: Record<StoreOwnership, string> = {
  PURCHASED: 'Bought by the user',
  FAMILY_SHARED: 'Shared by the family',
};

export const offers: Record<StoreOffer, string> = {
  NONE: 'Plain price',
  INTRODUCTORY: 'Introductory',
  PROMOTIONAL: 'Promotional',
  CODE: 'Code',
  WIN_BACK: 'Win-back',
};

export const offerModes: Record<StoreOfferMode, string> = {
  FREE_TRIAL: 'free trial',
  PAY_AS_YOU_GO: 'paid each period',
  PAY_UP_FRONT: 'paid up front',
  ONE_TIME: 'paid once',
};

export const revocationTypes: Record<StoreRevocationType, string> = {
  REFUND_FULL: 'Refund of the whole price',
  REFUND_PRORATED: 'Refund of a part',
  FAMILY_REVOKE: 'Family sharing ended',
};

export const revocationReasons: Record<StoreRevocationReason, string> = {
  APP_ISSUE: 'An issue of the app',
  OTHER: 'Another reason',
};

/** schema.graphql (StoreTransaction): `reason` and `lastLookUpError`. */
const reasons: Record<string, string> = {
  no_credentials: 'The application has no store credentials.',
  credentials_refused: 'The store refused the credentials. The service retries.',
  credentials_unreadable: 'The service cannot read the credentials. It retries.',
  no_root_certificates: 'The service has no root certificates of the store. It retries.',
  store_busy: 'The store is busy. The service retries.',
  store_unavailable: 'The store is not available. The service retries.',
  not_known_yet: 'The store does not know it yet. The service retries for 24 hours.',
  waiting_for_turn: 'Its look-up comes in its turn.',
  waiting_behind: 'It waits behind the purchases of proven devices.',
  waiting_in_line: 'Unproven devices uploaded many. It waits for a free place.',
  owned_by_another: 'Another user owns it.',
  retries_exhausted: 'The service has given up retrying.',
  wrong_bundle: 'It belongs to another app.',
  wrong_environment: 'It is of another environment of the store.',
  wrong_transaction: 'The store named another transaction.',
  invalid_certificate: 'The certificate of the store is not valid.',
  not_verified: 'The signature of the store does not verify.',
  unknown_kind: 'The store named an unknown kind of product.',
  incomplete_transaction: 'The store left out what is needed.',
  invalid_id: 'The store does not take this as an id.',
  internal_error: 'The service failed.',
};

export function reasonText(reason: string): string {
  const refused = /^store_refused_(.+)$/.exec(reason);
  return refused ? `The store refused the request (${refused[1]}).` : (reasons[reason] ?? reason);
}

/** Where the screens of purchases point to. */
export const transactionsOf = (applicationId: string, search: TransactionsSearch) =>
  linkOptions({ to: '/apps/$applicationId/transactions', params: { applicationId }, search });
export type Place = ReturnType<typeof transactionsOf>;

export const deviceOf = (applicationId: string, id: string) =>
  linkOptions({ to: '/apps/$applicationId/device', params: { applicationId }, search: { id } });

export const entitlementsOf = (applicationId: string, search: EntitlementsSearch) =>
  linkOptions({ to: '/apps/$applicationId/entitlements', params: { applicationId }, search });

// The price of a purchase with its quantity, as the store gave it.

interface PriceProps {
  price?: string | null;
  currency?: string | null;
  quantity?: number | null;
}

/** `—` where the store does not say. */
export function Price({ price, currency, quantity }: PriceProps) {
  if (price == null) return '—';
  return (
    <>
      {currency == null ? price : money(price, currency)}
      {quantity != null && quantity !== 1 && (
        <Text span size="xs" c="dimmed">
          {' '}
          × {quantity}
        </Text>
      )}
    </>
  );
}

interface ProductNameProps {
  productId?: string | null;
  environment?: StoreEnvironment | null;
  ownership?: StoreOwnership | null;
}

/** The product of a purchase, marked where it is no plain sale. */
export function ProductName({ productId, environment, ownership }: ProductNameProps) {
  if (productId == null) return '—';
  return (
    <Group gap={6} wrap="nowrap" maw="18rem">
      <GivenText text={productId} cut />
      {environment === 'SANDBOX' && <Mark>Sandbox</Mark>}
      {ownership === 'FAMILY_SHARED' && <Mark>Family</Mark>}
    </Group>
  );
}

function Mark({ children }: { children: string }) {
  return (
    <Badge size="xs" variant="default" flex="none">
      {children}
    </Badge>
  );
}

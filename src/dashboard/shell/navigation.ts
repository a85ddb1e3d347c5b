// The screens that the navigation lists, in the order in which somebody new needs them.
import type { Role } from '../session/me.ts';

export interface NavigationEntry {
  label: string;
  /** Below `/apps/<application>/`. */
  path: string;
}

export const ofApplication: NavigationEntry[] = [
  { label: 'First event', path: 'first-event' },
  { label: 'Keys', path: 'keys' },
  { label: 'Live', path: 'live' },
  { label: 'Devices', path: 'devices' },
  { label: 'Funnel', path: 'funnel' },
  { label: 'Retention', path: 'retention' },
  { label: 'Campaigns', path: 'campaigns' },
  { label: 'Revenue', path: 'revenue' },
  { label: 'Subscriptions', path: 'subscriptions' },
  { label: 'Transactions', path: 'transactions' },
  { label: 'Entitlements', path: 'entitlements' },
  { label: 'Store', path: 'store' },
  { label: 'Webhooks', path: 'webhooks' },
  { label: 'Settings', path: 'settings' },
];

/** Of the organization; `least` hides an entry from lower roles, who read nothing there. */
export const ofOrganization: { label: string; path: string; least?: Role }[] = [
  { label: 'Applications', path: '/applications' },
  { label: 'Team', path: '/team' },
  { label: 'Service tokens', path: '/service-tokens', least: 'admin' },
  { label: 'Audit log', path: '/audit', least: 'admin' },
  { label: 'Organization', path: '/organization' },
];

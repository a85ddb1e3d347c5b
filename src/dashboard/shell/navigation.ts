// The screens that the navigation lists, in the order in which somebody new needs them.
import type { Role } from '../session/me.ts';

export interface NavigationEntry {
  label: string;
  /** Below `/apps/<application>/`. */
  path: string;
  /** The screens that are opened from it and have no entry of their own. */
  below?: string[];
}

export const ofApplication: NavigationEntry[] = [
  { label: 'First event', path: 'first-event' },
  { label: 'Keys', path: 'keys' },
  { label: 'Live', path: 'live' },
  { label: 'Overview', path: 'overview' },
  { label: 'Events', path: 'events' },
  { label: 'Devices', path: 'devices', below: ['device'] },
  { label: 'Funnel', path: 'funnel' },
  { label: 'Retention', path: 'retention' },
  { label: 'Campaigns', path: 'campaigns', below: ['campaign', 'campaign-editor'] },
  { label: 'Revenue', path: 'revenue' },
  { label: 'Subscriptions', path: 'subscriptions' },
  { label: 'Transactions', path: 'transactions' },
  { label: 'Entitlements', path: 'entitlements' },
  { label: 'Store', path: 'store' },
  { label: 'Webhooks', path: 'webhooks' },
  { label: 'Settings', path: 'settings' },
];

/** The entry of a screen of an application, also where the screen is one below. */
export const entryOf = (screen: string): NavigationEntry | undefined =>
  ofApplication.find(({ path, below = [] }) => path === screen || below.includes(screen));

/** Of the organization; `least` hides an entry from lower roles, who read nothing there. */
export const ofOrganization: { label: string; path: string; least?: Role }[] = [
  { label: 'Applications', path: '/applications' },
  { label: 'Team', path: '/team' },
  { label: 'Service tokens', path: '/service-tokens', least: 'admin' },
  { label: 'Audit log', path: '/audit', least: 'admin' },
  { label: 'Organization', path: '/organization' },
];

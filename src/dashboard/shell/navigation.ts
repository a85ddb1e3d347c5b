// The screens that the navigation lists, in the order in which somebody new needs them.

export const ofApplication = [
  { label: 'First event', to: '/apps/$applicationId/first-event' },
  { label: 'Keys', to: '/apps/$applicationId/keys' },
  { label: 'Live', to: '/apps/$applicationId/live' },
  { label: 'Overview', to: '/apps/$applicationId/overview' },
  { label: 'Events', to: '/apps/$applicationId/events' },
  { label: 'Devices', to: '/apps/$applicationId/devices' },
  { label: 'Funnel', to: '/apps/$applicationId/funnel' },
  { label: 'Retention', to: '/apps/$applicationId/retention' },
  { label: 'Campaigns', to: '/apps/$applicationId/campaigns' },
  { label: 'Revenue', to: '/apps/$applicationId/revenue' },
  { label: 'Subscriptions', to: '/apps/$applicationId/subscriptions' },
  { label: 'Transactions', to: '/apps/$applicationId/transactions' },
  { label: 'Entitlements', to: '/apps/$applicationId/entitlements' },
  { label: 'Store', to: '/apps/$applicationId/store' },
  { label: 'Webhooks', to: '/apps/$applicationId/webhooks' },
  { label: 'Settings', to: '/apps/$applicationId/settings' },
] as const;

/** The entry of a screen of an application, also where the screen is one below: a campaign is below the campaigns. */
export function entryOf(pathname: string) {
  const screen = /^\/apps\/[^/]+\/([^/]+)/.exec(pathname)?.[1];
  const listed = screen === 'device' ? 'devices' : screen;
  return ofApplication.find(({ to }) => to === `/apps/$applicationId/${listed}`);
}

/** Of the organization; `least` hides an entry from lower roles, who read nothing there. */
export const ofOrganization = [
  { label: 'Applications', to: '/applications', least: 'viewer' },
  { label: 'Team', to: '/team', least: 'viewer' },
  { label: 'Service tokens', to: '/service-tokens', least: 'admin' },
  { label: 'Audit log', to: '/audit', least: 'admin' },
  { label: 'Organization', to: '/organization', least: 'viewer' },
] as const;

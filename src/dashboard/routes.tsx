// Which path shows which screen. A screen is loaded when it is first opened; its search parameters are checked here.
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './routeRoot.ts';
import { parseSearch, stringifySearch } from './parts/searchParameters.ts';
import { beforeLogin } from './routesBefore.ts';
import { Shell } from './shell/Shell.tsx';
import {
  auditSearch,
  campaignSearch,
  campaignsSearch,
  deviceSearch,
  devicesSearch,
  editorSearch,
  entitlementsSearch,
  eventsSearch,
  funnelSearch,
  keysSearch,
  liveSearch,
  overviewSearch,
  retentionSearch,
  revenueSearch,
  subscriptionsSearch,
  teamSearch,
  transactionsSearch,
  webhooksSearch,
} from './screens/searches.ts';
import { Guard } from './session/Guard.tsx';

/** Everything below asks for a login first. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: () => (
    <Guard>
      <Shell />
    </Guard>
  ),
});
const within = { getParentRoute: () => inside };
const start = createRoute({
  ...within,
  path: '/',
  component: lazyRouteComponent(() => import('./screens/overview/Start.tsx'), 'Start'),
});
const applications = createRoute({
  ...within,
  path: '/applications',
  component: lazyRouteComponent(() => import('./screens/applications/Applications.tsx'), 'Applications'),
});

const team = createRoute({
  ...within,
  path: '/team',
  validateSearch: teamSearch,
  component: lazyRouteComponent(() => import('./screens/team/Team.tsx'), 'Team'),
});
const serviceTokens = createRoute({
  ...within,
  path: '/service-tokens',
  component: lazyRouteComponent(() => import('./screens/serviceTokens/ServiceTokens.tsx'), 'ServiceTokens'),
});
const audit = createRoute({
  ...within,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./screens/audit/Audit.tsx'), 'Audit'),
});
const organization = createRoute({
  ...within,
  path: '/organization',
  component: lazyRouteComponent(() => import('./screens/organization/EditOrganization.tsx'), 'EditOrganization'),
});
const profile = createRoute({
  ...within,
  path: '/profile',
  component: lazyRouteComponent(() => import('./screens/profile/Profile.tsx'), 'Profile'),
});

/** Screens of one application. */
const firstRun = createRoute({
  ...within,
  path: '/apps/$applicationId/first-event',
  component: lazyRouteComponent(() => import('./screens/firstRun/FirstRun.tsx'), 'FirstRun'),
});
const live = createRoute({
  ...within,
  path: '/apps/$applicationId/live',
  validateSearch: liveSearch,
  component: lazyRouteComponent(() => import('./screens/live/Live.tsx'), 'Live'),
});
const funnel = createRoute({
  ...within,
  path: '/apps/$applicationId/funnel',
  validateSearch: funnelSearch,
  component: lazyRouteComponent(() => import('./screens/funnel/Funnel.tsx'), 'Funnel'),
});
const retention = createRoute({
  ...within,
  path: '/apps/$applicationId/retention',
  validateSearch: retentionSearch,
  component: lazyRouteComponent(() => import('./screens/retention/Retention.tsx'), 'Retention'),
});
const campaigns = createRoute({
  ...within,
  path: '/apps/$applicationId/campaigns',
  validateSearch: campaignsSearch,
  component: lazyRouteComponent(() => import('./screens/campaigns/Campaigns.tsx'), 'Campaigns'),
});
const campaign = createRoute({
  ...within,
  path: '/apps/$applicationId/campaign',
  validateSearch: campaignSearch,
  component: lazyRouteComponent(() => import('./screens/campaign/Campaign.tsx'), 'Campaign'),
});
const devices = createRoute({
  ...within,
  path: '/apps/$applicationId/devices',
  validateSearch: devicesSearch,
  component: lazyRouteComponent(() => import('./screens/devices/Devices.tsx'), 'Devices'),
});
const device = createRoute({
  ...within,
  path: '/apps/$applicationId/device',
  validateSearch: deviceSearch,
  component: lazyRouteComponent(() => import('./screens/device/Device.tsx'), 'Device'),
});
const overview = createRoute({
  ...within,
  path: '/apps/$applicationId/overview',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('./screens/overview/Overview.tsx'), 'Overview'),
});
const events = createRoute({
  ...within,
  path: '/apps/$applicationId/events',
  validateSearch: eventsSearch,
  component: lazyRouteComponent(() => import('./screens/events/Events.tsx'), 'Events'),
});
const revenue = createRoute({
  ...within,
  path: '/apps/$applicationId/revenue',
  validateSearch: revenueSearch,
  component: lazyRouteComponent(() => import('./screens/revenue/Revenue.tsx'), 'Revenue'),
});
const subscriptions = createRoute({
  ...within,
  path: '/apps/$applicationId/subscriptions',
  validateSearch: subscriptionsSearch,
  component: lazyRouteComponent(() => import('./screens/subscriptions/Subscriptions.tsx'), 'Subscriptions'),
});
const transactions = createRoute({
  ...within,
  path: '/apps/$applicationId/transactions',
  validateSearch: transactionsSearch,
  component: lazyRouteComponent(() => import('./screens/transactions/Transactions.tsx'), 'Transactions'),
});
const entitlements = createRoute({
  ...within,
  path: '/apps/$applicationId/entitlements',
  validateSearch: entitlementsSearch,
  component: lazyRouteComponent(() => import('./screens/entitlements/Entitlements.tsx'), 'Entitlements'),
});
const keys = createRoute({
  ...within,
  path: '/apps/$applicationId/keys',
  validateSearch: keysSearch,
  component: lazyRouteComponent(() => import('./screens/keys/Keys.tsx'), 'Keys'),
});
const store = createRoute({
  ...within,
  path: '/apps/$applicationId/store',
  component: lazyRouteComponent(() => import('./screens/store/Store.tsx'), 'Store'),
});
const webhooks = createRoute({
  ...within,
  path: '/apps/$applicationId/webhooks',
  validateSearch: webhooksSearch,
  component: lazyRouteComponent(() => import('./screens/webhooks/Webhooks.tsx'), 'Webhooks'),
});
const settings = createRoute({
  ...within,
  path: '/apps/$applicationId/settings',
  component: lazyRouteComponent(() => import('./screens/applications/Settings.tsx'), 'Settings'),
});
const campaignEditor = createRoute({
  ...within,
  path: '/apps/$applicationId/campaign-editor',
  validateSearch: editorSearch,
  component: lazyRouteComponent(() => import('./screens/campaignEditor/CampaignEditor.tsx'), 'CampaignEditor'),
});

const tree = root.addChildren([
  ...beforeLogin,
  inside.addChildren([
    start,
    applications,
    firstRun,
    live,
    overview,
    events,
    funnel,
    retention,
    campaigns,
    campaign,
    devices,
    device,
    revenue,
    subscriptions,
    transactions,
    entitlements,
    keys,
    store,
    webhooks,
    settings,
    campaignEditor,
    team,
    serviceTokens,
    audit,
    organization,
    profile,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: '/admin',
  trailingSlash: 'preserve',
  parseSearch,
  stringifySearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

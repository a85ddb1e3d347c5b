// Which path shows which screen. A screen is loaded when it is first opened; its search parameters are checked here.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isUuid, parseSearch, stringifySearch } from './parts/searchParameters.ts';
import {
  auditSearch,
  campaignSearch,
  campaignsSearch,
  deviceSearch,
  devicesSearch,
  entitlementsSearch,
  eventsSearch,
  funnelSearch,
  keysSearch,
  liveSearch,
  loginSearch,
  newCampaignSearch,
  overviewSearch,
  retentionSearch,
  revenueSearch,
  subscriptionsSearch,
  teamSearch,
  tokenSearch,
  transactionsSearch,
  webhooksSearch,
} from './screens/searches.ts';
import { Guard } from './session/SessionProvider.tsx';
import { NotFound, Shell } from './shell/Shell.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const open = { getParentRoute: () => root };
/** In front of the login. */
const beforeLogin = [
  createRoute({
    ...open,
    path: '/login',
    validateSearch: loginSearch,
    component: lazyRouteComponent(() => import('./screens/login/Login.tsx'), 'Login'),
  }),
  createRoute({
    ...open,
    path: '/signup',
    component: lazyRouteComponent(() => import('./screens/login/Login.tsx'), 'Signup'),
  }),
  createRoute({
    ...open,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('./screens/login/Login.tsx'), 'ForgotPassword'),
  }),
  createRoute({
    ...open,
    path: '/reset-password',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('./screens/login/MailedLinks.tsx'), 'ResetPassword'),
  }),
  createRoute({
    ...open,
    path: '/accept-invitation',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('./screens/login/MailedLinks.tsx'), 'AcceptInvitation'),
  }),
  createRoute({
    ...open,
    path: '/confirm-email',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('./screens/login/MailedLinks.tsx'), 'ConfirmEmail'),
  }),
] as const;

/** Everything below asks for a login first. */
const inside = createRoute({
  ...open,
  id: 'inside',
  component: () => (
    <Guard>
      <Shell />
    </Guard>
  ),
});
const within = { getParentRoute: () => inside };
const screens = [
  createRoute({
    ...within,
    path: '/',
    component: lazyRouteComponent(() => import('./screens/overview/Start.tsx'), 'Start'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/first-event',
    component: lazyRouteComponent(() => import('./screens/firstRun/FirstRun.tsx'), 'FirstRun'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/keys',
    validateSearch: keysSearch,
    component: lazyRouteComponent(() => import('./screens/keys/Keys.tsx'), 'Keys'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/live',
    validateSearch: liveSearch,
    component: lazyRouteComponent(() => import('./screens/live/Live.tsx'), 'Live'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/overview',
    validateSearch: overviewSearch,
    component: lazyRouteComponent(() => import('./screens/overview/Overview.tsx'), 'Overview'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/events',
    validateSearch: eventsSearch,
    component: lazyRouteComponent(() => import('./screens/events/Events.tsx'), 'Events'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/devices',
    validateSearch: devicesSearch,
    component: lazyRouteComponent(() => import('./screens/devices/Devices.tsx'), 'Devices'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/device',
    validateSearch: deviceSearch,
    component: lazyRouteComponent(() => import('./screens/devices/Device.tsx'), 'Device'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/funnel',
    validateSearch: funnelSearch,
    component: lazyRouteComponent(() => import('./screens/funnel/Funnel.tsx'), 'Funnel'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/retention',
    validateSearch: retentionSearch,
    component: lazyRouteComponent(() => import('./screens/retention/Retention.tsx'), 'Retention'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/campaigns',
    validateSearch: campaignsSearch,
    component: lazyRouteComponent(() => import('./screens/campaigns/Campaigns.tsx'), 'Campaigns'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/campaigns/new',
    validateSearch: newCampaignSearch,
    component: lazyRouteComponent(() => import('./screens/campaigns/CampaignEditor.tsx'), 'NewCampaign'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/campaigns/$id',
    validateSearch: campaignSearch,
    component: lazyRouteComponent(() => import('./screens/campaigns/Campaign.tsx'), 'Campaign'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/campaigns/$id/edit',
    component: lazyRouteComponent(() => import('./screens/campaigns/CampaignEditor.tsx'), 'EditCampaign'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/revenue',
    validateSearch: revenueSearch,
    component: lazyRouteComponent(() => import('./screens/revenue/Revenue.tsx'), 'Revenue'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/subscriptions',
    validateSearch: subscriptionsSearch,
    component: lazyRouteComponent(() => import('./screens/subscriptions/Subscriptions.tsx'), 'Subscriptions'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/transactions',
    validateSearch: transactionsSearch,
    component: lazyRouteComponent(() => import('./screens/transactions/Transactions.tsx'), 'Transactions'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/entitlements',
    validateSearch: entitlementsSearch,
    component: lazyRouteComponent(() => import('./screens/entitlements/Entitlements.tsx'), 'Entitlements'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/store',
    component: lazyRouteComponent(() => import('./screens/store/Store.tsx'), 'Store'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/webhooks',
    // What is being edited is of the application before.
    remountDeps: ({ params }) => params,
    validateSearch: webhooksSearch,
    component: lazyRouteComponent(() => import('./screens/webhooks/Webhooks.tsx'), 'Webhooks'),
  }),
  createRoute({
    ...within,
    path: '/apps/$applicationId/settings',
    component: lazyRouteComponent(() => import('./screens/applications/Settings.tsx'), 'Settings'),
  }),
  createRoute({
    ...within,
    path: '/applications',
    component: lazyRouteComponent(() => import('./screens/applications/Applications.tsx'), 'Applications'),
  }),
  createRoute({
    ...within,
    path: '/team',
    validateSearch: teamSearch,
    component: lazyRouteComponent(() => import('./screens/team/Team.tsx'), 'Team'),
  }),
  createRoute({
    ...within,
    path: '/service-tokens',
    component: lazyRouteComponent(() => import('./screens/serviceTokens/ServiceTokens.tsx'), 'ServiceTokens'),
  }),
  createRoute({
    ...within,
    path: '/audit',
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import('./screens/audit/Audit.tsx'), 'Audit'),
  }),
  createRoute({
    ...within,
    path: '/organization',
    component: lazyRouteComponent(() => import('./screens/organization/EditOrganization.tsx'), 'EditOrganization'),
  }),
  createRoute({
    ...within,
    path: '/profile',
    component: lazyRouteComponent(() => import('./screens/profile/Profile.tsx'), 'Profile'),
  }),
] as const;

/** What an address says before the schema of its screen has read it. */
type Written = Record<string, string | undefined>;

/** Addresses of before: bookmarks and other people's links still open the same screens. */
const moved = [
  createRoute({
    ...open,
    path: '/apps/$applicationId/campaign',
    beforeLoad: ({ params, search }) => {
      const { id, ...rest } = search as Written;
      if (!id) return redirect({ throw: true, to: '/apps/$applicationId/campaigns', params });
      const to = '/apps/$applicationId/campaigns/$id';
      return redirect({ throw: true, to, params: { ...params, id }, search: rest });
    },
  }),
  createRoute({
    ...open,
    path: '/apps/$applicationId/campaign-editor',
    beforeLoad: ({ params, search }) => {
      const { id, copy } = search as Written;
      const to = '/apps/$applicationId/campaigns/$id/edit';
      if (id !== undefined && isUuid(id)) return redirect({ throw: true, to, params: { ...params, id } });
      return redirect({ throw: true, to: '/apps/$applicationId/campaigns/new', params, search: { copy } });
    },
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([...beforeLogin, ...moved, inside.addChildren(screens)]),
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

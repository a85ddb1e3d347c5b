// Which path shows which screen. A screen is loaded when it is first opened; its search parameters are checked here.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { z } from 'zod';
import { NotFound } from './shell/NotFound.tsx';
import { Shell } from './shell/Shell.tsx';
import { Guard } from './session/Guard.tsx';
import { auditSearch } from './screens/audit/search.ts';
import { liveSearch } from './screens/live/search.ts';
import { teamSearch } from './screens/team/search.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const tokenSearch = z.object({ token: z.string().optional().catch(undefined) });
const open = { getParentRoute: () => root };
const login = createRoute({
  ...open,
  path: '/login',
  validateSearch: z.object({ next: z.string().optional().catch(undefined) }),
  component: lazyRouteComponent(() => import('./screens/login/Login.tsx'), 'Login'),
});
const signup = createRoute({
  ...open,
  path: '/signup',
  component: lazyRouteComponent(() => import('./screens/login/Signup.tsx'), 'Signup'),
});
const forgotPassword = createRoute({
  ...open,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./screens/login/ForgotPassword.tsx'), 'ForgotPassword'),
});
const resetPassword = createRoute({
  ...open,
  path: '/reset-password',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./screens/login/ResetPassword.tsx'), 'ResetPassword'),
});
const acceptInvitation = createRoute({
  ...open,
  path: '/accept-invitation',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./screens/login/AcceptInvitation.tsx'), 'AcceptInvitation'),
});
const confirmEmail = createRoute({
  ...open,
  path: '/confirm-email',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./screens/login/ConfirmEmail.tsx'), 'ConfirmEmail'),
});

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
  component: lazyRouteComponent(() => import('./screens/applications/Start.tsx'), 'Start'),
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

const tree = root.addChildren([
  login,
  signup,
  forgotPassword,
  resetPassword,
  acceptInvitation,
  confirmEmail,
  inside.addChildren([start, applications, team, serviceTokens, audit, organization, profile, firstRun, live]),
]);

export const router = createRouter({ routeTree: tree, basepath: '/admin', trailingSlash: 'preserve' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// The paths in front of the login, which need no session.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './routeRoot.ts';
import { loginSearch, tokenSearch } from './screens/searches.ts';

const open = { getParentRoute: () => root };
const login = createRoute({
  ...open,
  path: '/login',
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import('./screens/login/Login.tsx'), 'Login'),
});
const signup = createRoute({
  ...open,
  path: '/signup',
  component: lazyRouteComponent(() => import('./screens/login/Login.tsx'), 'Signup'),
});
const forgotPassword = createRoute({
  ...open,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./screens/login/Login.tsx'), 'ForgotPassword'),
});
const resetPassword = createRoute({
  ...open,
  path: '/reset-password',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./screens/login/MailedLinks.tsx'), 'ResetPassword'),
});
const acceptInvitation = createRoute({
  ...open,
  path: '/accept-invitation',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./screens/login/MailedLinks.tsx'), 'AcceptInvitation'),
});
const confirmEmail = createRoute({
  ...open,
  path: '/confirm-email',
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import('./screens/login/MailedLinks.tsx'), 'ConfirmEmail'),
});

export const beforeLogin = [login, signup, forgotPassword, resetPassword, acceptInvitation, confirmEmail] as const;

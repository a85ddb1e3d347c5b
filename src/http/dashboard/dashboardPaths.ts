// The paths of the dashboard's screens below /admin, which all show its one page. A test compares them with the page's routes.

/** A part that begins with `:` is any text without a slash. */
export const screenPaths = [
  '/',
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/accept-invitation',
  '/confirm-email',
  '/applications',
  '/team',
  '/service-tokens',
  '/audit',
  '/organization',
  '/profile',
  '/apps/:applicationId/first-event',
  '/apps/:applicationId/live',
  '/apps/:applicationId/funnel',
  '/apps/:applicationId/retention',
  '/apps/:applicationId/campaigns',
  '/apps/:applicationId/campaign',
  '/apps/:applicationId/devices',
  '/apps/:applicationId/device',
  '/apps/:applicationId/revenue',
  '/apps/:applicationId/subscriptions',
  '/apps/:applicationId/transactions',
  '/apps/:applicationId/entitlements',
  '/apps/:applicationId/keys',
  '/apps/:applicationId/store',
  '/apps/:applicationId/webhooks',
  '/apps/:applicationId/settings',
  '/apps/:applicationId/campaign-editor',
];

const patterns = screenPaths.map((path) => new RegExp(`^/admin${path.replace(/:\w+/g, '[^/]+')}$`));

export function isScreen(path: string): boolean {
  return patterns.some((pattern) => pattern.test(path));
}

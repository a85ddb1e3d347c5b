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
];

const patterns = screenPaths.map((path) => new RegExp(`^/admin${path.replace(/:\w+/g, '[^/]+')}$`));

export function isScreen(path: string): boolean {
  return patterns.some((pattern) => pattern.test(path));
}

// The root of all routes, which also shows what a path without a screen shows.
import { createRootRoute, Outlet } from '@tanstack/react-router';
import { NotFound } from './shell/NotFound.tsx';

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

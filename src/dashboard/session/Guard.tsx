// Lets only logged-in users further. When a session ends on the page, the page stays and asks for the password above it.
import { Navigate, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Loading } from '../parts/states.tsx';
import { LoginAgain } from './LoginAgain.tsx';
import { useSessionState } from './SessionProvider.tsx';

export function Guard({ children }: { children: ReactNode }) {
  const state = useSessionState();
  const { href } = useLocation();
  if (state === 'starting') return <Loading />;
  if (state === 'out') return <Navigate to="/login" search={href === '/' ? {} : { next: href }} replace />;
  return (
    <>
      {children}
      {state === 'over' && <LoginAgain />}
    </>
  );
}

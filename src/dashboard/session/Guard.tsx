// Lets only logged-in users further. When a session ends on the page, the page stays and asks for the password above it.
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { Loading } from '../parts/states.tsx';
import { LoginAgain } from './LoginAgain.tsx';
import { useSessionState } from './SessionProvider.tsx';

export function Guard({ children }: { children: ReactNode }) {
  const state = useSessionState();
  if (state === 'starting') return <Loading />;
  if (state === 'out') return <ToLogin />;
  return (
    <>
      {children}
      {state === 'over' && <LoginAgain />}
    </>
  );
}

function ToLogin() {
  const { href } = useLocation();
  const navigate = useNavigate();
  // The first address alone: until the login page has loaded, this part sees the address of the login page as its own.
  const [next] = useState(href);
  useEffect(() => {
    void navigate({ to: '/login', search: next === '/' ? {} : { next }, replace: true });
  }, [navigate, next]);
  return <Loading />;
}

// The frame of every screen: the application to choose, the navigation, and who is logged in.
import { Burger, Drawer, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { MeDocument } from '../../../generated/screens/session/graphql.ts';
import { Loaded } from '../parts/states.tsx';
import { lastUser } from '../session/lastUser.ts';
import { MeContext } from '../session/me.ts';
import { Navigation } from './Navigation.tsx';
import classes from './Shell.module.css';
import { UserMenu } from './UserMenu.tsx';

export function Shell() {
  const [result, reread] = useQuery({ query: MeDocument });
  const me = result.data?.me;
  useEffect(() => {
    if (me) [lastUser.id, lastUser.email] = [me.id ?? null, me.email ?? null];
  }, [me]);
  return (
    <Loaded result={result} pick={(data) => data} retry={() => reread({ requestPolicy: 'network-only' })}>
      {(data) => (
        <MeContext value={data}>
          <Frame />
        </MeContext>
      )}
    </Loaded>
  );
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  // On a narrow screen the navigation lies above the page, and goes away with each step.
  useEffect(close, [pathname]);
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <header className={classes.header}>
        <Burger className={classes.burger} size="sm" opened={opened} onClick={toggle} aria-label="Navigation" />
        <Text fw={700}>Campaigns &amp; analytics</Text>
        <UserMenu />
      </header>
      <nav className={classes.navigation} aria-label="Screens">
        <Navigation />
      </nav>
      <Drawer opened={opened} onClose={close} title="Screens" size="xs">
        <nav aria-label="Screens">
          <Navigation />
        </nav>
      </Drawer>
      <main className={classes.main} id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

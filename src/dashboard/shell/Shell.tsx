// The frame of every screen: the application to choose, the navigation, and who is logged in.
import { AppShell, Box, Burger, Drawer, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { MeDocument } from '../../../generated/screens/session/graphql.ts';
import { onForbidden } from '../api/forbidden.ts';
import { Loaded } from '../parts/states.tsx';
import { lastUser } from '../session/lastUser.ts';
import { MeContext } from '../session/me.ts';
import { Navigation } from './Navigation.tsx';
import classes from './Shell.module.css';
import { UserMenu } from './UserMenu.tsx';

export function Shell() {
  const [result, reread] = useQuery({ query: MeDocument });
  const data = result.data;
  useEffect(() => {
    if (!data) return;
    lastUser.id = data.me.id ?? null;
    lastUser.email = data.me.email ?? null;
    lastUser.organizationId = data.organization.id;
  }, [data]);
  useChangedRights(() => reread({ requestPolicy: 'network-only' }));
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

/** Reads the role anew when the service refuses something for it, and when somebody comes back to the page. */
function useChangedRights(read: () => void): void {
  useEffect(() => {
    const onVisible = (): void => void (document.visibilityState === 'visible' && read());
    const stop = onForbidden(read);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      stop();
      document.removeEventListener('visibilitychange', onVisible);
    };
  });
}

function Frame() {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  // On a narrow screen the navigation lies above the page, and goes away with each step.
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm' }}
      padding={{ base: 12, sm: 16 }}
      transitionDuration={0}
    >
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px={16} gap={12} wrap="nowrap">
          <Burger hiddenFrom="sm" size="sm" opened={opened} onClick={toggle} aria-label="Navigation" />
          <Text fw={700} flex="none">
            Campaigns &amp; analytics
          </Text>
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar visibleFrom="sm" p={12} style={{ overflowY: 'auto' }} aria-label="Screens">
        <Navigation />
      </AppShell.Navbar>
      <Drawer opened={opened} onClose={close} title="Screens" size="xs">
        <nav aria-label="Screens">
          <Navigation />
        </nav>
      </Drawer>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        <Box maw={1400} pb={32}>
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

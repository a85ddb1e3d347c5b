// The frame of every screen: the application to choose, the navigation, and who is logged in.
import {
  Anchor,
  AppShell,
  Box,
  Burger,
  Button,
  Divider,
  Drawer,
  Group,
  Menu,
  NativeSelect,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMutation, useQuery } from 'urql';
import { LogoutDocument, MeDocument } from '../../../generated/screens/session/graphql.ts';
import { onForbidden } from '../api/client.ts';
import { LinkEntry } from '../parts/links.tsx';
import { mayAs } from '../parts/roles.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useSession } from '../session/SessionProvider.tsx';
import { applicationsOf, MeContext, useChosenApplication, useMe } from '../session/me.ts';
import { lastUser } from '../session/session.ts';
import classes from './Shell.module.css';

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

const schemes = { light: 'Light', dark: 'Dark', auto: 'As the system' } as const;

/** Who is logged in, the colour scheme and the way out. */
export function UserMenu() {
  const { me } = useMe();
  const session = useSession();
  const [, logout] = useMutation(LogoutDocument);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = async (): Promise<void> => {
    // Also where the service cannot be reached: the tokens are gone from this browser.
    await logout({});
    session.end();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" ml="auto" miw={0}>
          {me.name ?? me.email}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.email}, {me.role}
        </Menu.Label>
        <Menu.Item component={Link} to="/profile">
          Profile
        </Menu.Item>
        <Menu.Divider />
        {Object.entries(schemes).map(([scheme, label]) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={scheme === colorScheme}
            onClick={() => setColorScheme(scheme as keyof typeof schemes)}
          >
            {label}
            {scheme === colorScheme ? ' ✓' : ''}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>Log out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The link sets `aria-current` to `page` where it leads to this screen itself, not to one above it. */
const exactly = { exact: true, includeSearch: false };

/** Lists the screens of the chosen application and those of the organization. */
export function Navigation() {
  const me = useMe();
  const { pathname } = useLocation();
  const chosen = useChosenApplication();
  return (
    <Stack gap={2}>
      <ApplicationPicker />
      {chosen &&
        ofApplication.map(({ label, to }) => {
          const active = entryOf(pathname)?.to === to;
          return (
            <LinkEntry
              key={to}
              to={to}
              params={{ applicationId: chosen.id }}
              label={label}
              active={active}
              activeOptions={exactly}
              aria-current={active ? 'true' : undefined}
            />
          );
        })}
      <Divider my="xs" />
      <Text size="xs" c="dimmed" px="sm" style={{ overflowWrap: 'anywhere' }}>
        {me.organization.name}
      </Text>
      {ofOrganization
        .filter(({ least }) => mayAs(me.me.role, least))
        .map(({ label, to }) => (
          <LinkEntry key={to} to={to} label={label} active={pathname === to} activeOptions={exactly} />
        ))}
    </Stack>
  );
}

/** Keeps the screen and changes the application. What is opened from a list belongs to one application: the list stays. */
function ApplicationPicker() {
  const applications = applicationsOf(useMe());
  const chosen = useChosenApplication();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  if (!chosen) return null;
  const go = (id: string): void => {
    void navigate({ to: entryOf(pathname)?.to ?? '/apps/$applicationId/overview', params: { applicationId: id } });
  };
  return (
    <NativeSelect
      mb="xs"
      aria-label="Application"
      value={chosen.id}
      onChange={({ target }) => go(target.value)}
      data={applications.map(({ id, name, platform }) => ({ value: id, label: `${name} (${platform})` }))}
    />
  );
}

/** The screens that the navigation lists, in the order in which somebody new needs them. */
export const ofApplication = [
  { label: 'First event', to: '/apps/$applicationId/first-event' },
  { label: 'Keys', to: '/apps/$applicationId/keys' },
  { label: 'Live', to: '/apps/$applicationId/live' },
  { label: 'Overview', to: '/apps/$applicationId/overview' },
  { label: 'Events', to: '/apps/$applicationId/events' },
  { label: 'Devices', to: '/apps/$applicationId/devices' },
  { label: 'Funnel', to: '/apps/$applicationId/funnel' },
  { label: 'Retention', to: '/apps/$applicationId/retention' },
  { label: 'Campaigns', to: '/apps/$applicationId/campaigns' },
  { label: 'Revenue', to: '/apps/$applicationId/revenue' },
  { label: 'Subscriptions', to: '/apps/$applicationId/subscriptions' },
  { label: 'Transactions', to: '/apps/$applicationId/transactions' },
  { label: 'Entitlements', to: '/apps/$applicationId/entitlements' },
  { label: 'Store', to: '/apps/$applicationId/store' },
  { label: 'Webhooks', to: '/apps/$applicationId/webhooks' },
  { label: 'Settings', to: '/apps/$applicationId/settings' },
] as const;

/** The entry of a screen of an application, also where the screen is one below: a campaign is below the campaigns. */
export function entryOf(pathname: string) {
  const screen = /^\/apps\/[^/]+\/([^/]+)/.exec(pathname)?.[1];
  const listed = screen === 'device' ? 'devices' : screen;
  return ofApplication.find(({ to }) => to === `/apps/$applicationId/${listed}`);
}

/** Of the organization; `least` hides an entry from lower roles, who read nothing there. */
export const ofOrganization = [
  { label: 'Applications', to: '/applications', least: 'viewer' },
  { label: 'Team', to: '/team', least: 'viewer' },
  { label: 'Service tokens', to: '/service-tokens', least: 'admin' },
  { label: 'Audit log', to: '/audit', least: 'admin' },
  { label: 'Organization', to: '/organization', least: 'viewer' },
] as const;

/** What a path shows that no screen has. */
export function NotFound() {
  return (
    <Empty title="There is no such page">
      <Anchor component={Link} to="/">
        Go to the start
      </Anchor>
    </Empty>
  );
}

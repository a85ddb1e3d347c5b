// Lists the screens of the chosen application and those of the organization.
import { Divider, NativeSelect, NavLink, Stack, Text } from '@mantine/core';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { mayAs } from '../parts/access.tsx';
import { applicationsOf, useMe } from '../session/me.ts';
import { useChosenApplication } from './chosenApplication.ts';
import { entryOf, ofApplication, ofOrganization } from './navigation.ts';

export function Navigation() {
  const me = useMe();
  const { pathname } = useLocation();
  const chosen = useChosenApplication();
  return (
    <Stack gap={2}>
      <ApplicationPicker />
      {chosen &&
        ofApplication.map(({ label, path }) => {
          const to = `/apps/${chosen.id}/${path}`;
          const active = entryOf(screenOf(pathname))?.path === path;
          return (
            <NavLink
              key={path}
              component={Link}
              to={to}
              label={label}
              active={active}
              aria-current={pathname === to ? 'page' : active ? 'true' : undefined}
            />
          );
        })}
      <Divider my="xs" />
      <Text size="xs" c="dimmed" px="sm" style={{ overflowWrap: 'anywhere' }}>
        {me.organization.name}
      </Text>
      {ofOrganization
        .filter(({ least }) => least === undefined || mayAs(me.me.role, least))
        .map(({ label, path }) => (
          <NavLink
            key={path}
            component={Link}
            to={path}
            label={label}
            active={pathname === path}
            aria-current={pathname === path ? 'page' : undefined}
          />
        ))}
    </Stack>
  );
}

/** The screen of an application: `live` of `/apps/<application>/live`. */
const screenOf = (pathname: string): string => /^\/apps\/[^/]+\/([^/]+)/.exec(pathname)?.[1] ?? '';

/** Keeps the screen and changes the application. What is opened from a list belongs to one application: the list stays. */
function ApplicationPicker() {
  const applications = applicationsOf(useMe());
  const chosen = useChosenApplication();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  if (!chosen) return null;
  const go = (id: string): void => {
    void navigate({ to: `/apps/${id}/${entryOf(screenOf(pathname))?.path ?? 'overview'}` });
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

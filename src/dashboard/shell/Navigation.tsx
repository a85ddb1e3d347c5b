// Lists the screens of the chosen application and those of the organization.
import { Divider, NativeSelect, NavLink, Stack, Text } from '@mantine/core';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { mayAs } from '../parts/access.tsx';
import { applicationsOf, useMe } from '../session/me.ts';
import { useChosenApplication } from './chosenApplication.ts';
import { ofApplication, ofOrganization } from './navigation.ts';
import classes from './Shell.module.css';

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
          const active = pathname === to || pathname.startsWith(`${to}/`);
          return (
            <NavLink
              key={path}
              component={Link}
              to={to}
              label={label}
              active={active}
              aria-current={active ? 'page' : undefined}
            />
          );
        })}
      <Divider my="xs" />
      <Text size="xs" c="dimmed" px="sm" className={classes.wrap}>
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

/** Keeps the screen where it is and changes the application. */
function ApplicationPicker() {
  const applications = applicationsOf(useMe());
  const chosen = useChosenApplication();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  if (!chosen) return null;
  const go = (id: string): void => {
    const screen = /^\/apps\/[^/]+\/([^/]+)/.exec(pathname)?.[1] ?? 'live';
    void navigate({ to: `/apps/${id}/${screen}` });
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

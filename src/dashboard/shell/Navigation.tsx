// Lists the screens of the chosen application and those of the organization.
import { Divider, NativeSelect, Stack, Text } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { mayAs } from '../parts/access.tsx';
import { LinkEntry } from '../parts/LinkButton.tsx';
import { applicationsOf, useMe } from '../session/me.ts';
import { useChosenApplication } from './chosenApplication.ts';
import { entryOf, ofApplication, ofOrganization } from './navigation.ts';

/** The link sets `aria-current` to `page` where it leads to this screen itself, not to one above it. */
const exactly = { exact: true, includeSearch: false };

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

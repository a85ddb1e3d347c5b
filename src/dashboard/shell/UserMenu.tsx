// Who is logged in, the colour scheme and the way out.
import { Button, Menu, useMantineColorScheme } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMutation } from 'urql';
import { LogoutDocument } from '../../../generated/screens/session/graphql.ts';
import { useMe } from '../session/me.ts';
import { useSession } from '../session/SessionProvider.tsx';

const schemes = { light: 'Light', dark: 'Dark', auto: 'As the system' } as const;

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

// Links to screens, to what is behind a figure, and buttons that look like them.
import {
  Anchor,
  Button,
  Menu,
  NavLink,
  UnstyledButton,
  type AnchorProps,
  type ButtonProps,
  type MenuItemProps,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import { GivenText } from './GivenText.tsx';

interface PlainProps extends AnchorProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> {
  ref?: Ref<HTMLAnchorElement>;
}

const PlainAnchor = (props: PlainProps) => <Anchor size="sm" {...props} />;

/** Ids have up to 256 characters, and two of them stand beside each other. */
export const cutId = { display: 'block', maw: 'min(17rem, 60vw)' } as const;

/** A link in a text or a table to a screen, with typed search parameters. */
export const TextLink = createLink(PlainAnchor);

type Plain<Props> = Props &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & { ref?: Ref<HTMLAnchorElement> };

const PlainButton = (props: Plain<ButtonProps>) => <Button component="a" {...props} />;
const PlainEntry = (props: Plain<NavLinkProps>) => <NavLink component="a" {...props} />;
const PlainItem = (props: Plain<MenuItemProps>) => <Menu.Item component="a" {...props} />;

/** A button, an item of a menu and an entry of the navigation that lead to a screen with typed search parameters. */
export const LinkButton = createLink(PlainButton);
export const LinkItem = createLink(PlainItem);
export const LinkEntry = createLink(PlainEntry);

/** The id of a device as a link to its screen, for every list that names devices. */
export function DeviceLink({ applicationId, id }: { applicationId: string; id: string }) {
  return (
    <TextLink {...cutId} to="/apps/$applicationId/device" params={{ applicationId }} search={{ id }}>
      <GivenText text={id} cut />
    </TextLink>
  );
}

interface UserLinkProps {
  applicationId: string;
  user: string;
  /** In several lines, where it is long. */
  whole?: boolean;
}

/** The app's id of a user as a link to all devices that are or were this user's. */
export function UserLink({ applicationId, user, whole = false }: UserLinkProps) {
  return (
    <TextLink {...(!whole && cutId)} to="/apps/$applicationId/devices" params={{ applicationId }} search={{ user }}>
      <GivenText text={user} cut={!whole} />
    </TextLink>
  );
}

interface OpenButtonProps {
  text: string;
  /** What opens, for example `the transaction`. */
  what: string;
  open: () => void;
}

/** The name of a row that opens all that is known of it. */
export function OpenButton({ text, what, open }: OpenButtonProps) {
  return (
    <UnstyledButton
      c="var(--mantine-color-anchor)"
      fz="inherit"
      display="block"
      maw="11rem"
      onClick={open}
      aria-label={`Open ${what} ${text}`}
    >
      <GivenText text={text} cut />
    </UnstyledButton>
  );
}

interface FigureButtonProps {
  /** What opens, for readers of the screen: `12 active devices on 3 March`. It begins with the figure that is shown. */
  label?: string;
  open: () => void;
  children: ReactNode;
}

/** A figure that opens what is behind it. It looks like the figures beside it, with the colour of a link. */
export function FigureButton({ label, open, children }: FigureButtonProps) {
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      className="figure"
      aria-label={label}
      aria-haspopup="dialog"
      onClick={open}
    >
      {children}
    </Anchor>
  );
}

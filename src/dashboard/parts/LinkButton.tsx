// A button, an item of a menu and an entry of the navigation that lead to a screen with typed search parameters.
import { Button, Menu, NavLink, type ButtonProps, type MenuItemProps, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type Plain<Props> = Props &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & { ref?: Ref<HTMLAnchorElement> };

const PlainButton = (props: Plain<ButtonProps>) => <Button component="a" {...props} />;
const PlainEntry = (props: Plain<NavLinkProps>) => <NavLink component="a" {...props} />;
const PlainItem = (props: Plain<MenuItemProps>) => <Menu.Item component="a" {...props} />;

export const LinkButton = createLink(PlainButton);
export const LinkItem = createLink(PlainItem);
export const LinkEntry = createLink(PlainEntry);

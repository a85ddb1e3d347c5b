// A button, and an item of a menu, that lead to a screen with typed search parameters.
import { Button, Menu, type ButtonProps, type MenuItemProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

type Plain<Props> = Props &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & { ref?: Ref<HTMLAnchorElement> };

const PlainButton = (props: Plain<ButtonProps>) => <Button component="a" {...props} />;
const PlainItem = (props: Plain<MenuItemProps>) => <Menu.Item component="a" {...props} />;

export const LinkButton = createLink(PlainButton);
export const LinkItem = createLink(PlainItem);

// A link to a place of the page that is made as data: a path with its search parameters.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface Place {
  /** Below `/admin`. */
  to: string;
  search?: object;
}

interface PlaceLinkProps extends Place {
  children: ReactNode;
  label?: string;
  /** Underlined, because other text stands beside it. */
  inText?: boolean;
}

export function PlaceLink({ to, search = {}, label, inText = false, children }: PlaceLinkProps) {
  return (
    <Anchor
      component={Link}
      to={to}
      search={() => search as never}
      inherit
      aria-label={label}
      underline={inText ? 'always' : 'hover'}
    >
      {children}
    </Anchor>
  );
}

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
}

export function PlaceLink({ to, search = {}, label, children }: PlaceLinkProps) {
  return (
    <Anchor component={Link} to={to} search={() => search as never} inherit aria-label={label}>
      {children}
    </Anchor>
  );
}

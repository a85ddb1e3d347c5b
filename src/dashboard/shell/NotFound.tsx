// What a path shows that no screen has.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../parts/states.tsx';

export function NotFound() {
  return (
    <Empty title="There is no such page">
      <Anchor component={Link} to="/">
        Go to the start
      </Anchor>
    </Empty>
  );
}

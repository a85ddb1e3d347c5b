// A cell with what matters most in its first line and more about it below, so that a table keeps its columns in sight.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './DataTable.module.css';

export function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <>
      <div className={classes.line}>{first}</div>
      <Text size="xs" c="dimmed" component="div" className={classes.line}>
        {second}
      </Text>
    </>
  );
}

// A figure that opens what is behind it. It looks like the figures beside it, with the colour of a link.
import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './behind.module.css';

interface FigureButtonProps {
  /** What opens, for readers of the screen: `12 active devices on 3 March`. It begins with the figure that is shown. */
  label?: string;
  open: () => void;
  children: ReactNode;
}

export function FigureButton({ label, open, children }: FigureButtonProps) {
  return (
    <UnstyledButton className={classes.figure} aria-label={label} aria-haspopup="dialog" onClick={open}>
      {children}
    </UnstyledButton>
  );
}

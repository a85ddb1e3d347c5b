// A figure that opens what is behind it. It looks like the figures beside it, with the colour of a link.
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureButtonProps {
  /** What opens, for readers of the screen: `12 active devices on 3 March`. It begins with the figure that is shown. */
  label?: string;
  open: () => void;
  children: ReactNode;
}

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

// The name of a row that opens all that is known of it.
import { UnstyledButton } from '@mantine/core';
import { GivenText } from './GivenText.tsx';

interface OpenButtonProps {
  text: string;
  /** What opens, for example `the transaction`. */
  what: string;
  open: () => void;
}

export function OpenButton({ text, what, open }: OpenButtonProps) {
  return (
    <UnstyledButton
      c="var(--mantine-color-anchor)"
      fz="inherit"
      display="block"
      maw="14rem"
      onClick={open}
      aria-label={`Open ${what} ${text}`}
    >
      <GivenText text={text} cut />
    </UnstyledButton>
  );
}

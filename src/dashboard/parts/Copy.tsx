// A value to copy, with a button that says when it is done.
import { Button, Code, Group, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

const saidMillis = 2_000;
const scrolling = { overflowX: 'auto', width: '100%' } as const;
const wrapping = { whiteSpace: 'normal', overflowWrap: 'anywhere' } as const;

export function Copy({ value, label, block = false }: { value: string; label: string; block?: boolean }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState<'Copied' | 'Selected' | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), saidMillis);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => setSaid((await isCopied(value, code.current!)) ? 'Copied' : 'Selected');
  const shown = (
    <Code ref={code} block={block} tabIndex={block ? 0 : undefined} style={block ? scrolling : wrapping}>
      <bdi>{value}</bdi>
    </Code>
  );
  const button = (
    <Button
      size="compact-xs"
      variant="default"
      flex="none"
      onClick={() => void copy()}
      aria-label={said === null ? `Copy ${label}` : `${said}: ${label}`}
    >
      {said ?? 'Copy'}
    </Button>
  );
  if (block) {
    return (
      <Stack gap="xs" align="start">
        {shown}
        {button}
      </Stack>
    );
  }
  return (
    <Group gap="xs" wrap="nowrap">
      {shown}
      {button}
    </Group>
  );
}

/** Browsers have a clipboard in secure contexts alone. Elsewhere the shown text is selected, to be copied by the keyboard. */
async function isCopied(value: string, shown: HTMLElement): Promise<boolean> {
  if (window.isSecureContext) {
    return await navigator.clipboard.writeText(value).then(
      () => true,
      () => select(shown),
    );
  }
  return select(shown);
}

function select(shown: HTMLElement): false {
  getSelection()?.selectAllChildren(shown);
  return false;
}

// A value to copy, with a button that says when it is done.
import { Button, Code, CopyButton, Group } from '@mantine/core';

export function Copy({ value, label, block = false }: { value: string; label: string; block?: boolean }) {
  return (
    <Group gap="xs" wrap={block ? 'wrap' : 'nowrap'} align="center">
      <Code block={block} tabIndex={block ? 0 : undefined} style={{ overflowX: 'auto', maxWidth: '100%' }}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy} aria-label={`Copy ${label}`}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

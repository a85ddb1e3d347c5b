// Says beside the button of a form that it has been saved.
import { Text } from '@mantine/core';

export function Saved({ children }: { children: string | null }) {
  return (
    <Text size="sm" role="status">
      {children}
    </Text>
  );
}

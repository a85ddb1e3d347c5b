// A dialog with a form: it begins anew each time it opens, and gives the focus back when it closes.
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps {
  opened: boolean;
  close: () => void;
  title: string;
  children: ReactNode;
}

export function Dialog({ opened, close, title, children }: DialogProps) {
  return (
    // Without a transition its content is not seen empty while it goes away.
    <Modal opened={opened} onClose={close} title={title} transitionProps={{ duration: 0 }} closeOnClickOutside={false}>
      {opened && children}
    </Modal>
  );
}

// The body of one delivery as the receiver gets it.
import { Modal, Stack, Text } from '@mantine/core';
import { Copy } from '../../parts/Copy.tsx';
import type { Delivery } from './DeliveriesTable.tsx';

export function BodyDialog({ delivery, close }: { delivery: Delivery | null; close: () => void }) {
  return (
    <Modal opened={delivery !== null} onClose={close} title="Body of the delivery" size="lg">
      {delivery && (
        <Stack gap="sm">
          <Text size="sm" component="div">
            webhook-id: <Copy value={delivery.id} label="the webhook-id" />
          </Text>
          <Copy value={JSON.stringify(delivery.body, null, 2)} label="the body" block />
        </Stack>
      )}
    </Modal>
  );
}

// The price of a purchase with its quantity, as the store gave it.
import { Text } from '@mantine/core';
import { money } from '../figures.ts';

interface PriceProps {
  price?: string | null;
  currency?: string | null;
  quantity?: number | null;
}

/** `—` where the store does not say. */
export function Price({ price, currency, quantity }: PriceProps) {
  if (price == null) return '—';
  return (
    <>
      {currency == null ? price : money(price, currency)}
      {quantity != null && quantity !== 1 && (
        <Text span size="xs" c="dimmed">
          {' '}
          × {quantity}
        </Text>
      )}
    </>
  );
}

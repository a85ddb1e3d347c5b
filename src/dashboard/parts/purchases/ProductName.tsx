// The product of a purchase, marked where it is no plain sale.
import { Badge, Group } from '@mantine/core';
import type { StoreEnvironment, StoreOwnership } from '../../../../generated/screens/enums.ts';
import { GivenText } from '../GivenText.tsx';

interface ProductNameProps {
  productId?: string | null;
  environment?: StoreEnvironment | null;
  ownership?: StoreOwnership | null;
}

export function ProductName({ productId, environment, ownership }: ProductNameProps) {
  if (productId == null) return '—';
  return (
    <Group gap={6} wrap="nowrap" maw="18rem">
      <GivenText text={productId} cut />
      {environment === 'SANDBOX' && <Mark>Sandbox</Mark>}
      {ownership === 'FAMILY_SHARED' && <Mark>Family</Mark>}
    </Group>
  );
}

function Mark({ children }: { children: string }) {
  return (
    <Badge size="xs" variant="default" flex="none">
      {children}
    </Badge>
  );
}

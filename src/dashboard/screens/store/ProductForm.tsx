// The form of a product: how long it lasts, which the store does not say of a subscription that does not renew.
import { Stack, TextInput } from '@mantine/core';
import { z } from 'zod';
import { StoreProductSaveDocument } from '../../../../generated/screens/store/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import type { Product } from './Products.tsx';

const schema = z.object({
  productId: z.string().trim().min(1, 'Enter the identifier.').max(256, 'At most 256 characters.'),
  durationDays: z
    .string()
    .refine((text) => /^\s*\d*\s*$/.test(text) && Number(text) <= 36_500, 'Enter 1 to 36,500 days, or nothing.'),
});

interface ProductFormProps {
  applicationId: string;
  product: Product | null;
  done: () => void;
}

export function ProductForm({ applicationId, product, done }: ProductFormProps) {
  const { form, submit, sending, error } = useApiForm({
    initial: { productId: product?.productId ?? '', durationDays: String(product?.durationDays ?? '') },
    schema,
    document: StoreProductSaveDocument,
    changes: ['Product', 'Entitlement'],
    variables: ({ productId, durationDays }) => ({
      input: { applicationId, productId, durationDays: durationDays.trim() === '' ? null : Number(durationDays) },
    }),
    done,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Product identifier"
          description="As the store has it, upper and lower case too"
          spellCheck={false}
          readOnly={product !== null}
          {...form.getInputProps('productId')}
        />
        <TextInput
          label="Days of 24 hours"
          description="It counts for each purchase of the product, earlier ones too. Empty: the product does not end."
          inputMode="numeric"
          data-autofocus
          {...form.getInputProps('durationDays')}
        />
        <FormFoot error={error} sending={sending} label="Save" />
      </Stack>
    </form>
  );
}

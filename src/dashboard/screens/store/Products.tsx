// The products that the store or somebody here has named, and how long those last that do not renew.
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { StoreProductsDocument, type StoreProductsQuery } from '../../../../generated/screens/store/graphql.ts';
import { Allowed, useMay } from '../../parts/access.tsx';
import { count } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { ProductForm } from './ProductForm.tsx';

export type Product = StoreProductsQuery['products'][number];

const context = { additionalTypenames: ['Product'] };
const kinds: Record<string, string> = {
  CONSUMABLE: 'Consumable',
  NON_CONSUMABLE: 'Non-consumable',
  AUTO_RENEWABLE: 'Subscription that renews',
  NON_RENEWING: 'Subscription that ends',
};

const lasts = ({ kind, durationDays }: Product): string => {
  if (kind !== null && kind !== 'NON_RENEWING') return kind === 'AUTO_RENEWABLE' ? 'As the store says' : 'For ever';
  return durationDays === null ? 'Does not end' : `${count(durationDays)} ${durationDays === 1 ? 'day' : 'days'}`;
};

export function Products({ applicationId }: { applicationId: string }) {
  const [result, read] = useQuery({ query: StoreProductsDocument, variables: { applicationId }, context });
  const mayEdit = useMay('admin');
  const [edited, setEdited] = useState<Product | 'new' | null>(null);
  const columns: Column<Product>[] = [
    { key: 'id', head: 'Product', title: ({ productId }) => productId, cell: ({ productId }) => productId },
    {
      key: 'kind',
      head: 'Kind',
      cell: ({ kind }) => (kind === null ? 'Not sold yet' : (kinds[kind] ?? kind)),
    },
    { key: 'lasts', head: 'Lasts', numeric: true, cell: lasts },
  ];
  const edit: Column<Product> = {
    key: 'edit',
    head: 'Actions',
    cell: (product) =>
      (product.kind === null || product.kind === 'NON_RENEWING') && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => setEdited(product)}
          aria-label={`Duration of ${product.productId}`}
        >
          Duration …
        </Button>
      ),
  };
  return (
    <Panel
      title="Products"
      actions={
        <Allowed least="admin" what="say how long a product lasts">
          <Button size="sm" variant="default" onClick={() => setEdited('new')}>
            Name a product
          </Button>
        </Allowed>
      }
    >
      <Loaded result={result} pick={({ products }) => products} retry={read}>
        {(products) => (
          <DataTable
            caption="Products, by their identifier"
            columns={mayEdit ? [...columns, edit] : columns}
            rows={products}
            rowKey={({ productId }) => productId}
            empty={<Empty title="No products yet">The first purchase of a product puts it here.</Empty>}
          />
        )}
      </Loaded>
      <Modal opened={edited !== null} onClose={() => setEdited(null)} title="How long a product lasts">
        {edited !== null && (
          <ProductForm
            applicationId={applicationId}
            product={edited === 'new' ? null : edited}
            done={() => setEdited(null)}
          />
        )}
      </Modal>
    </Panel>
  );
}

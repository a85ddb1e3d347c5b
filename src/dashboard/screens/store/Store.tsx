// The store of an application: credentials for its server API, the URL for its notifications, and the products.
import { Badge, Button, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { z } from 'zod';
import {
  StoreCredentialsSaveDocument,
  StoreProductSaveDocument,
  StoreProductsDocument,
  type StoreProductsQuery,
  StoreStateDocument,
  type StoreStateQuery,
} from '../../../../generated/screens/store/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { ConfirmedMutation, Dialog } from '../../parts/dialogs.tsx';
import { count } from '../../parts/figures.ts';
import { Form, FormFoot, useApiForm } from '../../parts/form.tsx';
import { PageHead, Panel } from '../../parts/layout.tsx';
import { Allowed, useMay } from '../../parts/roles.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../session/me.ts';
import { ResourceList, RowAction } from '../ListScreen.tsx';

type StoreApplication = StoreStateQuery['applications'][number];

const context = { additionalTypenames: ['Application'] };

export function Store() {
  const { applicationId, application } = useApplication();
  const [result, read] = useQuery({ query: StoreStateDocument, context });
  const pick = ({ applications }: StoreStateQuery) => applications.find(({ id }) => id === applicationId);
  return (
    <>
      <PageHead
        title="Store"
        about={`How purchases of ${application?.name ?? 'the application'} are checked and named.`}
      />
      <Stack key={applicationId}>
        <Loaded result={result} pick={pick} retry={read}>
          {(store) => (
            <>
              <Panel title="Store credentials" actions={<State set={store.storeCredentialsSet} />}>
                <Allowed least="admin" what="set store credentials">
                  <Credentials store={store} />
                </Allowed>
              </Panel>
              <Panel title="Notifications of the store">
                <Notifications store={store} />
              </Panel>
            </>
          )}
        </Loaded>
        <Products applicationId={applicationId} />
      </Stack>
    </>
  );
}

function State({ set }: { set: boolean }) {
  return (
    <Badge variant="default" size="lg" tt="none">
      {set ? 'Set' : 'Not set'}
    </Badge>
  );
}

function Notifications({ store }: { store: StoreApplication }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        Enter this URL at the store, once for production and once for the sandbox. The store then tells of renewals,
        refunds and billing problems by itself.
      </Text>
      <Copy value={`${location.origin}/api/v1/store/notifications/${store.id}`} label="the notification URL" block />
      <Text size="sm" c="dimmed">
        It needs no credentials: the store signs each notification. The address is the one of this page. Give the store
        the public address of the service where it has another.
      </Text>
      <Text size="sm">
        Number of the app at the store: {store.storeAppId ?? 'none set, so a notification may name any number'}.
      </Text>
      <Allowed least="admin" what="set the number">
        <AppNumber store={store} />
      </Allowed>
    </Stack>
  );
}

const identifier = z.string().trim().min(1, 'Enter it as the store shows it.').max(256, 'At most 256 characters.');
const credentialsSchema = z.object({
  issuerId: identifier,
  keyId: identifier,
  privateKey: z
    .string()
    .trim()
    .startsWith('-----BEGIN PRIVATE KEY-----', 'Paste the whole file, from its first line on.'),
  bundleId: z.string().max(256, 'At most 256 characters.'),
});
const initial = { issuerId: '', keyId: '', privateKey: '', bundleId: '' };

/** The form of the store credentials, which no operation reads again, and the way to clear them. */
function Credentials({ store }: { store: StoreApplication }) {
  const [editing, setEditing] = useState(false);
  const [clearing, setClearing] = useState(false);
  return (
    <Stack gap="sm" align="stretch">
      <Text size="sm">
        With credentials the service asks the store about each purchase, and reads missed notifications once a day. It
        stores them encrypted, and nobody can read them again.
      </Text>
      {editing || !store.storeCredentialsSet ? (
        <CredentialsForm store={store} done={() => setEditing(false)} />
      ) : (
        <Button.Group>
          <Button size="sm" variant="default" onClick={() => setEditing(true)}>
            Replace …
          </Button>
          <Button size="sm" variant="default" onClick={() => setClearing(true)}>
            Clear …
          </Button>
        </Button.Group>
      )}
      <ConfirmedMutation
        document={StoreCredentialsSaveDocument}
        variables={clearing ? { input: { applicationId: store.id } } : null}
        changes={['Application']}
        close={() => setClearing(false)}
        title="Clear the store credentials"
        label="Clear"
      >
        The service asks the store about no purchase any more, until somebody sets credentials again. What it knows
        stays.
      </ConfirmedMutation>
    </Stack>
  );
}

function CredentialsForm({ store, done }: { store: StoreApplication; done: () => void }) {
  const { form, submit, sending, error } = useApiForm({
    initial,
    schema: credentialsSchema,
    document: StoreCredentialsSaveDocument,
    changes: ['Application', 'StoreTransaction'],
    variables: ({ bundleId, ...input }) => ({
      input: { applicationId: store.id, ...input, bundleId: bundleId.trim() || null },
    }),
    done,
  });
  return (
    <form onSubmit={submit} noValidate autoComplete="off">
      <Stack gap="sm" maw={560}>
        <TextInput label="Issuer id" {...form.getInputProps('issuerId')} />
        <TextInput label="Key id" {...form.getInputProps('keyId')} />
        <Textarea
          label="Private key"
          description="The text of the .p8 file that the store gives: a P-256 key in PKCS#8"
          placeholder="-----BEGIN PRIVATE KEY-----"
          rows={6}
          spellCheck={false}
          {...form.getInputProps('privateKey')}
        />
        <TextInput
          label="Bundle identifier at the store"
          description={`Empty: ${store.bundleId}, as in the settings`}
          {...form.getInputProps('bundleId')}
        />
        <FormFoot error={error} sending={sending} label="Save the credentials">
          {store.storeCredentialsSet && (
            <Button variant="default" onClick={done}>
              Cancel
            </Button>
          )}
        </FormFoot>
      </Stack>
    </form>
  );
}

const numberSchema = z.object({ storeAppId: z.string().regex(/^\s*\d{0,15}\s*$/, 'The number has 1 to 15 digits.') });

/** The form of the store's number of the app, which notifications from production must name. */
function AppNumber({ store }: { store: StoreApplication }) {
  const [saved, setSaved] = useState(false);
  const { form, submit, sending, error } = useApiForm({
    initial: { storeAppId: store.storeAppId ?? '' },
    schema: numberSchema,
    document: StoreCredentialsSaveDocument,
    changes: ['Application'],
    variables: ({ storeAppId }) => ({ input: { applicationId: store.id, storeAppId: storeAppId.trim() || null } }),
    done: (_, { storeAppId }) => {
      form.setValues({ storeAppId: storeAppId.trim() });
      setSaved(true);
    },
  });
  return (
    <form onSubmit={submit} onChange={() => setSaved(false)} noValidate>
      <Stack gap="sm" maw={560}>
        <TextInput
          label="Number of the app"
          description="Digits, as the store shows it. Empty: none is compared."
          inputMode="numeric"
          {...form.getInputProps('storeAppId')}
        />
        <FormFoot error={error} sending={sending} label="Save the number">
          <Text size="sm" role="status">
            {saved ? 'Saved.' : ''}
          </Text>
        </FormFoot>
      </Stack>
    </form>
  );
}

type Product = StoreProductsQuery['products'][number];

const productContext = { additionalTypenames: ['Product'] };
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

/** The products that the store or somebody here has named, and how long those last that do not renew. */
function Products({ applicationId }: { applicationId: string }) {
  const [result, read] = useQuery({
    query: StoreProductsDocument,
    variables: { applicationId },
    context: productContext,
  });
  const mayEdit = useMay('admin');
  const [edited, setEdited] = useState<Product | 'new' | null>(null);
  const columns: Column<Product>[] = [
    { key: 'id', head: 'Product', title: ({ productId }) => productId, cell: ({ productId }) => productId },
    {
      key: 'kind',
      head: 'Kind',
      cell: ({ kind }) => (kind === null ? 'Not sold yet' : (kinds[kind] ?? kind)),
    },
    { key: 'lasts', head: 'Lasts', cell: lasts },
  ];
  const edit: Column<Product> = {
    key: 'edit',
    head: 'Actions',
    cell: (product) =>
      (product.kind === null || product.kind === 'NON_RENEWING') && (
        <RowAction label="Duration …" name={`Duration of ${product.productId}`} run={() => setEdited(product)} />
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
      <ResourceList
        {...{ result, read, lines: 4 }}
        pick={({ products }) => products}
        caption="Products, by their identifier"
        columns={mayEdit ? [...columns, edit] : columns}
        rowKey={({ productId }) => productId}
        empty={<Empty title="No products yet">The first purchase of a product puts it here.</Empty>}
      />
      <Dialog opened={edited !== null} close={() => setEdited(null)} title="How long a product lasts">
        {edited !== null && (
          <ProductForm
            applicationId={applicationId}
            product={edited === 'new' ? null : edited}
            done={() => setEdited(null)}
          />
        )}
      </Dialog>
    </Panel>
  );
}

const productId = z.string().trim().min(1, 'Enter the identifier.').max(256, 'At most 256 characters.');
const isDuration = (text: string): boolean => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 36_500;
const days = z.string().trim();
const productSchema = z.object({
  productId,
  durationDays: days.refine((text) => text === '' || isDuration(text), 'Enter 1 to 36,500 days, or nothing.'),
});
/** The service stores nothing about a product that it does not know and that has no duration. */
const newSchema = z.object({ productId, durationDays: days.refine(isDuration, 'Enter 1 to 36,500 days.') });

const everyPurchase = 'It counts for each purchase of the product, earlier ones too.';

interface ProductFormProps {
  applicationId: string;
  product: Product | null;
  done: () => void;
}

/** The form of a product: how long it lasts, which the store does not say of a subscription that does not renew. */
function ProductForm({ applicationId, product, done }: ProductFormProps) {
  const { form, ...api } = useApiForm({
    initial: { productId: product?.productId ?? '', durationDays: String(product?.durationDays ?? '') },
    schema: product ? productSchema : newSchema,
    document: StoreProductSaveDocument,
    changes: ['Product', 'Entitlement'],
    variables: ({ productId, durationDays }) => ({
      input: { applicationId, productId, durationDays: durationDays.trim() === '' ? null : Number(durationDays) },
    }),
    done,
  });
  return (
    <Form {...api} label="Save">
      <TextInput
        label="Product identifier"
        description="As the store has it, upper and lower case too"
        spellCheck={false}
        readOnly={product !== null}
        {...form.getInputProps('productId')}
      />
      <TextInput
        label="Days of 24 hours"
        description={product ? `${everyPurchase} Empty: the product does not end.` : everyPurchase}
        inputMode="numeric"
        data-autofocus
        {...form.getInputProps('durationDays')}
      />
    </Form>
  );
}

// The store of an application: credentials for its server API, the URL for its notifications, and the products.
import { Badge, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { StoreStateDocument, type StoreStateQuery } from '../../../../generated/screens/store/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { Copy } from '../../parts/Copy.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { AppNumber } from './AppNumber.tsx';
import { Credentials } from './Credentials.tsx';
import { Products } from './Products.tsx';

export type StoreApplication = StoreStateQuery['applications'][number];

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

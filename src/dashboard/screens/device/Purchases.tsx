// What the device has bought: the lines that it holds, and its transactions at the store.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { DevicePurchasesDocument } from '../../../../generated/screens/device/graphql.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { count } from '../../parts/figures.ts';
import type { DevicePart } from './Device.tsx';
import { Entitlements } from './Entitlements.tsx';
import { Transactions } from './Transactions.tsx';

const [few, most] = [20, 500];

export function Purchases(part: DevicePart) {
  const { applicationId, id } = part;
  const [limit, setLimit] = useState(few);
  const variables = { applicationId, id, limit };
  const [result, read] = useQuery({ query: DevicePurchasesDocument, variables });
  const retry = (): void => read({ requestPolicy: 'network-only' });
  const foot = (shown: number) => <Foot shown={shown} limit={limit} more={() => setLimit(most)} />;
  return (
    <>
      <Panel title="Entitlements">
        <Loaded result={result} pick={({ device }) => device?.entitlements} retry={retry} lines={2}>
          {(entitlements) => (
            <>
              <Entitlements {...part} entitlements={entitlements} />
              {foot(entitlements.length)}
            </>
          )}
        </Loaded>
      </Panel>
      <Panel title="Transactions">
        <Loaded result={result} pick={({ device }) => device?.transactions} retry={retry} lines={2}>
          {(transactions) => (
            <>
              <Transactions {...part} transactions={transactions} />
              {foot(transactions.length)}
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function Foot({ shown, limit, more }: { shown: number; limit: number; more: () => void }) {
  if (shown < limit) return null;
  return (
    <Group justify="space-between" mt="xs">
      <Text size="sm" c="dimmed" className="figure">
        The newest {count(shown)} are shown.
      </Text>
      {limit < most && (
        <Button size="compact-sm" variant="default" onClick={more}>
          Show up to {most}
        </Button>
      )}
    </Group>
  );
}

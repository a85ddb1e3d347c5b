// All that the API says of one line.
import { Drawer, Stack } from '@mantine/core';
import { Copy } from '../../parts/Copy.tsx';
import { Facts, type Fact } from '../../parts/Facts.tsx';
import { count, time } from '../../parts/figures.ts';
import { PlaceLink } from '../../parts/PlaceLink.tsx';
import { deviceOf, transactionsOf } from '../../parts/purchases/links.ts';
import { Price } from '../../parts/purchases/Price.tsx';
import { environments, kinds, ownerships } from '../../parts/purchases/words.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { renewalOf, stateOf, type Line } from './lines.ts';

export function EntitlementDrawer({ line, close }: { line: Line | null; close: () => void }) {
  const { timeZone } = useApplication();
  return (
    <Drawer opened={line !== null} onClose={close} title="Entitlement" position="right">
      {line && <Facts facts={[...ownerFacts(line), ...periodFacts(line, timeZone)]} />}
    </Drawer>
  );
}

function ownerFacts({ id, owner }: Line): Fact[] {
  return [
    { name: 'Line', value: <Copy value={id} label="the line" /> },
    { name: 'User', value: owner ? <User id={owner.externalId} /> : 'no owner' },
    { name: 'First device', value: owner?.deviceId == null ? null : <Device id={owner.deviceId} /> },
  ];
}

function User({ id }: { id: string }) {
  const { applicationId } = useApplication();
  return (
    <Stack gap={2}>
      <bdi>{id}</bdi>
      <PlaceLink {...transactionsOf(applicationId, { user: id })}>Transactions of this user</PlaceLink>
    </Stack>
  );
}

function Device({ id }: { id: string }) {
  const { applicationId } = useApplication();
  return (
    <PlaceLink {...deviceOf(applicationId, id)}>
      <bdi>{id}</bdi>
    </PlaceLink>
  );
}

function periodFacts(line: Line, timeZone: string): Fact[] {
  const { productId, kind, purchasedAt, expiresAt, graceExpiresAt, revokedAt, environment, ownership } = line;
  const { price, currency, quantity, inBillingRetry, storeTransactionIds } = line;
  return [
    { name: 'State', value: stateOf(line) },
    { name: 'Product', value: productId },
    { name: 'Kind', value: kinds[kind] },
    { name: `Bought (${timeZone})`, value: time(purchasedAt, timeZone) },
    { name: 'Until', value: expiresAt == null ? 'without end' : time(expiresAt, timeZone) },
    { name: 'Grace until', value: graceExpiresAt && time(graceExpiresAt, timeZone) },
    { name: 'In billing retry', value: inBillingRetry ? 'yes' : 'no' },
    { name: 'Renews', value: renewalOf(line) },
    { name: 'Taken back', value: revokedAt == null ? 'no' : time(revokedAt, timeZone) },
    { name: 'Price', value: <Price {...{ price, currency, quantity }} /> },
    { name: 'Owned as', value: ownership && ownerships[ownership] },
    { name: 'Environment', value: environments[environment] },
    { name: `Transactions (${count(storeTransactionIds.length)})`, value: <Ids ids={storeTransactionIds} /> },
  ];
}

function Ids({ ids }: { ids: readonly string[] }) {
  return (
    <Stack gap={2}>
      {ids.map((id) => (
        <bdi key={id}>{id}</bdi>
      ))}
    </Stack>
  );
}

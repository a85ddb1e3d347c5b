// All that the API says of one line.
import { Drawer, Stack } from '@mantine/core';
import { Copy } from '../../parts/Copy.tsx';
import { DeviceLink } from '../../parts/DeviceLink.tsx';
import { Facts, type Fact } from '../../parts/Facts.tsx';
import { count, time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { PlaceLink } from '../../parts/PlaceLink.tsx';
import { transactionsOf } from '../../parts/purchases/links.ts';
import { Price } from '../../parts/purchases/Price.tsx';
import { environments, kinds, ownerships } from '../../parts/purchases/words.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { renewalOf, stateOf, type Line } from './lines.ts';

export function EntitlementDrawer({ line, close }: { line: Line | null; close: () => void }) {
  const { applicationId, timeZone } = useApplication();
  return (
    <Drawer opened={line !== null} onClose={close} title="Entitlement" position="right">
      {line && <Facts facts={[...ownerFacts(line, applicationId), ...periodFacts(line, timeZone)]} />}
    </Drawer>
  );
}

function ownerFacts({ id, owner }: Line, applicationId: string): Fact[] {
  return [
    { name: 'Line', value: <Copy value={id} label="the line" /> },
    { name: 'User', value: owner ? <User id={owner.externalId} /> : 'no owner' },
    {
      name: 'First device',
      value: owner?.deviceId == null ? null : <DeviceLink applicationId={applicationId} id={owner.deviceId} />,
    },
  ];
}

function User({ id }: { id: string }) {
  const { applicationId } = useApplication();
  return (
    <Stack gap={2}>
      <GivenText text={id} />
      <PlaceLink {...transactionsOf(applicationId, { user: id })}>Transactions of this user</PlaceLink>
    </Stack>
  );
}

function periodFacts(line: Line, timeZone: string): Fact[] {
  const { productId, kind, purchasedAt, expiresAt, graceExpiresAt, revokedAt, environment, ownership } = line;
  const { price, currency, quantity, inBillingRetry, storeTransactionIds } = line;
  return [
    { name: 'State', value: stateOf(line) },
    { name: 'Product', value: <GivenText text={productId} /> },
    { name: 'Kind', value: kinds[kind] },
    { name: `Bought (${timeZone})`, value: time(purchasedAt, timeZone, 'full') },
    { name: 'Until', value: expiresAt == null ? 'without end' : time(expiresAt, timeZone, 'full') },
    { name: 'Grace until', value: graceExpiresAt && time(graceExpiresAt, timeZone, 'full') },
    { name: 'In billing retry', value: inBillingRetry ? 'yes' : 'no' },
    { name: 'Renews', value: renewalOf(line) },
    { name: 'Taken back', value: revokedAt == null ? 'no' : time(revokedAt, timeZone, 'full') },
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
        <GivenText key={id} text={id} />
      ))}
    </Stack>
  );
}

// All that the API says of one transaction.
import { Drawer } from '@mantine/core';
import { Copy } from '../../parts/Copy.tsx';
import { Facts, type Fact } from '../../parts/Facts.tsx';
import { countryName, decimal, time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Price } from '../../parts/purchases/Price.tsx';
import {
  environments,
  kinds,
  offerModes,
  offers,
  ownerships,
  reasonText,
  revocationReasons,
  revocationTypes,
  states,
} from '../../parts/purchases/words.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import type { Transaction } from './counts.ts';

export function TransactionDrawer({ transaction, close }: { transaction: Transaction | null; close: () => void }) {
  const { timeZone } = useApplication();
  return (
    <Drawer opened={transaction !== null} onClose={close} title="Transaction" position="right">
      {transaction && <Facts facts={[...boughtFacts(transaction, timeZone), ...lookUpFacts(transaction, timeZone)]} />}
    </Drawer>
  );
}

const given = (text: string | null | undefined) => (text == null ? null : <GivenText text={text} />);

function boughtFacts(transaction: Transaction, timeZone: string): Fact[] {
  const { id, originalId, productId, kind, environment, ownership, offer, offerMode, storefront } = transaction;
  const { purchasedAt, expiresAt, price, currency, quantity } = transaction;
  return [
    { name: 'Transaction', value: <Copy value={id} label="the transaction" /> },
    { name: 'First transaction', value: originalId === id ? 'this one' : given(originalId) },
    { name: 'Product', value: given(productId) },
    { name: 'Kind', value: kind && kinds[kind] },
    { name: `Bought (${timeZone})`, value: purchasedAt && time(purchasedAt, timeZone, 'full') },
    { name: 'Paid until', value: expiresAt && time(expiresAt, timeZone, 'full') },
    { name: 'Price', value: <Price {...{ price, currency, quantity }} /> },
    { name: 'Offer', value: offer && [offers[offer], offerMode && offerModes[offerMode]].filter(Boolean).join(', ') },
    { name: 'Owned as', value: ownership && ownerships[ownership] },
    { name: 'Country of the store', value: storefront && countryName(storefront) },
    { name: 'Environment', value: environment && environments[environment] },
    ...revocationFacts(transaction, timeZone),
  ];
}

function revocationFacts(transaction: Transaction, timeZone: string): Fact[] {
  const { revokedAt, revocationType, revocationReason, revocationPercent } = transaction;
  if (revokedAt == null) return [{ name: 'Taken back', value: 'no' }];
  return [
    { name: 'Taken back', value: time(revokedAt, timeZone, 'full') },
    { name: 'How', value: revocationType && revocationTypes[revocationType] },
    { name: 'Part of the price', value: revocationPercent == null ? null : `${decimal(revocationPercent)} %` },
    { name: 'Why', value: revocationReason && revocationReasons[revocationReason] },
  ];
}

function lookUpFacts(transaction: Transaction, timeZone: string): Fact[] {
  const { state, reason, receivedAt, resolvedAt, lastLookedUpAt, lastLookUpError } = transaction;
  return [
    { name: 'State', value: states[state] },
    ...(reason == null ? [] : [{ name: 'Reason', value: reasonText(reason) }]),
    { name: 'First arrived', value: time(receivedAt, timeZone, 'full') },
    { name: 'Settled', value: resolvedAt && time(resolvedAt, timeZone, 'full') },
    { name: 'Last look-up', value: lastLookedUpAt && time(lastLookedUpAt, timeZone, 'full') },
    { name: 'Its error', value: lastLookUpError == null ? 'none' : reasonText(lastLookUpError) },
  ];
}

// The settings of an application for members who may read but not edit them.
import { Facts } from '../../parts/Facts.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { policies } from './policies.ts';
import type { FoundSettings } from './Settings.tsx';

export function SettingsFacts({ project, application }: FoundSettings) {
  const { name, platform, bundleId, timeZone, entitlementPolicy, testDevices } = application;
  const { label, about } = policies[entitlementPolicy];
  const facts = [
    { name: 'Name', value: name },
    { name: 'Platform', value: platform },
    { name: 'Bundle or package identifier', value: bundleId },
    { name: 'Time zone', value: timeZone },
    { name: 'Project', value: project.name },
    { name: 'Purchases of several external ids', value: `${label}: ${about}` },
    { name: 'Test devices', value: testDevices.length === 0 ? 'None' : testDevices.map(device) },
  ];
  return <Facts facts={facts} />;
}

const device = (id: string) => (
  <div key={id}>
    <GivenText text={id} />
  </div>
);

// Which names of events the overview counts: those of the app first, since the SDK's own come with every session.

interface Name {
  name: string;
  type: 'CUSTOM' | 'SYSTEM';
  count30Days: number;
}

/** One question of `eventSeries` takes five events. */
const most = 5;

export function topNames<Of extends Name>(names: readonly Of[]): Of[] {
  const byCount = [...names].sort((a, b) => b.count30Days - a.count30Days);
  const custom = byCount.filter(({ type }) => type === 'CUSTOM');
  // The SDK adds an EventTriggered to each event of the app, which would say the same twice.
  const system = byCount.filter(({ type, name }) => type === 'SYSTEM' && name !== 'EventTriggered');
  return [...custom, ...system].slice(0, most);
}

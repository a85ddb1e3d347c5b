// One query for each read of schema.graphql, "Analytics", for the tests that walk over all root fields.

/** What follows the brace of the operation, for an application. */
export const analyticsQueries = {
  activity: (application) =>
    `activity(input: { applicationId: "${application}", from: "2026-03-01", to: "2026-03-28" }) { asOf }`,
  devices: (application) => `devices(applicationId: "${application}") { asOf }`,
  devicesBehind: (application) =>
    `devicesBehind(of: { activity: { applicationId: "${application}", from: "2026-03-01", to: "2026-03-28" } }, point: { activity: {} }) { asOf }`,
  eventNames: (application) => `eventNames(applicationId: "${application}") { asOf }`,
  eventSeries: (application) =>
    `eventSeries(input: { applicationId: "${application}", events: [{ name: "Purchased", type: CUSTOM }], from: "2026-03-01", to: "2026-03-28" }) { asOf }`,
  funnel: (application) =>
    `funnel(input: { applicationId: "${application}", steps: [{ name: "Purchased", type: CUSTOM }, { name: "Purchased", type: CUSTOM }], within: { value: 1, unit: DAY }, from: "2026-03-01", to: "2026-03-28" }) { asOf }`,
  ingestIssues: (application) =>
    `ingestIssues(applicationId: "${application}", from: "2026-03-01", to: "2026-03-28") { asOf }`,
  propertyNames: (application) => `propertyNames(applicationId: "${application}", scope: USER) { asOf }`,
  recentEvents: (application) => `recentEvents(applicationId: "${application}") { asOf }`,
  retention: (application) =>
    `retention(input: { applicationId: "${application}", start: { firstSeen: true }, returning: { any: true }, from: "2026-03-01", to: "2026-03-28" }) { asOf }`,
  revenue: (application) =>
    `revenue(input: { applicationId: "${application}", currency: "EUR", from: "2026-03-01", to: "2026-03-28" }) { asOf }`,
  revenueCurrencies: (application) => `revenueCurrencies(applicationId: "${application}")`,
  subscriptions: (application) => `subscriptions(applicationId: "${application}") { asOf }`,
  userDevices: (application) => `userDevices(applicationId: "${application}", userId: "u") { asOf }`,
} satisfies Record<string, (application: string) => string>;

export type AnalyticsField = keyof typeof analyticsQueries;

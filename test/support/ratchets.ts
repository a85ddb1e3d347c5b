// What the contract promises and the service does not do yet. These lists may only shrink; a test fails on an entry that is done.

/** Headers of contract 1 that no operation sends yet, each with a value that stands in for it. */
export const headersNotSentYet: Record<string, string> = {};

/** Documented answers that no test has seen: `<operationId> <status>`. */
export const answersNotSeenYet: string[] = [
  ...['200', '404', '413', '415', '422', '500', '503'].map((status) => `reportAttribution ${status}`),
  ...['200', '404', '413', '415', '422', '500', '503'].map((status) => `reportStoreTransactions ${status}`),
];

/** Operations of contract 1 without a handler. */
export const operationsNotWrittenYet: string[] = ['reportAttribution', 'reportStoreTransactions'];

/** Root fields of contract 2 without an operation. */
export const rootFieldsNotWrittenYet: string[] = [
  ...['applications', 'auditLog', 'campaign', 'campaigns', 'countries', 'device', 'id', 'me', 'organization'],
  ...['projects', 'apiKeyCreate', 'apiKeyRevoke', 'applicationDelete', 'applicationEdit', 'campaignChangeState'],
  ...['campaignEdit', 'login', 'organizationEdit', 'projectDelete', 'projectEdit', 'refreshToken', 'resetPassword'],
  ...['signup', 'storeCredentialsEdit', 'updatePassword', 'userEdit', 'userInvite'],
];

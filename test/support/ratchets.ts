// Lists the promises of the contracts that the service does not keep yet. The lists may only shrink: a test fails on an
// entry that is kept by now.

/** Headers of openapi.yaml that no operation sends yet, each with a value that replaces it in the check. */
export const headersNotSentYet: Record<string, string> = {};

/** Documented responses that no test has seen: `<operationId> <status>`, `<root field> <code>`. */
export const answersNotSeenYet: string[] = [];

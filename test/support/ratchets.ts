// Lists promises of the contracts that the service does not keep yet. They may only shrink: a test fails on a kept promise.

/** Headers of openapi.yaml that no operation sends yet, each with a value that replaces it in the check. */
export const headersNotSentYet: Record<string, string> = {};

/** Documented responses that no test has seen: `<operationId> <status>`, `<root field> <code>`. */
export const responsesNotSeenYet: string[] = [];

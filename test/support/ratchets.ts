// What the contract promises and the service does not do yet. These lists may only shrink; a test fails on an entry that is done.

/** Headers of contract 1 that no operation sends yet, each with a value that stands in for it. */
export const headersNotSentYet: Record<string, string> = {};

/** Documented answers that no test has seen: `<operationId> <status>`, `<root field> <code>`. */
export const answersNotSeenYet: string[] = [];

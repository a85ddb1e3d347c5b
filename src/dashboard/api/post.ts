// One request to the admin API without cache and without refresh: what logs in, and what refreshes.
import { stringifyDocument, type TypedDocumentNode } from '@urql/core';
import { ApiError, errorFrom } from './apiError.ts';

export const endpoint = '/admin/graphql/';

/** Throws an `ApiError`. */
export async function post<Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  token: string | null = null,
): Promise<Data> {
  const headers = { 'Content-Type': 'application/json', ...(token !== null && { Authorization: `Bearer ${token}` }) };
  const body = JSON.stringify({ query: stringifyDocument(document), variables });
  const response = await fetch(endpoint, { method: 'POST', headers, body }).catch(() => null);
  const said = (await response?.json().catch(() => null)) as { data?: Data; errors?: { message: string }[] } | null;
  if (!response || !said) throw new ApiError('The service gave no response.', 'NO_RESPONSE');
  const [first] = said.errors ?? [];
  if (first) throw errorFrom(first, response.headers.get('X-Request-Id'));
  return said.data as Data;
}

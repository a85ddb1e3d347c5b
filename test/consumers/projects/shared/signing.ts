// Signs a request just before it is sent: the signature covers the body's bytes, so it cannot be computed earlier.

/** `X-Timestamp`, `X-Nonce` and `X-Signature` for a body that is sent as these bytes. */
export type Sign = (body: Uint8Array) => Record<string, string>;

/** The same request with its signature; the signed bytes are the sent bytes. */
export async function signedRequest(request: Request, sign: Sign): Promise<Request> {
  const body = new Uint8Array(await request.arrayBuffer());
  const { url, method } = request;
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(sign(body))) headers.set(name, value);
  return new Request(url, { method, headers, body });
}

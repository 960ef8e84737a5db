import { systemClock, SECOND } from "#core/clock.ts";
import { toBase64Url } from "#core/encoding.ts";
import type { PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";
import { callPlatform, type PlatformResponse, parseBody } from "#platforms/response.ts";
import { ErrorName } from "./answers.ts";
import { publicJwk, signJwt, type SigningKey } from "./jwt.ts";

/** The session's key, and the newest nonce of every origin. */
export interface ProofContext {
  readonly key: SigningKey;
  readonly nonces: Pick<Map<string, string>, "get"> & { set(origin: string, nonce: string): void };
}

/** A request that is built anew for a repetition, so that no proof and no assertion is sent twice. */
export type RequestFactory = () => PlatformRequestInit | Promise<PlatformRequestInit>;

/**
 * Sends a request with a DPoP proof (RFC 9449), a second time when the server demands a new nonce: it has then read nothing
 * of the request. With an access token the call is for the server of the account, otherwise for the authorization server.
 */
export async function sendWithProof(
  client: PlatformClient,
  url: URL,
  createRequest: RequestFactory,
  context: ProofContext,
  accessToken: string | null,
): Promise<PlatformResponse> {
  const sentNonce = context.nonces.get(url.origin);
  const response = await sendOnce(client, url, createRequest, context, accessToken);
  const nonce = context.nonces.get(url.origin);
  return demandsNonce(response) && nonce !== undefined && nonce !== sentNonce
    ? await sendOnce(client, url, createRequest, context, accessToken)
    : response;
}

async function sendOnce(
  client: PlatformClient,
  url: URL,
  createRequest: RequestFactory,
  { key, nonces }: ProofContext,
  accessToken: string | null,
): Promise<PlatformResponse> {
  const init = await createRequest();
  const proof = await createProof(key, {
    method: init.method ?? "GET",
    url,
    nonce: nonces.get(url.origin),
    accessToken,
  });
  const response = await callPlatform(client, url, {
    ...init,
    headers: { ...init.headers, dpop: proof, ...(accessToken !== null && { authorization: `DPoP ${accessToken}` }) },
  });
  const nonce = response.headers.get("dpop-nonce");
  if (nonce) {
    nonces.set(url.origin, nonce);
  }
  return response;
}

/** 400 at an authorization server, 401 at the server of an account. */
function demandsNonce(response: PlatformResponse): boolean {
  return (
    (response.status === 400 || response.status === 401) &&
    (parseBody(ErrorName, response)?.error === "use_dpop_nonce" ||
      (response.headers.get("www-authenticate") ?? "").includes('error="use_dpop_nonce"'))
  );
}

async function createProof(
  key: SigningKey,
  call: {
    readonly method: string;
    readonly url: URL;
    readonly nonce: string | undefined;
    readonly accessToken: string | null;
  },
): Promise<string> {
  return await signJwt(
    key,
    { typ: "dpop+jwt", jwk: publicJwk(key) },
    {
      jti: crypto.randomUUID(),
      htm: call.method,
      htu: `${call.url.origin}${call.url.pathname}`,
      iat: nowSeconds(),
      ...(call.nonce !== undefined && { nonce: call.nonce }),
      ...(call.accessToken !== null && { ath: await sha256Base64Url(call.accessToken) }),
    },
  );
}

/** The time of sending: a proof is valid for seconds, and a step may last minutes. */
export function nowSeconds(): number {
  return Math.floor(systemClock.now() / SECOND);
}

async function sha256Base64Url(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

import { z } from "@hono/zod-openapi";
import { systemClock, SECOND } from "#core/clock.ts";
import { toBase64Url } from "#core/encoding.ts";
import type { JsonObject } from "#core/json.ts";
import { AddressRefused } from "#platforms/client.ts";
import type { TokenSet, Fault, PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";
import { reconnect } from "#platforms/fault.ts";
import { bearerHeader, type RequestFields, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, type PlatformResponse, parseBody } from "#platforms/response.ts";
import { ErrorName } from "./answers.ts";
import { SigningKey, publicJwk, signJwt } from "./login.ts";

const OAuthSession = z.object({
  method: z.literal("oauth"),
  did: z.string(),
  pds: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  /** The key pair of every proof; one for the life of the session. */
  key: SigningKey,
  startedAt: z.number(),
  revocationEndpoint: z.string().nullable(),
});
export type OAuthSession = z.infer<typeof OAuthSession>;

const PasswordSession = z.object({ method: z.literal("app_password"), did: z.string(), pds: z.string() });
export type PasswordSession = z.infer<typeof PasswordSession>;

/** What is kept in `TokenSet.extra`. */
const Session = z.discriminatedUnion("method", [OAuthSession, PasswordSession]);
export type Session = z.infer<typeof Session>;

export function readSession(extra: JsonObject | undefined): Session | null {
  return Session.safeParse(extra).data ?? null;
}

/** Calls to the server of an account on behalf of a login. */
export interface AccountServer {
  readonly session: Session;
  /** One XRPC method. The request is built again when it has to be repeated, so its body must not be a stream. */
  call(method: string, request?: PlatformRequestInit, query?: RequestFields): Promise<PlatformResponse>;
}

/** Null for a login that this version cannot read. */
export function openAccountServer(
  client: PlatformClient,
  extra: JsonObject | undefined,
  accessToken: string,
): AccountServer | null {
  const session = readSession(extra);
  if (!session) {
    return null;
  }
  return {
    session,
    call: async (method, request = {}, query = {}) => {
      const url = withQuery(`${session.pds}/xrpc/${method}`, query);
      return session.method === "oauth"
        ? await sendWithProof(
            client,
            url,
            () => request,
            { key: session.key, nonces: accountServerNonces },
            accessToken,
          )
        : await callPlatform(client, url, {
            ...request,
            headers: { ...request.headers, ...bearerHeader(accessToken) },
          });
    },
  };
}

export function sessionUnreadable(): Fault {
  return reconnect("This login cannot be used any more. Connect the account again.", { httpStatus: null });
}

/** Hosts of a login that are not known before. */
export function uniqueHosts(urls: readonly (string | URL | null)[]): NonNullable<TokenSet["hosts"]> {
  return [...new Set(urls.flatMap((url) => (url === null ? [] : new URL(url).hostname)))];
}

/** The session's key, and the newest nonce of every origin. */
export interface ProofContext {
  readonly key: SigningKey;
  readonly nonces: Pick<Map<string, string>, "get"> & { set(origin: string, nonce: string): void };
}

/** A request that is built anew for a repetition, so that no proof and no assertion is sent twice. */
type RequestFactory = () => PlatformRequestInit | Promise<PlatformRequestInit>;

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

/** So many servers are remembered; a new one takes the place of the one that was heard of longest ago. */
const ORIGINS_MAX = 200;

/**
 * The newest nonce that each server of accounts gave out, for all calls of this isolate: a server refuses a call without one (RFC 9449, 8 and 9),
 * so that a post would reach it only with its second request. A nonce belongs to the server and not to a login, and is no secret;
 * one that is too old is answered with a new one.
 */
class Nonces {
  private readonly newest = new Map<string, string>();

  get(origin: string): string | undefined {
    return this.newest.get(origin);
  }

  set(origin: string, nonce: string): void {
    this.newest.delete(origin);
    this.newest.set(origin, nonce);
    const [oldest] = this.newest.keys();
    if (this.newest.size > ORIGINS_MAX && oldest !== undefined) {
      this.newest.delete(oldest);
    }
  }

  clear(): void {
    this.newest.clear();
  }
}

export const accountServerNonces = new Nonces();

/** Null when the server could not be reached; an address that must not be called is not hidden. */
export async function tryServer(
  client: PlatformClient,
  url: string | URL,
  timeoutMs: number,
): Promise<PlatformResponse | null> {
  try {
    return await callPlatform(client, url, { timeoutMs });
  } catch (error) {
    if (error instanceof AddressRefused) {
      throw error;
    }
    return null;
  }
}

import { z } from "@hono/zod-openapi";
import { systemClock, SECOND } from "#core/clock.ts";
import { sha256Base64Url } from "#core/encoding.ts";
import type { JsonObject } from "#core/json.ts";
import { AddressRefused } from "#platforms/client.ts";
import type { TokenSet, Fault, PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";
import { reconnect } from "#platforms/fault.ts";
import { bearerHeader, type RequestFields, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, type PlatformResponse, parseBody } from "#platforms/response.ts";
import { ErrorName } from "./answers.ts";
import { COLLECTION } from "./hosts.ts";
import { SigningKey, publicJwk, signJwt } from "./login.ts";

const OAuthSession = z.object({
  method: z.literal("oauth"),
  did: z.string(),
  pds: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  /** The key pair for proofs. A session keeps one pair for its whole life. */
  key: SigningKey,
  startedAt: z.number(),
  revocationEndpoint: z.string().nullable(),
});
export type OAuthSession = z.infer<typeof OAuthSession>;

const PasswordSession = z.object({ method: z.literal("app_password"), did: z.string(), pds: z.string() });
export type PasswordSession = z.infer<typeof PasswordSession>;

/** A stored login. The adapter keeps it in `TokenSet.extra`. */
const Session = z.discriminatedUnion("method", [OAuthSession, PasswordSession]);
export type Session = z.infer<typeof Session>;

export function readSession(extra: JsonObject | undefined): Session | null {
  return Session.safeParse(extra).data ?? null;
}

/** Calls the server of an account on behalf of a login. */
export interface AccountServer {
  readonly session: Session;
  /** Calls one XRPC method. The request may be sent twice, so its body must not be a stream. */
  call(method: string, request?: PlatformRequestInit, query?: RequestFields): Promise<PlatformResponse>;
}

/** Opens the account's server for a stored login. Null if this version of the service cannot read the login. */
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

/** Reads a record of an account from its own server. That is up to date and needs no login. */
export async function getRecord(
  client: PlatformClient,
  { pds, did }: Pick<Session, "pds" | "did">,
  recordKey: string,
): Promise<PlatformResponse> {
  const query = { repo: did, collection: COLLECTION, rkey: recordKey };
  return await callPlatform(client, withQuery(`${pds}/xrpc/com.atproto.repo.getRecord`, query));
}

export function sessionUnreadable(): Fault {
  return reconnect("This login cannot be used any more. Connect the account again.", { httpStatus: null });
}

/** The hosts of a login that the adapter does not know beforehand, without repetition. */
export function uniqueHosts(urls: readonly (string | URL | null)[]): NonNullable<TokenSet["hosts"]> {
  return [...new Set(urls.flatMap((url) => (url === null ? [] : new URL(url).hostname)))];
}

/** The key of a session, and the newest nonce of each origin. */
export interface ProofContext {
  readonly key: SigningKey;
  readonly nonces: Pick<Map<string, string>, "get"> & { set(origin: string, nonce: string): void };
}

/** Makes a request. It is called again for a repetition, so that no proof and no assertion is sent twice. */
type RequestFactory = () => PlatformRequestInit | Promise<PlatformRequestInit>;

/**
 * Sends a request with a DPoP proof (RFC 9449). If the server demands a new nonce it has processed nothing, so the
 * request is sent again. With an access token the request goes to the account's server, otherwise to the authorization
 * server.
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

/** Whether the server demands a new nonce. Authorization servers do so with 400, account servers with 401. */
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

/**
 * The time of sending, in seconds. A proof is valid for seconds and a step may take minutes, so each request reads the
 * clock.
 */
export function nowSeconds(): number {
  return Math.floor(systemClock.now() / SECOND);
}

/** For how many servers the isolate remembers a nonce. A new server replaces the one that answered longest ago. */
const ORIGINS_MAX = 200;

/**
 * The newest nonce of each account server, for all calls of this isolate. A server refuses a call without a nonce (RFC
 * 9449, 8 and 9), so without this map a post would need two requests. A nonce belongs to the server and is no secret. A
 * server answers an old nonce with a new one.
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

/** Calls a server; null if it cannot be reached. It still throws for an address that must not be called. */
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

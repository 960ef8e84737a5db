import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { TokenSet } from "#platforms/connect-contract.ts";
import { callPlatform } from "#platforms/response.ts";
import type { Fault, PlatformClient, PlatformRequestInit } from "#platforms/contract.ts";
import { reconnect } from "#platforms/fault.ts";
import { bearerHeader, type RequestFields, withQuery } from "#platforms/request-encoding.ts";
import type { PlatformResponse } from "#platforms/response.ts";
import { sendWithProof } from "./dpop.ts";
import { accountServerNonces } from "./nonces.ts";
import { SigningKey } from "./jwt.ts";

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

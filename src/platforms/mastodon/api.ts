import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, PlatformClient, PlatformRequestInit, TokenSet } from "#platforms/contract.ts";
import { bearerHeader } from "#platforms/request-encoding.ts";
import { type PlatformResponse, callPlatform } from "#platforms/response.ts";

/** A server with the login that calls it. Before the login there is no token. */
export interface Server {
  readonly host: string;
  readonly token: string | null;
}

/** What a login stores with its tokens. */
const LoginExtra = z.object({
  server: z.string().min(1),
  clientId: z.string(),
  clientSecret: z.string(),
  /** The name of the registered app, which Mastodon shows with every post. */
  clientName: z.string(),
});
export type LoginExtra = z.infer<typeof LoginExtra>;

export function parseExtra(extra: JsonObject | undefined): LoginExtra | null {
  return LoginExtra.safeParse(extra).data ?? null;
}

export function loginServer(tokens: TokenSet): Server | null {
  const extra = parseExtra(tokens.extra);
  return extra && { host: extra.server, token: tokens.accessToken };
}

export function accountServer(account: AccountAccess): Server {
  const extra = parseExtra(account.extra);
  if (!extra) {
    throw new Error("the login does not name its server");
  }
  return { host: extra.server, token: account.accessToken };
}

/** The id of an account with its server's host, because ids are unique only on one server. */
export function toAccountId(id: string, host: string): string {
  return `${id}@${host}`;
}

/** The id of an account at its server, without the host that this service adds. */
export function toServerAccountId(platformAccountId: string): string {
  return platformAccountId.slice(0, platformAccountId.lastIndexOf("@"));
}

export function serverUrl(server: Pick<Server, "host">, path: string): URL {
  return new URL(`https://${server.host}${path}`);
}

/** The headers of a call. Without `Accept`, some errors would be HTML pages. */
export function serverHeaders(server: Server): Record<string, string> {
  return {
    accept: "application/json",
    ...(server.token !== null && bearerHeader(server.token)),
  };
}

export async function callServer(
  client: PlatformClient,
  server: Server,
  path: string | URL,
  init: PlatformRequestInit = {},
): Promise<PlatformResponse> {
  const url = typeof path === "string" ? serverUrl(server, path) : path;
  return await callPlatform(client, url, { ...init, headers: { ...serverHeaders(server), ...init.headers } });
}

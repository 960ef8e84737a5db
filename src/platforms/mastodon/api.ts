import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, PlatformClient, PlatformRequestInit, TokenSet } from "#platforms/contract.ts";
import { bearerHeader } from "#platforms/request-encoding.ts";
import { type PlatformResponse, callPlatform } from "#platforms/response.ts";

/** A server together with the login that calls it; before the login there is no token. */
export interface Server {
  readonly host: string;
  readonly token: string | null;
}

/** What is stored with the tokens of a login. */
const LoginExtra = z.object({
  server: z.string().min(1),
  clientId: z.string(),
  clientSecret: z.string(),
  /** The name of the registered app, which Mastodon shows at every post. */
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

/** Ids are unique per server only. */
export function toAccountId(id: string, host: string): string {
  return `${id}@${host}`;
}

/** The id without the host that this service adds to it. */
export function toServerAccountId(platformAccountId: string): string {
  return platformAccountId.slice(0, platformAccountId.lastIndexOf("@"));
}

export function serverUrl(server: Pick<Server, "host">, path: string): URL {
  return new URL(`https://${server.host}${path}`);
}

/** Without `Accept`, some errors are HTML pages. */
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

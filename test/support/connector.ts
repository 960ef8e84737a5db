import type {
  AppCredentials,
  AppRegistrations,
  ClientIdentity,
  CodeExchange,
  Connector,
  Login,
  OAuthMethod,
  PlatformClient,
  Result,
  StartRequest,
  TokenRefresh,
  TokenSet,
} from "#platforms/contract.ts";
import { unwrap } from "./unwrap.ts";

/*
 * Short calls of an adapter's `connect` for tests: the values that a test does not care about are filled in.
 */

export const CLIENT_IDENTITY: ClientIdentity = {
  origin: "https://a.example.com",
  redirectUri: "https://a.example.com/back",
  clientMetadataUrl: "https://a.example.com/client-metadata.json",
};

/** App registrations in memory; the first one of a server is kept. */
export function memoryRegistrations(): AppRegistrations {
  const kept = new Map<string, Parameters<AppRegistrations["keep"]>[1]>();
  return {
    find: (server) => Promise.resolve(kept.get(server) ?? null),
    keep: (server, registration) => {
      kept.set(server, kept.get(server) ?? registration);
      return Promise.resolve(kept.get(server) ?? registration);
    },
    forget: (server) => {
      kept.delete(server);
      return Promise.resolve();
    },
  };
}

/** The browser login of a platform that has one. */
export function oauthMethod(connect: Connector): OAuthMethod {
  const method = connect.methods.find(({ kind }) => kind === "oauth");
  if (method?.kind !== "oauth") {
    throw new Error("the platform has no browser login");
  }
  return method;
}

/** Where a browser login begins; for logins that start without a call to the platform. */
export async function authorizeUrl(
  connect: Connector,
  app: AppCredentials,
  request: Partial<StartRequest> = {},
): Promise<URL> {
  const unreachable: PlatformClient = { fetch: () => Promise.reject(new Error("no call is expected here")) };
  const started = await oauthMethod(connect).start(unreachable, app, {
    ...CLIENT_IDENTITY,
    state: "s",
    codeVerifier: "v",
    codeChallenge: "c",
    input: {},
    registrations: memoryRegistrations(),
    now: 0,
    ...request,
  });
  return unwrap(started).url;
}

export async function exchangeCode(
  connect: Connector,
  client: PlatformClient,
  app: AppCredentials,
  exchange: Pick<CodeExchange, "params" | "now"> & Partial<CodeExchange>,
): Promise<Result<Login>> {
  return await oauthMethod(connect).exchangeCode(client, app, {
    ...CLIENT_IDENTITY,
    codeVerifier: "v",
    started: {},
    registrations: memoryRegistrations(),
    ...exchange,
  });
}

/** How a platform refreshes tokens, where it does. */
export function tokenRefresh(connect: Connector): Extract<TokenRefresh, { kind: "refresh" }> {
  if (connect.tokenRefresh.kind !== "refresh") {
    throw new Error("the platform does not refresh tokens");
  }
  return connect.tokenRefresh;
}

export async function refreshTokens(
  connect: Connector,
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
  now: number,
): Promise<Result<TokenSet>> {
  return await tokenRefresh(connect).refresh(client, app, tokens, now);
}

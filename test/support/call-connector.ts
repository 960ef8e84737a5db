import type {
  AppCredentials,
  AppRegistrations,
  ClientIdentity,
  CodeExchange,
  Connector,
  OAuthMethod,
  PlatformClient,
  Result,
  StartRequest,
  StartedLogin,
  TokenRefresh,
  TokenSet,
  LoginResult,
} from "#platforms/contract.ts";
import { unwrap } from "./unwrap.ts";

/*
 * Calls of an adapter's `connect` with defaults for the values that a test does not use.
 */

export const CLIENT_IDENTITY: ClientIdentity = {
  origin: "https://a.example.com",
  redirectUri: "https://a.example.com/back",
  redirectUriOf: (server) => `https://a.example.com/back/${server}`,
  clientMetadataUrl: "https://a.example.com/client-metadata.json",
};

/** App registrations in memory; a server's first registration is not replaced. */
export function memoryRegistrations(): AppRegistrations {
  const registrations = new Map<string, Parameters<AppRegistrations["keep"]>[1]>();
  return {
    find: (server) => Promise.resolve(registrations.get(server) ?? null),
    keep: (server, registration) => {
      registrations.set(server, registrations.get(server) ?? registration);
      return Promise.resolve(registrations.get(server) ?? registration);
    },
    forget: (server) => {
      registrations.delete(server);
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

/** Starts a browser login. */
export async function startLogin(
  connect: Connector,
  client: PlatformClient,
  app: AppCredentials,
  request: Partial<StartRequest> = {},
): Promise<StartedLogin> {
  const started = await oauthMethod(connect).start(client, app, {
    ...CLIENT_IDENTITY,
    state: "s",
    codeVerifier: "v",
    codeChallenge: "c",
    input: {},
    registrations: memoryRegistrations(),
    now: 0,
    ...request,
  });
  return unwrap(started);
}

/** The URL of a browser login that starts without a request to the platform. */
export async function authorizeUrl(
  connect: Connector,
  app: AppCredentials,
  request: Partial<StartRequest> = {},
): Promise<URL> {
  const unreachable: PlatformClient = { fetch: () => Promise.reject(new Error("no call is expected here")) };
  return (await startLogin(connect, unreachable, app, request)).url;
}

export async function exchangeCode(
  connect: Connector,
  client: PlatformClient,
  app: AppCredentials,
  exchange: Pick<CodeExchange, "params" | "now"> & Partial<CodeExchange>,
): Promise<LoginResult> {
  return await oauthMethod(connect).exchangeCode(client, app, {
    ...CLIENT_IDENTITY,
    codeVerifier: "v",
    started: {},
    registrations: memoryRegistrations(),
    ...exchange,
  });
}

/** The token refresh of a platform that has one; throws for others. */
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

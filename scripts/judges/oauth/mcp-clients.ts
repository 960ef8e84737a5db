import { auth as authV2, type OAuthClientProvider as ProviderV2 } from "@modelcontextprotocol/client";
import { auth as authV1, type OAuthClientProvider as ProviderV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { CALLBACK, type ConsentingUser } from "./consenting-user.ts";

export interface ClientState {
  client: unknown;
  tokens: unknown;
  verifier: string;
  authorizationUrl: URL | undefined;
  discovery: unknown;
}

/** The state a client stores between the steps; both versions of the SDK use the same provider interface. */
export function createProvider() {
  const state: ClientState = {
    client: undefined,
    tokens: undefined,
    verifier: "",
    authorizationUrl: undefined,
    discovery: undefined,
  };
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "An MCP client",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
    clientInformation: () => state.client,
    saveClientInformation: (client: unknown) => {
      state.client = client;
    },
    tokens: () => state.tokens,
    saveTokens: (tokens: unknown) => {
      state.tokens = tokens;
    },
    redirectToAuthorization: (url: URL) => {
      state.authorizationUrl = url;
    },
    saveCodeVerifier: (verifier: string) => {
      state.verifier = verifier;
    },
    codeVerifier: () => state.verifier,
    discoveryState: () => state.discovery,
    saveDiscoveryState: (discovery: unknown) => {
      state.discovery = discovery;
    },
  };
  return { state, provider };
}

type Auth = (options: {
  serverUrl: string;
  authorizationCode?: string;
  iss?: string;
  scope?: string;
}) => Promise<string>;

async function runFlow(user: ConsentingUser, state: ClientState, auth: Auth): Promise<void> {
  const unauthorized = await fetch(`${user.baseUrl}/accounts`);
  const scope = /scope="([^"]+)"/.exec(unauthorized.headers.get("www-authenticate") ?? "")?.[1] ?? "";
  const serverUrl = user.baseUrl;
  const first = await auth({ serverUrl, scope });
  if (first !== "REDIRECT" || state.authorizationUrl === undefined) {
    throw new Error(`the first step ended with ${first}`);
  }
  const { searchParams } = await user.allow(state.authorizationUrl);
  const iss = searchParams.get("iss") ?? "";
  const second = await auth({ serverUrl, authorizationCode: searchParams.get("code") ?? "", iss });
  const { access_token: accessToken, refresh_token: refreshToken } = state.tokens as Record<string, string>;
  if (second !== "AUTHORIZED" || accessToken === undefined) {
    throw new Error(`the second step ended with ${second}`);
  }
  await user.expectApi(accessToken, 200);
  if ((await auth({ serverUrl })) !== "AUTHORIZED") {
    throw new Error("the refresh did not end authorized");
  }
  const next = state.tokens as Record<string, string>;
  if (next["refresh_token"] === refreshToken) {
    throw new Error("the refresh token was not rotated");
  }
  await user.expectApi(next["access_token"] ?? "", 200);
}

export async function mcpV1(user: ConsentingUser): Promise<void> {
  const { state, provider } = createProvider();
  await runFlow(user, state, ({ iss: _iss, ...options }) => authV1(provider as unknown as ProviderV1, options));
}

export async function mcpV2(user: ConsentingUser): Promise<void> {
  const { state, provider } = createProvider();
  await runFlow(user, state, (options) => authV2(provider as unknown as ProviderV2, options));
}

import { auth as authV2, type OAuthClientProvider as ProviderV2 } from "@modelcontextprotocol/client";
import { auth as authV1, type OAuthClientProvider as ProviderV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { CALLBACK, type ConsentingUser } from "./consenting-user.ts";

interface Kept {
  client: unknown;
  tokens: unknown;
  verifier: string;
  address: URL | undefined;
  discovery: unknown;
}

/** What an agent keeps between the steps; both generations of the SDK ask for the same things. */
function keeper() {
  const kept: Kept = { client: undefined, tokens: undefined, verifier: "", address: undefined, discovery: undefined };
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "An MCP client",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (address: URL) => {
      kept.address = address;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state: unknown) => {
      kept.discovery = state;
    },
  };
  return { kept, provider };
}

type Auth = (options: {
  serverUrl: string;
  authorizationCode?: string;
  iss?: string;
  scope?: string;
}) => Promise<string>;

async function walk(user: ConsentingUser, kept: Kept, auth: Auth): Promise<void> {
  const unauthorized = await fetch(`${user.baseUrl}/accounts`);
  const scope = /scope="([^"]+)"/.exec(unauthorized.headers.get("www-authenticate") ?? "")?.[1] ?? "";
  const serverUrl = user.baseUrl;
  const first = await auth({ serverUrl, scope });
  if (first !== "REDIRECT" || kept.address === undefined) {
    throw new Error(`the first step ended with ${first}`);
  }
  const { searchParams } = await user.allow(kept.address);
  const iss = searchParams.get("iss") ?? "";
  const second = await auth({ serverUrl, authorizationCode: searchParams.get("code") ?? "", iss });
  const { access_token: accessToken, refresh_token: refreshToken } = kept.tokens as Record<string, string>;
  if (second !== "AUTHORIZED" || accessToken === undefined) {
    throw new Error(`the second step ended with ${second}`);
  }
  await user.expectApi(accessToken, 200);
  if ((await auth({ serverUrl })) !== "AUTHORIZED") {
    throw new Error("the refresh did not end authorized");
  }
  const next = kept.tokens as Record<string, string>;
  if (next["refresh_token"] === refreshToken) {
    throw new Error("the refresh token was not rotated");
  }
  await user.expectApi(next["access_token"] ?? "", 200);
}

export async function mcpV1(user: ConsentingUser): Promise<void> {
  const { kept, provider } = keeper();
  await walk(user, kept, ({ iss: _iss, ...options }) => authV1(provider as unknown as ProviderV1, options));
}

export async function mcpV2(user: ConsentingUser): Promise<void> {
  const { kept, provider } = keeper();
  await walk(user, kept, (options) => authV2(provider as unknown as ProviderV2, options));
}

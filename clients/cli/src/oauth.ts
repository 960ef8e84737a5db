import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import {
  allowInsecureRequests,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  type Client,
  discoveryRequest,
  dynamicClientRegistrationRequest,
  generateRandomCodeVerifier,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processDynamicClientRegistrationResponse,
  processRefreshTokenResponse,
  processResourceDiscoveryResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  resourceDiscoveryRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from "oauth4webapi";
import { CommandError } from "./exit-codes.ts";
import { isLoopbackUrl } from "./server-address.ts";

/** What a login leaves behind. */
export interface OAuthCredential {
  readonly kind: "oauth";
  readonly baseUrl: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: string;
  readonly scopes: readonly string[];
}

export const ALL_SCOPES = [
  "accounts:read",
  "accounts:write",
  "posts:read",
  "posts:write",
  "workspaces:read",
  "workspaces:write",
];

const CALLBACK_PATH = "/callback";
/** Any port of this address may be used with it (RFC 8252, 7.3). */
const REGISTERED_REDIRECT_URI = `http://127.0.0.1${CALLBACK_PATH}`;
const LOGIN_TIMEOUT_MS = 10 * 60_000;
const CLIENT_AUTH = None();

/** Plain http only where the service itself is on this computer. */
const requestOptions = (url: URL) => ({ [allowInsecureRequests]: isLoopbackUrl(url) });

async function discover(issuer: URL): Promise<AuthorizationServer> {
  const response = await discoveryRequest(issuer, { algorithm: "oauth2", ...requestOptions(issuer) });
  return await processDiscoveryResponse(issuer, response);
}

async function findIssuer(baseUrl: URL): Promise<URL> {
  const response = await resourceDiscoveryRequest(baseUrl, requestOptions(baseUrl));
  const { authorization_servers: [issuer] = [] } = await processResourceDiscoveryResponse(baseUrl, response);
  if (issuer === undefined) {
    throw new CommandError(
      "failed",
      "no_browser_login",
      "this service offers no login by browser: use `almanac login --key`",
    );
  }
  return new URL(issuer);
}

const PAGE = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Almanac</title><p>${text}</p></html>`;

/** Waits on this computer for the browser to come back; answers nothing but that one address. */
class CallbackServer {
  readonly #server: Server;
  readonly answered: Promise<URL>;

  constructor(state: string, signal: AbortSignal) {
    let resolve: (url: URL) => void = () => {};
    let reject: (error: Error) => void = () => {};
    this.answered = new Promise<URL>((whenAnswered, whenFailed) => {
      resolve = whenAnswered;
      reject = whenFailed;
    });
    // Whoever awaits it is told; until then a failure must not end the process.
    this.answered.catch(() => null);
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", REGISTERED_REDIRECT_URI);
      const isCallback =
        request.method === "GET" && url.pathname === CALLBACK_PATH && url.searchParams.get("state") === state;
      const isAllowed = isCallback && url.searchParams.has("code");
      const text = isAllowed
        ? "You are signed in. Go back to the terminal; this window can be closed."
        : isCallback
          ? "Access was not given. Go back to the terminal; this window can be closed."
          : "This is not the login that the terminal waits for.";
      response.writeHead(isCallback ? 200 : 400, {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'",
        "referrer-policy": "no-referrer",
        connection: "close",
      });
      response.end(PAGE(text), () => isCallback && resolve(url));
    });
    this.#server.on("error", reject);
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${CALLBACK_PATH}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function registerClient(server: AuthorizationServer, scopes: readonly string[]): Promise<Client> {
  const issuer = new URL(server.issuer);
  const response = await dynamicClientRegistrationRequest(
    server,
    {
      client_name: `Almanac command line on ${hostname()}`,
      redirect_uris: [REGISTERED_REDIRECT_URI],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: scopes.join(" "),
    },
    requestOptions(issuer),
  );
  const client = await processDynamicClientRegistrationResponse(response);
  return { client_id: client.client_id };
}

function toCredential(
  { baseUrl, issuer, clientId, scopes }: Pick<OAuthCredential, "baseUrl" | "issuer" | "clientId" | "scopes">,
  tokens: TokenEndpointResponse,
  refreshToken: string,
): OAuthCredential {
  return {
    kind: "oauth",
    baseUrl,
    issuer,
    clientId,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? refreshToken,
    expiresAt: new Date(Date.now() + (tokens.expires_in ?? 3600) * 1000).toISOString(),
    scopes: tokens.scope?.split(" ") ?? scopes,
  };
}

/**
 * Signs in through the browser: authorization code with PKCE and a loopback redirect. The client is registered anew, because the
 * service forgets clients that nobody uses.
 */
export async function loginWithBrowser(
  baseUrl: string,
  {
    scopes,
    show,
    signal,
  }: {
    readonly scopes: readonly string[];
    readonly show: (authorizationUrl: string) => Promise<void>;
    readonly signal: AbortSignal;
  },
): Promise<OAuthCredential> {
  const resource = new URL(baseUrl);
  const server = await discover(await findIssuer(resource));
  const client = await registerClient(server, scopes);
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const callback = new CallbackServer(state, AbortSignal.any([signal, AbortSignal.timeout(LOGIN_TIMEOUT_MS)]));
  try {
    const redirectUri = await callback.listen();
    const url = new URL(server.authorization_endpoint ?? "");
    for (const [name, value] of Object.entries({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirectUri,
      scope: scopes.join(" "),
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: baseUrl,
    })) {
      url.searchParams.set(name, value);
    }
    await show(url.href);
    const answer = await callback.answered;
    if (answer.searchParams.get("error") === "access_denied") {
      throw new CommandError("notConfirmed", "access_denied", "access was not given: nothing was stored");
    }
    const parameters = validateAuthResponse(server, client, answer, state);
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      CLIENT_AUTH,
      parameters,
      redirectUri,
      verifier,
      {
        ...requestOptions(resource),
        additionalParameters: { resource: baseUrl },
      },
    );
    const tokens = await processAuthorizationCodeResponse(server, client, response);
    return toCredential({ baseUrl, issuer: server.issuer, clientId: client.client_id, scopes }, tokens, "");
  } finally {
    callback.close();
  }
}

/** A new pair of tokens; null when the user or a sign-out has ended the access. */
export async function refreshCredential(credential: OAuthCredential): Promise<OAuthCredential | null> {
  const issuer = new URL(credential.issuer);
  const server = await discover(issuer);
  const client: Client = { client_id: credential.clientId };
  const response = await refreshTokenGrantRequest(
    server,
    client,
    CLIENT_AUTH,
    credential.refreshToken,
    requestOptions(issuer),
  );
  if (response.status === 400 || response.status === 401) {
    await response.body?.cancel();
    return null;
  }
  return toCredential(credential, await processRefreshTokenResponse(server, client, response), credential.refreshToken);
}

/** Ends the access at the service. */
export async function revokeCredential({ issuer: address, clientId, refreshToken }: OAuthCredential): Promise<void> {
  const issuer = new URL(address);
  const server = await discover(issuer);
  const response = await revocationRequest(
    server,
    { client_id: clientId },
    CLIENT_AUTH,
    refreshToken,
    requestOptions(issuer),
  );
  await processRevocationResponse(response);
}

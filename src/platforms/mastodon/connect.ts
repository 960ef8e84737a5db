import { z } from "@hono/zod-openapi";
import type {
  ConnectCalls,
  CodeExchange,
  Fault,
  FaultCode,
  LoginResult,
  PlatformClient,
  PostableAccount,
  Result,
  StartedLogin,
  StartRequest,
  AppCredentials,
  AppRegistrations,
} from "#platforms/contract.ts";
import { failed, reconnect, rejected, succeeded, temporary, rateLimited } from "#platforms/fault.ts";
import { authorizationCode, catchConnectionErrors, requestTokens, appMisconfigured } from "#platforms/oauth-token.ts";
import { postForm, withQuery, postJson } from "#platforms/request-encoding.ts";
import { isOk, parseBody, type PlatformResponse, readBody } from "#platforms/response.ts";
import { discoverInstance, readInstance } from "./account.ts";
import { Profile, RegisteredApp } from "./answers.ts";
import {
  type LoginExtra,
  type Server,
  callServer,
  loginServer,
  parseExtra,
  serverHeaders,
  serverUrl,
  toAccountId,
} from "./api.ts";
import { toFault } from "./errors.ts";
import { parseServer } from "./hosts.ts";

const MAX_CLIENT_NAME = 60;

async function start(
  client: PlatformClient,
  app: AppCredentials,
  request: StartRequest,
): Promise<Result<StartedLogin, FaultCode>> {
  const typed = parseServer(request.input["server"] ?? "");
  if (!typed) {
    return failed(refusedServer("Enter the name of a Mastodon server, for example mastodon.social."));
  }
  const instance = await discoverInstance(client, typed);
  if (!instance.ok) {
    return instance;
  }
  const { host, isMastodon, hasProfileScope } = instance.value;
  if (!isMastodon && app.settings["ALLOW_OTHERS"] !== "true") {
    return failed(
      refusedServer(`${host} does not run Mastodon 4 or later. This service can connect Mastodon servers only.`),
    );
  }
  const clientName = (app.settings["CLIENT_NAME"] ?? "Almanac").slice(0, MAX_CLIENT_NAME);
  const server: Server = { host, token: null };
  const redirectUri = request.redirectUriOf(host);
  const registered = await obtainRegistration(client, server, request.registrations, {
    clientName,
    redirectUri,
    website: request.origin,
    hasProfileScope,
  });
  if (!registered.ok) {
    return registered;
  }
  const extra: LoginExtra = {
    server: host,
    clientId: registered.value.clientId,
    clientSecret: registered.value.clientSecret,
    clientName: registered.value.clientName,
  };
  const url = withQuery(serverUrl(server, "/oauth/authorize"), {
    response_type: "code",
    client_id: extra.clientId,
    redirect_uri: redirectUri,
    scope: registered.value.scopes.join(" "),
    state: request.state,
    code_challenge: request.codeChallenge,
    code_challenge_method: "S256",
    // Without `force_login`, the server sends a person who connected before straight back, as the account that is
    // logged in there.
    force_login: true,
  });
  return succeeded({ url, state: extra });
}

function refusedServer(message: string): Fault<FaultCode> {
  return rejected(message, { httpStatus: null }, { code: "login_refused", category: "auth" });
}

async function exchangeCode(
  client: PlatformClient,
  _app: AppCredentials,
  exchange: CodeExchange,
): Promise<LoginResult> {
  const extra = parseExtra(exchange.started);
  if (!extra) {
    return failed(refusedServer("The login does not name its server. Start it again."));
  }
  const server: Server = { host: extra.server, token: null };
  const { iss } = exchange.params;
  // mutant: any-issuer
  if (iss !== undefined && !isIssuer(server, iss)) {
    return failed(refusedServer("The login came back from another server than it was sent to."));
  }
  const code = authorizationCode(exchange.params);
  if (!code.ok) {
    return code;
  }
  const tokens = await requestTokens(client, {
    url: serverUrl(server, "/oauth/token").href,
    headers: serverHeaders(server),
    fields: {
      grant_type: "authorization_code",
      code: code.value,
      client_id: extra.clientId,
      client_secret: extra.clientSecret,
      redirect_uri: exchange.redirectUriOf(extra.server),
      code_verifier: exchange.codeVerifier,
    },
  });
  if (!tokens.ok) {
    return failed(await loginFault(tokens.fault, server, exchange));
  }
  const { accessToken, scopes } = tokens.value;
  const profile = await readProfile(client, { ...server, token: accessToken });
  if (!profile.ok) {
    return profile;
  }
  const { id, display_name: displayName, username } = profile.value;
  return succeeded({
    externalId: toAccountId(id, server.host),
    displayName: displayName || username,
    tokens: {
      accessToken,
      // Mastodon's tokens last until somebody revokes them, so there is no refresh token.
      refreshToken: null,
      expiresAt: null,
      refreshExpiresAt: null,
      scopes: scopes ?? [],
      hosts: [server.host],
      extra,
    },
  });
}

/**
 * Whether `iss` of a callback (RFC 9207) is this server. Doorkeeper sends its setting `issuer` (doorkeeper#1849);
 * Mastodon's metadata writes it with a final slash.
 */
function isIssuer(server: Server, iss: string): boolean {
  const { origin } = serverUrl(server, "/");
  return iss === origin || iss === `${origin}/`;
}

/**
 * The fault of a failed login. It forgets an app that the server no longer knows, so that the next login registers a
 * new one.
 */
async function loginFault(fault: Fault, server: Server, exchange: CodeExchange): Promise<Fault<FaultCode>> {
  if (fault.platformCode !== "invalid_client") {
    return fault;
  }
  await exchange.registrations.forget(server.host);
  return rejected(
    `${server.host} no longer knew this service. Start the login again.`,
    { httpStatus: fault.httpStatus, platformCode: fault.platformCode },
    { code: "login_refused", category: "auth" },
  );
}

async function readProfile(client: PlatformClient, server: Server): Promise<Result<Profile>> {
  return await catchConnectionErrors(async () => {
    const response = await callServer(client, server, "/api/v1/accounts/verify_credentials");
    const missing = "The server did not return the profile of the account that logged in.";
    return readBody(Profile, response, missing, (refusal) => toFault(refusal, null));
  });
}

export const connect = {
  start,

  exchangeCode,

  listAccounts: async (client, _app, tokens) => {
    const server = loginServer(tokens);
    if (!server) {
      return failed(reconnect("The login does not name its server. Connect the account again.", { httpStatus: null }));
    }
    const profile = await readProfile(client, server);
    if (!profile.ok) {
      return profile;
    }
    const instance = await readInstance(client, server);
    if (!instance.ok) {
      return instance;
    }
    const { id, username, display_name: displayName, avatar, url } = profile.value;
    const account: PostableAccount = {
      platformAccountId: toAccountId(id, server.host),
      username: `${username}@${instance.value.domain}`,
      displayName: displayName || username,
      avatarUrl: httpsOrNull(avatar),
      profileUrl: httpsOrNull(url),
      missingScopes: findMissingScopes(tokens.scopes),
      capabilities: instance.value.capabilities,
      token: null,
    };
    return succeeded({ accounts: [account], unpostable: [] });
  },

  /**
   * Revokes a login, and only if no other login has the same `externalId`: all logins of a person at a server share one
   * token.
   */
  revoke: async (client, _app, tokens) => {
    const server = loginServer(tokens);
    const extra = parseExtra(tokens.extra);
    if (!server || !extra) {
      return;
    }
    const body = { client_id: extra.clientId, client_secret: extra.clientSecret, token: tokens.accessToken };
    await catchConnectionErrors(async () =>
      succeeded(await callServer(client, { ...server, token: null }, "/oauth/revoke", postForm(body))),
    );
  },
} satisfies ConnectCalls;

function httpsOrNull(url: string | null | undefined): string | null {
  return url?.startsWith("https://") ? url : null;
}

/** The app that this service has registered at one server. */
const Registration = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  clientName: z.string(),
  redirectUri: z.string(),
  scopes: z.array(z.string()),
});
type Registration = z.infer<typeof Registration>;

/** The scope for reading who logged in; servers before 4.3 lack it and need another one. */
const PROFILE_SCOPE = "profile";
const OLDER_PROFILE_SCOPE = "read:accounts";
const POSTING_SCOPES = ["read:statuses", "write:statuses", "write:media"] as const;

/** The needed scopes, as lists of which one is enough. The login requests the first one from current servers. */
const NEEDED_SCOPES = [
  [PROFILE_SCOPE, OLDER_PROFILE_SCOPE, "read"],
  ...POSTING_SCOPES.map((scope) => [scope, scope.replace(/:.*/, "")] as const),
] as const;

function findMissingScopes(granted: readonly string[]): readonly string[] {
  return NEEDED_SCOPES.filter((alternatives) => !alternatives.some((scope) => granted.includes(scope))).map(
    ([scope]) => scope,
  );
}

interface AppDescription {
  readonly clientName: string;
  readonly redirectUri: string;
  readonly website: string;
  readonly hasProfileScope: boolean;
}

/** Returns the stored app registration while the server knows it, because servers limit how many apps they register. */
async function obtainRegistration(
  client: PlatformClient,
  server: Server,
  registrations: AppRegistrations,
  app: AppDescription,
): Promise<Result<Registration>> {
  const kept = await registrations.find(server.host);
  const registration = Registration.safeParse(kept).data;
  if (registration && registration.redirectUri === app.redirectUri) {
    const known = await isKnown(client, server, registration);
    if (!known.ok || known.value) {
      return known.ok ? succeeded(registration) : known;
    }
  }
  if (kept) {
    await registrations.forget(server.host);
  }
  const created = await registerApp(client, server, app);
  if (!created.ok) {
    return created;
  }
  // If two people connect the first accounts of a server at the same time, both use the registration that was stored
  // first.
  const first = Registration.parse(await registrations.keep(server.host, created.value));
  if (!app.hasProfileScope) {
    // Request a token for the app, because servers before 4.3 delete an app that has none.
    await isKnown(client, server, first);
  }
  return succeeded(first);
}

/** Whether the server knows the app. If it does not, its login page would show the user an error. */
async function isKnown(client: PlatformClient, server: Server, app: Registration): Promise<Result<boolean>> {
  const answer = await requestTokens(client, {
    url: serverUrl(server, "/oauth/token").href,
    headers: serverHeaders(server),
    fields: {
      grant_type: "client_credentials",
      client_id: app.clientId,
      client_secret: app.clientSecret,
      scope: POSTING_SCOPES[0],
    },
  });
  if (answer.ok) {
    return succeeded(true);
  }
  const { platformCode, httpStatus } = answer.fault;
  if (platformCode === "invalid_client") {
    return succeeded(false);
  }
  const isAnswered = httpStatus !== null && httpStatus < 500 && httpStatus !== 429;
  return isAnswered ? succeeded(true) : failed(answer.fault);
}

async function registerApp(client: PlatformClient, server: Server, app: AppDescription): Promise<Result<Registration>> {
  return await catchConnectionErrors(async () => {
    const profileScope = app.hasProfileScope ? PROFILE_SCOPE : OLDER_PROFILE_SCOPE;
    let scopes: readonly string[] = [profileScope, ...POSTING_SCOPES];
    let response = await requestApp(client, server, app, scopes);
    if (response.status === 422 && profileScope === PROFILE_SCOPE) {
      scopes = [OLDER_PROFILE_SCOPE, ...POSTING_SCOPES];
      response = await requestApp(client, server, app, scopes);
    }
    const registered = isOk(response) ? parseBody(RegisteredApp, response) : undefined;
    if (!registered) {
      return failed(registrationFault(response));
    }
    return succeeded({
      clientId: registered.client_id,
      clientSecret: registered.client_secret,
      clientName: app.clientName,
      redirectUri: app.redirectUri,
      scopes: [...scopes],
    });
  });
}

function requestApp(
  client: PlatformClient,
  server: Server,
  app: AppDescription,
  scopes: readonly string[],
): Promise<PlatformResponse> {
  return callServer(
    client,
    server,
    "/api/v1/apps",
    postJson({
      client_name: app.clientName,
      redirect_uris: app.redirectUri,
      // The scopes must be one text. The server ignores a list and grants only `read`.
      scopes: scopes.join(" "),
      website: app.website,
    }),
  );
}

/**
 * The fault of a refused registration. The user cannot solve it, and another attempt at once would use up the server's
 * limit.
 */
function registrationFault(response: PlatformResponse): Fault {
  if (response.status === 429) {
    return rateLimited("The server accepts no new apps at the moment. Try again in ten minutes.", {
      httpStatus: response.status,
      retryAfterSeconds: toFault(response, null).retryAfterSeconds,
    });
  }
  return response.status >= 500 || isOk(response)
    ? temporary("The server could not register this service as an app.", { httpStatus: response.status })
    : appMisconfigured(response.status, null);
}

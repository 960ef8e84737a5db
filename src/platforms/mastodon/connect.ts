import type {
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
} from "#platforms/contract.ts";
import type { ConnectCalls } from "#platforms/connect-contract.ts";
import { failed, reconnect, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { authorizationCode, catchConnectionErrors, requestTokens } from "#platforms/oauth-token.ts";
import { postForm, withQuery } from "#platforms/request-encoding.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import { Profile } from "./answers.ts";
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
import { discoverInstance, readInstance } from "./instance.ts";
import { findMissingScopes, obtainRegistration } from "./register.ts";

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
  const registered = await obtainRegistration(client, server, request.registrations, {
    clientName,
    redirectUri: request.redirectUri,
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
    redirect_uri: request.redirectUri,
    scope: registered.value.scopes.join(" "),
    state: request.state,
    code_challenge: request.codeChallenge,
    code_challenge_method: "S256",
    // Without it, a person who connected before is sent back at once, as whoever is logged in there.
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
  const code = authorizationCode(exchange.params);
  if (!code.ok) {
    return code;
  }
  const extra = parseExtra(exchange.started);
  if (!extra) {
    return failed(refusedServer("The login does not name its server. Start it again."));
  }
  const server: Server = { host: extra.server, token: null };
  const tokens = await requestTokens(client, {
    url: serverUrl(server, "/oauth/token").href,
    headers: serverHeaders(server),
    fields: {
      grant_type: "authorization_code",
      code: code.value,
      client_id: extra.clientId,
      client_secret: extra.clientSecret,
      redirect_uri: exchange.redirectUri,
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
      // Tokens last until somebody revokes them.
      refreshToken: null,
      expiresAt: null,
      refreshExpiresAt: null,
      scopes: scopes ?? [],
      hosts: [server.host],
      extra,
    },
  });
}

/** A server that forgot the app has issued this code to nobody: the next start registers the app again. */
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
    const profile = isOk(response) ? parseBody(Profile, response) : undefined;
    if (profile) {
      return succeeded(profile);
    }
    return failed(
      isOk(response)
        ? temporary("The server did not return the profile of the account that logged in.", {
            httpStatus: response.status,
          })
        : toFault(response, null),
    );
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
   * Two logins of one person at one server share one token, so this ends both: it is called only when no other login with
   * the same `externalId` is left.
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

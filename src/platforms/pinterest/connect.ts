import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { AppCredentials, Fault, Result, TokenSet, PlatformClient, ConnectCalls } from "#platforms/contract.ts";
import { failed, reconnect, succeeded } from "#platforms/fault.ts";
import { bearerHeader, type RequestFields, postForm, withQuery } from "#platforms/request-encoding.ts";
import {
  basicAuthorization,
  authorizationCode,
  expiresAtFrom,
  catchConnectionErrors,
  appMisconfigured,
  findMissingScopes,
  readTokens,
  type TokenResponse,
  tokenFault,
} from "#platforms/oauth-token.ts";
import { refreshWithToken } from "#platforms/refresh-token.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";
import { ErrorBody, UserAccount } from "./answers.ts";
import { toFault, unexpectedResponse } from "./errors.ts";
import { apiUrl, AUTHORIZE_URL } from "./hosts.ts";

/** Creating a pin requires all four scopes for boards and pins. */
const SCOPES = ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"] as const;
const SECRET_BOARD_SCOPES = [
  "boards:read_secret",
  "boards:write_secret",
  "pins:read_secret",
  "pins:write_secret",
] as const;
const DEFAULT_ACCESS_TOKEN_SECONDS = 2_592_000;
const DEFAULT_REFRESH_TOKEN_SECONDS = 5_184_000;

function requestedScopes(app: AppCredentials): readonly string[] {
  return app.settings["SECRET_BOARDS"] === "1" ? [...SCOPES, ...SECRET_BOARD_SCOPES] : SCOPES;
}

export const connect = {
  ...redirectLogin({
    authorizeUrl(app, request) {
      return withQuery(AUTHORIZE_URL, {
        client_id: app.clientId,
        redirect_uri: request.redirectUri,
        response_type: "code",
        scope: requestedScopes(app).join(","),
        state: request.state,
      });
    },

    async exchangeCode(client, app, exchange) {
      const code = authorizationCode(exchange.params);
      if (!code.ok) {
        return code;
      }
      const exchanged = await requestPinterestTokens(client, app, {
        grant_type: "authorization_code",
        code: code.value,
        redirect_uri: exchange.redirectUri,
        // Without this parameter, older apps get a refresh token with a fixed lifetime.
        continuous_refresh: true,
      });
      if (!exchanged.ok) {
        return exchanged;
      }
      const tokens = toTokenSet(exchanged.value, exchange.now, { refreshToken: null, scopes: requestedScopes(app) });
      const user = await readProfile(client, app, tokens);
      return user.ok ? succeeded({ externalId: user.value.id, displayName: displayName(user.value), tokens }) : user;
    },
  }),

  listAccounts: async (client, app, tokens) => {
    const user = await readProfile(client, app, tokens);
    if (!user.ok) {
      return user;
    }
    const { id, username, profile_image: avatarUrl } = user.value;
    return succeeded({
      accounts: [
        {
          platformAccountId: id,
          username,
          displayName: displayName(user.value),
          avatarUrl: avatarUrl ?? null,
          profileUrl: `https://www.pinterest.com/${encodeURIComponent(username)}/`,
          missingScopes: findMissingScopes(SCOPES, tokens.scopes),
          capabilities: {},
          token: null,
        },
      ],
      unpostable: [],
    });
  },

  refresh: refreshWithToken({ request: requestPinterestTokens, toTokenSet }),
} satisfies ConnectCalls;

/** Each refresh returns a new token pair and invalidates the old one. */
function toTokenSet(
  response: TokenResponse,
  now: number,
  previous: Pick<TokenSet, "refreshToken" | "scopes">,
): TokenSet {
  return {
    accessToken: response.accessToken,
    refreshToken: response.refreshToken ?? previous.refreshToken,
    expiresAt: expiresAtFrom(now, response.expiresInSeconds ?? DEFAULT_ACCESS_TOKEN_SECONDS),
    refreshExpiresAt: expiresAtFrom(now, response.refreshExpiresInSeconds ?? DEFAULT_REFRESH_TOKEN_SECONDS),
    scopes: response.scopes ?? previous.scopes,
  };
}

async function requestPinterestTokens(
  client: PlatformClient,
  app: AppCredentials,
  fields: RequestFields,
): Promise<Result<TokenResponse>> {
  return await catchConnectionErrors(async () => {
    const response = await callPlatform(
      client,
      `${apiUrl(app)}/oauth/token`,
      postForm(fields, basicAuthorization(app)),
    );
    const tokens = isOk(response) ? readTokens(response) : undefined;
    return tokens ? succeeded(tokens) : failed(tokenRequestFault(response));
  });
}

/** The code or refresh token is used, expired or unknown (https://github.com/pinterest/pinterest-python-sdk/issues/114). */
const INVALID_GRANT_CODE = "283";
/** "Authentication failed." from the token endpoint means that the app's id or secret is wrong, not the grant. */
const AUTHENTICATION_FAILED_CODE = "2";

/** Pinterest's token endpoint uses Pinterest's numeric error codes instead of the OAuth ones (RFC 6749). */
function tokenRequestFault(response: PlatformResponse): Fault {
  const errorBody = parseBody(ErrorBody, response);
  const code = errorBody?.code?.toString();
  if (response.status !== 400 && response.status !== 401) {
    return tokenFault(response);
  }
  if (code === INVALID_GRANT_CODE) {
    return reconnect("Pinterest no longer accepts this login. Connect the account again.", {
      httpStatus: response.status,
      platformCode: code,
    });
  }
  // Any other refusal may leave the grant valid, so it does not end the login.
  return code === AUTHENTICATION_FAILED_CODE || /client/i.test(errorBody?.message ?? "")
    ? appMisconfigured(response.status, code ?? null)
    : tokenFault(response);
}

async function readProfile(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<Result<UserAccount>> {
  return await catchConnectionErrors(async () => {
    const response = await callPlatform(client, `${apiUrl(app)}/user_account`, {
      headers: bearerHeader(tokens.accessToken),
    });
    const user = isOk(response) ? parseBody(UserAccount, response) : undefined;
    if (user) {
      return succeeded(user);
    }
    return failed(isOk(response) || response.status < 400 ? unexpectedResponse(response) : toFault(response, null));
  });
}

function displayName(user: UserAccount): string {
  return user.business_name || user.username;
}

import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { AppCredentials, Fault, Result, TokenSet, PlatformClient, ConnectCalls } from "#platforms/contract.ts";
import { codeLogin } from "#platforms/code-login.ts";
import { failed, reconnect, succeeded } from "#platforms/fault.ts";
import { bearerHeader, type RequestFields, postForm, withQuery } from "#platforms/request-encoding.ts";
import {
  basicAuthorization,
  catchConnectionErrors,
  appMisconfigured,
  findMissingScopes,
  readTokens,
  type TokenResponse,
  tokenFault,
} from "#platforms/oauth-token.ts";
import { ErrorBody, UserAccount } from "./answers.ts";
import { toFault, unexpectedResponse } from "./errors.ts";
import { apiUrl, AUTHORIZE_URL } from "./hosts.ts";

/** The scopes that a login requests. Creating a pin requires all four scopes for boards and pins. */
const SCOPES = ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"] as const;
const SECRET_BOARD_SCOPES = [
  "boards:read_secret",
  "boards:write_secret",
  "pins:read_secret",
  "pins:write_secret",
] as const;

function requestedScopes(app: AppCredentials): readonly string[] {
  return app.settings["SECRET_BOARDS"] === "1" ? [...SCOPES, ...SECRET_BOARD_SCOPES] : SCOPES;
}

export const connect = {
  ...codeLogin({
    authorizeUrl: (app, request) =>
      withQuery(AUTHORIZE_URL, {
        client_id: app.clientId,
        redirect_uri: request.redirectUri,
        response_type: "code",
        scope: requestedScopes(app).join(","),
        state: request.state,
      }),
    request: requestPinterestTokens,
    // Without `continuous_refresh`, older apps get a refresh token with a fixed lifetime.
    exchangeFields: () => ({ continuous_refresh: true }),
    accessSeconds: 2_592_000,
    refreshSeconds: 5_184_000,
    scopesOf: requestedScopes,
    async identify(client, app, tokens) {
      const user = await readProfile(client, app, tokens);
      return user.ok ? succeeded({ externalId: user.value.id, displayName: displayName(user.value) }) : user;
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
} satisfies ConnectCalls;

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

/**
 * The error code for a code or refresh token that is used, expired or unknown
 * (https://github.com/pinterest/pinterest-python-sdk/issues/114).
 */
const INVALID_GRANT_CODE = "283";
/**
 * The error code "Authentication failed." of the token endpoint. It means that the app's id or secret is wrong, not the
 * grant.
 */
const AUTHENTICATION_FAILED_CODE = "2";

/**
 * The fault of a token request. The endpoint uses Pinterest's numeric error codes instead of those of OAuth (RFC 6749).
 */
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

import { DAY } from "#core/clock.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { AppCredentials, Connect, Fault, Result, TokenSet, PlatformClient } from "#platforms/contract.ts";
import { failed, reconnect, succeeded } from "#platforms/fault.ts";
import { bearer, type Fields, postForm, withQuery } from "#platforms/form.ts";
import {
  basicAuthorization,
  codeFrom,
  expiry,
  guarded,
  misconfigured,
  missingFrom,
  readTokens,
  type TokenAnswer,
  tokenFault,
} from "#platforms/oauth-token.ts";
import { Trouble, UserAccount } from "./answers.ts";
import { toFault, unexpected } from "./errors.ts";
import { apiOf, AUTHORIZE_URL } from "./hosts.ts";

/** Creating a pin wants all four of boards and pins. */
const SCOPES = ["boards:read", "boards:write", "pins:read", "pins:write", "user_accounts:read"] as const;
const SECRET_SCOPES = ["boards:read_secret", "boards:write_secret", "pins:read_secret", "pins:write_secret"] as const;
const ACCESS_SECONDS = 2_592_000;
const REFRESH_SECONDS = 5_184_000;

function wantedScopes(app: AppCredentials): readonly string[] {
  return app.settings["SECRET_BOARDS"] === "1" ? [...SCOPES, ...SECRET_SCOPES] : SCOPES;
}

export const connect: Connect = {
  authorizeUrl(app, request) {
    return withQuery(AUTHORIZE_URL, {
      client_id: app.clientId,
      redirect_uri: request.redirectUri,
      response_type: "code",
      scope: wantedScopes(app).join(","),
      state: request.state,
    });
  },

  async exchange(client, app, exchange) {
    const code = codeFrom(exchange.params);
    if (!code.ok) {
      return code;
    }
    const answer = await requestTokens(client, app, {
      grant_type: "authorization_code",
      code: code.value,
      redirect_uri: exchange.redirectUri,
      // Older apps get a refresh token of a fixed life without it.
      continuous_refresh: true,
    });
    if (!answer.ok) {
      return answer;
    }
    const tokens = tokenSet(answer.value, exchange.now, { refreshToken: null, scopes: wantedScopes(app) });
    const user = await userOf(client, app, tokens);
    return user.ok ? succeeded({ externalId: user.value.id, displayName: nameOf(user.value), tokens }) : user;
  },

  async accounts(client, app, tokens) {
    const user = await userOf(client, app, tokens);
    if (!user.ok) {
      return user;
    }
    const { id, username, profile_image: picture } = user.value;
    return succeeded({
      accounts: [
        {
          platformAccountId: id,
          username,
          displayName: nameOf(user.value),
          avatarUrl: picture ?? null,
          profileUrl: `https://www.pinterest.com/${encodeURIComponent(username)}/`,
          missingScopes: missingFrom(SCOPES, tokens.scopes),
          capabilities: {},
          token: null,
        },
      ],
      unpostable: [],
    });
  },

  async refresh(client, app, tokens, now) {
    if (tokens.refreshToken === null) {
      return failed(reconnect("This login cannot be renewed. Connect the account again.", { httpStatus: null }));
    }
    const answer = await requestTokens(client, app, {
      grant_type: "refresh_token",
      refresh_token: tokens.refreshToken,
    });
    return answer.ok ? succeeded(tokenSet(answer.value, now, tokens)) : answer;
  },
  canRefresh: (tokens) => tokens.refreshToken !== null,
  refreshAheadMs: 7 * DAY,
};

/** Each refresh answers with a new pair, and the old one is spent. */
function tokenSet(answer: TokenAnswer, now: number, before: Pick<TokenSet, "refreshToken" | "scopes">): TokenSet {
  return {
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken ?? before.refreshToken,
    expiresAt: expiry(now, answer.expiresInSeconds ?? ACCESS_SECONDS),
    refreshExpiresAt: expiry(now, answer.refreshExpiresInSeconds ?? REFRESH_SECONDS),
    scopes: answer.scopes ?? before.scopes,
  };
}

async function requestTokens(
  client: PlatformClient,
  app: AppCredentials,
  fields: Fields,
): Promise<Result<TokenAnswer>> {
  return await guarded(async () => {
    const answer = await call(client, `${apiOf(app)}/oauth/token`, postForm(fields, basicAuthorization(app)));
    const tokens = isOk(answer) ? readTokens(answer) : undefined;
    return tokens ? succeeded(tokens) : failed(grantFault(answer));
  });
}

/** Pinterest numbers its refusals here as everywhere, instead of using the words of OAuth. */
function grantFault(answer: Answer): Fault {
  const trouble = read(Trouble, answer);
  const code = trouble?.code?.toString();
  if (code === undefined || (answer.status !== 400 && answer.status !== 401)) {
    return tokenFault(answer);
  }
  return /client/i.test(trouble?.message ?? "")
    ? misconfigured(answer.status, code)
    : reconnect("Pinterest no longer accepts this login. Connect the account again.", {
        httpStatus: answer.status,
        platformCode: code,
      });
}

async function userOf(client: PlatformClient, app: AppCredentials, tokens: TokenSet): Promise<Result<UserAccount>> {
  return await guarded(async () => {
    const answer = await call(client, `${apiOf(app)}/user_account`, { headers: bearer(tokens.accessToken) });
    const user = isOk(answer) ? read(UserAccount, answer) : undefined;
    if (user) {
      return succeeded(user);
    }
    return failed(isOk(answer) || answer.status < 400 ? unexpected(answer) : toFault(answer, null));
  });
}

function nameOf(user: UserAccount): string {
  return user.business_name || user.username;
}

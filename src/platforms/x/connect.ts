import { call, isOk, read } from "#platforms/answer.ts";
import type {
  AppCredentials,
  Connect,
  PostableAccount,
  Result,
  TokenSet,
  PlatformClient,
} from "#platforms/contract.ts";
import { failed, reconnect, succeeded, temporary } from "#platforms/fault.ts";
import { bearer, postForm, withQuery } from "#platforms/form.ts";
import {
  basicAuthorization,
  codeFrom,
  expiry,
  guarded,
  missingFrom,
  requestTokens,
  type TokenAnswer,
} from "#platforms/oauth-token.ts";
import { type Me, MeAnswer } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API, AUTHORIZE_URL } from "./hosts.ts";

/** Without `offline.access` there is no refresh token, without `media.write` no upload. */
const SCOPES = ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"] as const;
const TOKEN_URL = `${API}/2/oauth2/token`;
const REVOKE_URL = `${API}/2/oauth2/revoke`;
const ME_FIELDS = "id,name,username,profile_image_url,verified,verified_type,subscription_type,protected";

export const connect: Connect = {
  authorizeUrl(app, request) {
    return withQuery(AUTHORIZE_URL, {
      response_type: "code",
      client_id: app.clientId,
      redirect_uri: request.redirectUri,
      scope: SCOPES.join(" "),
      state: request.state,
      code_challenge: request.codeChallenge,
      code_challenge_method: "S256",
    });
  },

  async exchange(client, app, exchange) {
    const code = codeFrom(exchange.params);
    if (!code.ok) {
      return code;
    }
    const tokens = await requestTokens(client, {
      url: TOKEN_URL,
      basic: app,
      fields: {
        grant_type: "authorization_code",
        code: code.value,
        redirect_uri: exchange.redirectUri,
        code_verifier: exchange.codeVerifier,
      },
      deadErrors: DEAD,
    });
    if (!tokens.ok) {
      return tokens;
    }
    const me = await profile(client, tokens.value.accessToken);
    if (!me.ok) {
      return me;
    }
    return succeeded({
      externalId: me.value.id,
      displayName: me.value.name ?? me.value.username,
      tokens: tokenSet(tokens.value, exchange.now, [], null),
    });
  },

  async accounts(client, _app, tokens) {
    const me = await profile(client, tokens.accessToken);
    if (!me.ok) {
      return me;
    }
    const account: PostableAccount = {
      platformAccountId: me.value.id,
      username: me.value.username,
      displayName: me.value.name ?? me.value.username,
      avatarUrl: me.value.profile_image_url?.replace(/_normal(?=\.\w+$)/, "_400x400") ?? null,
      profileUrl: `https://x.com/${me.value.username}`,
      missingScopes: missingFrom(SCOPES, tokens.scopes),
      capabilities: {
        subscriptionType: me.value.subscription_type ?? "None",
        verifiedType: me.value.verified_type ?? "none",
        protected: me.value.protected ?? false,
      },
      token: null,
    };
    return succeeded({ accounts: [account], unpostable: [] });
  },

  async refresh(client, app, tokens, now) {
    if (tokens.refreshToken === null) {
      return failed(reconnect("This login cannot be renewed. Connect the account again.", { httpStatus: null }));
    }
    const answer = await requestTokens(client, {
      url: TOKEN_URL,
      basic: app,
      fields: { grant_type: "refresh_token", refresh_token: tokens.refreshToken },
      deadErrors: DEAD,
    });
    return answer.ok ? succeeded(tokenSet(answer.value, now, tokens.scopes, tokens.refreshToken)) : answer;
  },
  canRefresh: (tokens) => tokens.refreshToken !== null,
  // The token lives two hours; five minutes cover a call that waits behind another one's refresh.
  refreshAheadMs: 5 * 60_000,

  async revoke(client, app, tokens) {
    for (const token of [tokens.refreshToken, tokens.accessToken]) {
      if (token !== null) {
        await revokeOne(client, app, token);
      }
    }
  },
};

/** X answers a spent or unknown token with `invalid_request`. */
const DEAD = ["invalid_request"] as const;

/** The refresh token rotates: the newest one is the only one that works. */
function tokenSet(answer: TokenAnswer, now: number, scopes: readonly string[], refreshToken: string | null): TokenSet {
  return {
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken ?? refreshToken,
    expiresAt: expiry(now, answer.expiresInSeconds ?? 7200),
    refreshExpiresAt: null,
    scopes: answer.scopes ?? scopes,
  };
}

async function profile(client: PlatformClient, token: string): Promise<Result<Me>> {
  return await guarded(async () => {
    const answer = await call(client, withQuery(`${API}/2/users/me`, { "user.fields": ME_FIELDS }), {
      headers: bearer(token),
    });
    const me = isOk(answer) ? read(MeAnswer, answer) : undefined;
    if (me) {
      return succeeded(me.data);
    }
    return failed(
      isOk(answer) ? temporary("X did not tell who logged in.", { httpStatus: answer.status }) : toFault(answer, null),
    );
  });
}

/** Best effort: a token that could not be revoked is erased on our side all the same. */
async function revokeOne(client: PlatformClient, app: AppCredentials, token: string): Promise<void> {
  await guarded(async () => succeeded(await call(client, REVOKE_URL, postForm({ token }, basicAuthorization(app)))));
}

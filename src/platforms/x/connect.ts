import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type {
  AppCredentials,
  PostableAccount,
  Result,
  TokenSet,
  PlatformClient,
  ConnectCalls,
} from "#platforms/contract.ts";
import { failed, succeeded, temporary } from "#platforms/fault.ts";
import { bearerHeader, postForm, withQuery } from "#platforms/request-encoding.ts";
import {
  basicAuthorization,
  authorizationCode,
  expiresAtFrom,
  catchConnectionErrors,
  findMissingScopes,
  requestTokens,
  type TokenResponse,
} from "#platforms/oauth-token.ts";
import { refreshWithToken } from "#platforms/refresh-token.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";
import { type Me, MeResponse } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API_ORIGIN, AUTHORIZE_URL, TOKEN_URL } from "./hosts.ts";

/** `offline.access` is required for a refresh token, `media.write` for uploads. */
const SCOPES = ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"] as const;
const REVOKE_URL = `${API_ORIGIN}/2/oauth2/revoke`;
/** X returns these fields only on request, unlike id, name and username. */
const ME_FIELDS = "profile_image_url,verified_type,subscription_type,protected";

export const connect = {
  ...redirectLogin({
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

    async exchangeCode(client, app, exchange) {
      const code = authorizationCode(exchange.params);
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
        invalidGrantErrors: INVALID_GRANT_ERRORS,
      });
      if (!tokens.ok) {
        return tokens;
      }
      const me = await readProfile(client, tokens.value.accessToken);
      if (!me.ok) {
        return me;
      }
      return succeeded({
        externalId: me.value.id,
        displayName: me.value.name ?? me.value.username,
        tokens: toTokenSet(tokens.value, exchange.now, [], null),
      });
    },
  }),

  listAccounts: async (client, _app, tokens) => {
    const me = await readProfile(client, tokens.accessToken);
    if (!me.ok) {
      return me;
    }
    const account: PostableAccount = {
      platformAccountId: me.value.id,
      username: me.value.username,
      displayName: me.value.name ?? me.value.username,
      avatarUrl: me.value.profile_image_url?.replace(/_normal(?=\.\w+$)/, "_400x400") ?? null,
      profileUrl: `https://x.com/${me.value.username}`,
      missingScopes: findMissingScopes(SCOPES, tokens.scopes),
      capabilities: {
        subscriptionType: me.value.subscription_type ?? "None",
        verifiedType: me.value.verified_type ?? "none",
        protected: me.value.protected ?? false,
      },
      token: null,
    };
    return succeeded({ accounts: [account], unpostable: [] });
  },

  refresh: refreshWithToken({
    request: async (client, app, grant) =>
      await requestTokens(client, {
        url: TOKEN_URL,
        basic: app,
        fields: grant,
        invalidGrantErrors: INVALID_GRANT_ERRORS,
      }),
    toTokenSet: (response, now, previous) => toTokenSet(response, now, previous.scopes, previous.refreshToken),
  }),

  revoke: async (client, app, tokens) => {
    for (const token of [tokens.refreshToken, tokens.accessToken]) {
      if (token !== null) {
        await revokeToken(client, app, token);
      }
    }
  },
} satisfies ConnectCalls;

/** X answers a used or unknown token with `invalid_request`. */
const INVALID_GRANT_ERRORS = ["invalid_request"] as const;

/** X rotates refresh tokens: only the newest one is valid. */
function toTokenSet(
  response: TokenResponse,
  now: number,
  scopes: readonly string[],
  refreshToken: string | null,
): TokenSet {
  return {
    accessToken: response.accessToken,
    refreshToken: response.refreshToken ?? refreshToken,
    expiresAt: expiresAtFrom(now, response.expiresInSeconds ?? 7200),
    refreshExpiresAt: null,
    scopes: response.scopes ?? scopes,
  };
}

async function readProfile(client: PlatformClient, token: string): Promise<Result<Me>> {
  return await catchConnectionErrors(async () => {
    const response = await callPlatform(client, withQuery(`${API_ORIGIN}/2/users/me`, { "user.fields": ME_FIELDS }), {
      headers: bearerHeader(token),
    });
    const me = isOk(response) ? parseBody(MeResponse, response) : undefined;
    if (me) {
      return succeeded(me.data);
    }
    return failed(
      isOk(response)
        ? temporary("X did not return the profile of the account that logged in.", { httpStatus: response.status })
        : toFault(response, null),
    );
  });
}

/** Best effort: the token is deleted here even if X does not revoke it. */
async function revokeToken(client: PlatformClient, app: AppCredentials, token: string): Promise<void> {
  await catchConnectionErrors(async () =>
    succeeded(await callPlatform(client, REVOKE_URL, postForm({ token }, basicAuthorization(app)))),
  );
}

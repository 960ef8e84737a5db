import { callPlatform, readBody } from "#platforms/response.ts";
import type { AppCredentials, PostableAccount, Result, PlatformClient, ConnectCalls } from "#platforms/contract.ts";
import { codeLogin } from "#platforms/code-login.ts";
import { succeeded } from "#platforms/fault.ts";
import { bearerHeader, postForm, withQuery } from "#platforms/request-encoding.ts";
import { basicAuthorization, catchConnectionErrors, findMissingScopes, requestTokens } from "#platforms/oauth-token.ts";
import { type Me, MeResponse } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API_ORIGIN, AUTHORIZE_URL, TOKEN_URL } from "./hosts.ts";

/** The scopes that a login requests. `offline.access` is required for a refresh token, `media.write` for uploads. */
const SCOPES = ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"] as const;
const REVOKE_URL = `${API_ORIGIN}/2/oauth2/revoke`;
/** The fields of the account to request. X returns them only on request, unlike id, name and username. */
const ME_FIELDS = "profile_image_url,verified_type,subscription_type,protected";

export const connect = {
  ...codeLogin({
    authorizeUrl: (app, request) =>
      withQuery(AUTHORIZE_URL, {
        response_type: "code",
        client_id: app.clientId,
        redirect_uri: request.redirectUri,
        scope: SCOPES.join(" "),
        state: request.state,
        code_challenge: request.codeChallenge,
        code_challenge_method: "S256",
      }),
    // X answers `invalid_request` for a used or unknown token, so this means an ended grant.
    request: (client, app, grant) =>
      requestTokens(client, { url: TOKEN_URL, basic: app, fields: grant, invalidGrantErrors: ["invalid_request"] }),
    exchangeFields: ({ codeVerifier }) => ({ code_verifier: codeVerifier }),
    accessSeconds: 7200,
    async identify(client, _app, { accessToken }) {
      const me = await readProfile(client, accessToken);
      return me.ok ? succeeded({ externalId: me.value.id, displayName: me.value.name ?? me.value.username }) : me;
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

  revoke: async (client, app, tokens) => {
    for (const token of [tokens.refreshToken, tokens.accessToken]) {
      if (token !== null) {
        await revokeToken(client, app, token);
      }
    }
  },
} satisfies ConnectCalls;

async function readProfile(client: PlatformClient, token: string): Promise<Result<Me>> {
  return await catchConnectionErrors(async () => {
    const response = await callPlatform(client, withQuery(`${API_ORIGIN}/2/users/me`, { "user.fields": ME_FIELDS }), {
      headers: bearerHeader(token),
    });
    const missing = "X did not return the profile of the account that logged in.";
    const me = readBody(MeResponse, response, missing, (refusal) => toFault(refusal, null));
    return me.ok ? succeeded(me.value.data) : me;
  });
}

/** Revokes a token. A failure is ignored, because the service deletes the token in any case. */
async function revokeToken(client: PlatformClient, app: AppCredentials, token: string): Promise<void> {
  await catchConnectionErrors(async () =>
    succeeded(await callPlatform(client, REVOKE_URL, postForm({ token }, basicAuthorization(app)))),
  );
}

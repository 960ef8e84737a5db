import type { JsonObject } from "#core/json.ts";
import type {
  ConnectCalls,
  AppCredentials,
  PostableAccount,
  Result,
  PlatformClient,
  AccountAccess,
} from "#platforms/contract.ts";
import { withExtraScopes } from "#platforms/extra-scopes.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { graphGet, withUndocumentedProof } from "#platforms/graph-api.ts";
import { loginFault, longLivedTokens, renewGraphToken, requestGraphToken } from "#platforms/graph-login.ts";
import { authorizationCode, catchConnectionErrors, findMissingScopes, readTokens } from "#platforms/oauth-token.ts";
import { readPublishingLimit } from "#platforms/publishing-limit.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";
import { postForm, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, readBody } from "#platforms/response.ts";
import { Me } from "./answers.ts";
import { toFault } from "./errors.ts";
import { WRITE_REPLIES_SCOPE, authorizeUrl, graphOrigin, graphUrl, publishingLimitUrl } from "./hosts.ts";

const BASIC_SCOPE = "threads_basic";
const SCOPES = [BASIC_SCOPE, "threads_content_publish"] as const;
const LIMIT_FIELDS = "quota_usage,config";
const ME_FIELDS = "id,username,name,threads_profile_picture_url";

export const connect = {
  ...redirectLogin({
    authorizeUrl(app, request) {
      return withQuery(authorizeUrl(app), {
        client_id: app.clientId,
        redirect_uri: request.redirectUri,
        scope: withExtraScopes(SCOPES, app).join(","),
        response_type: "code",
        state: request.state,
      });
    },

    async exchangeCode(client, app, exchange) {
      const code = authorizationCode(exchange.params);
      if (!code.ok) {
        return code;
      }
      return await catchConnectionErrors(async () => {
        const shortLivedResponse = await callPlatform(
          client,
          `${graphOrigin(app)}/oauth/access_token`,
          postForm({
            client_id: app.clientId,
            client_secret: app.clientSecret,
            grant_type: "authorization_code",
            redirect_uri: exchange.redirectUri,
            code: code.value,
          }),
        );
        const shortLived = isOk(shortLivedResponse) ? readTokens(shortLivedResponse) : undefined;
        if (!shortLived) {
          return failed(loginFault(shortLivedResponse));
        }
        const longLived = await requestGraphToken(client, `${graphOrigin(app)}/access_token`, {
          grant_type: "th_exchange_token",
          client_secret: app.clientSecret,
          access_token: shortLived.accessToken,
        });
        if (!longLived.ok) {
          return longLived;
        }
        const { accessToken } = longLived.value;
        const me = await readProfile(client, app, accessToken);
        if (!me.ok) {
          return me;
        }
        return succeeded({
          externalId: me.value.id,
          displayName: me.value.name ?? me.value.username,
          tokens: {
            ...longLivedTokens(longLived.value, exchange.now),
            scopes: await readGrantedScopes(client, app, accessToken),
          },
        });
      });
    },
  }),

  listAccounts: async (client, app, tokens) => {
    return await catchConnectionErrors(async () => {
      const me = await readProfile(client, app, tokens.accessToken);
      if (!me.ok) {
        return me;
      }
      const { id, username, name, threads_profile_picture_url: avatarUrl } = me.value;
      const account: PostableAccount = {
        platformAccountId: id,
        username,
        displayName: name ?? username,
        avatarUrl: avatarUrl ?? null,
        profileUrl: `https://www.threads.com/@${username}`,
        missingScopes: findMissingScopes(SCOPES, tokens.scopes),
        capabilities: {},
        token: null,
      };
      return succeeded({ accounts: [account], unpostable: [] });
    });
  },

  refresh: async (client, app, tokens, now) => {
    return await renewGraphToken(client, `${graphOrigin(app)}/refresh_access_token`, "th_refresh_token", tokens, now);
  },
} satisfies ConnectCalls;

async function readProfile(client: PlatformClient, app: AppCredentials, token: string): Promise<Result<Me>> {
  const response = await graphGet(withUndocumentedProof(client, app), `${graphUrl(app)}/me`, token, {
    fields: ME_FIELDS,
  });
  return readBody(Me, response, "Threads did not return the profile of the account that logged in.", toFault);
}

/**
 * Finds out which scopes the user granted. The token response does not name them, and `/debug_token` answers only
 * testers of the app. Reading the publishing limit requires both basic scopes, and reading the limit of replies the
 * scope that writes them. So a refusal shows what the user declined. Without a refusal all scopes count as granted, and
 * a post reports a missing one.
 */
async function readGrantedScopes(
  client: PlatformClient,
  app: AppCredentials,
  token: string,
): Promise<readonly string[]> {
  const requested = withExtraScopes(SCOPES, app);
  const isRefused = async (fields: string) => {
    const url = publishingLimitUrl(app, "me");
    const limit = await readPublishingLimit(withUndocumentedProof(client, app), url, token, toFault, fields);
    return !limit.ok && limit.fault.code === "missing_scope";
  };
  try {
    if (await isRefused(LIMIT_FIELDS)) {
      return [BASIC_SCOPE];
    }
    return requested.includes(WRITE_REPLIES_SCOPE) &&
      (await isRefused(`${LIMIT_FIELDS},reply_quota_usage,reply_config`))
      ? requested.filter((scope) => scope !== WRITE_REPLIES_SCOPE)
      : requested;
  } catch {
    return requested;
  }
}

/** Reads how many posts Threads allows this account. */
export async function fetchCapabilities(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const url = publishingLimitUrl(account.app, account.platformAccountId);
  const limit = await readPublishingLimit(client, url, account.accessToken, toFault);
  return limit.ok ? succeeded({ ...account.capabilities, publishingLimit: limit.value }) : limit;
}

import type { JsonObject } from "#core/json.ts";
import { callPlatform, parseBody } from "#platforms/response.ts";
import type {
  AppCredentials,
  Fault,
  PostableAccount,
  Result,
  TokenSet,
  PlatformClient,
  ConnectCalls,
} from "#platforms/contract.ts";
import { codeLogin } from "#platforms/code-login.ts";
import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { bearerHeader, postForm, withQuery } from "#platforms/request-encoding.ts";
import { catchConnectionErrors, findMissingScopes, requestTokens } from "#platforms/oauth-token.ts";
import { TokenOwner, type User, UserInfo } from "./answers.ts";
import { isSuccess } from "./api.ts";
import { toCapabilities, readCreator, isAccountRefusal } from "./account.ts";
import { toFault } from "./errors.ts";
import {
  API_ORIGIN,
  AUTHORIZE_URL,
  TOKEN_URL,
  DRAFT_SCOPE,
  LEAST_SCOPES,
  LIST_SCOPE,
  PROFILE_SCOPE,
  requestedScopes,
} from "./hosts.ts";

const REVOKE_URL = `${API_ORIGIN}/v2/oauth/revoke/`;
const INVALID_SCOPE = "invalid_scope";
const USER_FIELDS = "open_id,union_id,avatar_url,display_name";

const login = codeLogin({
  authorizeUrl: (app, request) =>
    withQuery(AUTHORIZE_URL, {
      client_key: app.clientId,
      scope: requestedScopes(app.settings).join(","),
      response_type: "code",
      redirect_uri: request.redirectUri,
      state: request.state,
    }),
  request: (client, app, grant) =>
    requestTokens(client, {
      url: TOKEN_URL,
      headers: { "cache-control": "no-cache" },
      fields: { client_key: app.clientId, client_secret: app.clientSecret, ...grant },
    }),
  accessSeconds: 7200,
  async identify(client, _app, tokens, response) {
    const user = await readProfile(client, tokens);
    if (!user.ok) {
      return user;
    }
    const owner = TokenOwner.safeParse(response.json);
    return succeeded({
      externalId: owner.data?.open_id ?? user.value.open_id,
      displayName: user.value.display_name ?? user.value.open_id,
    });
  },
});

export const connect = {
  ...login,

  exchangeCode: async (client, app, exchange) => {
    if (exchange.params["error"] === INVALID_SCOPE) {
      return failed(scopesRefused(app, exchange.params["error_description"] ?? ""));
    }
    const result = await login.exchangeCode(client, app, exchange);
    return !result.ok && result.fault.platformCode === INVALID_SCOPE ? failed(scopesRefused(app, "")) : result;
  },

  listAccounts: async (client, _app, tokens) => {
    const user = await readProfile(client, tokens);
    if (!user.ok) {
      return user;
    }
    const missingScopes = findMissingScopes(LEAST_SCOPES, tokens.scopes);
    const capabilities =
      missingScopes.length === 0 ? await readCapabilities(client, tokens) : succeeded<JsonObject | null>({});
    if (!capabilities.ok) {
      return capabilities;
    }
    const account = toPostableAccount(user.value, tokens, capabilities.value ?? {}, missingScopes);
    return succeeded({
      accounts: [capabilities.value === null ? { ...account, isPartial: true } : account],
      unpostable: [],
    });
  },

  revoke: async (client, app, tokens) => {
    const fields = { client_key: app.clientId, client_secret: app.clientSecret, token: tokens.accessToken };
    await catchConnectionErrors(async () =>
      succeeded(await callPlatform(client, REVOKE_URL, postForm(fields, { "cache-control": "no-cache" }))),
    );
  },
} satisfies ConnectCalls;

/**
 * The fault of refused scopes. It names the scopes that TikTok's text mentions, or all requested ones, because TikTok
 * often does not say which.
 */
function scopesRefused(app: AppCredentials, description: string): Fault {
  const requested = requestedScopes(app.settings);
  const named = requested.filter((scope) => description.includes(scope));
  const scopes = (named.length > 0 ? named : requested).join(", ");
  return rejected(
    `TikTok has not approved this service's app for every scope that it asks for (${scopes}). The operator has them approved at developers.tiktok.com, or takes them out of TIKTOK_SCOPES.`,
    { httpStatus: null, platformCode: INVALID_SCOPE },
    { code: "app_misconfigured", category: "permission", whoMustAct: "operator" },
  );
}

async function readProfile(
  client: PlatformClient,
  { accessToken, scopes }: Pick<TokenSet, "accessToken" | "scopes">,
): Promise<Result<User>> {
  // TikTok refuses the whole call if the login lacks the scope of one field, so request only allowed fields.
  const fields = scopes.includes(PROFILE_SCOPE) ? `${USER_FIELDS},username` : USER_FIELDS;
  return await catchConnectionErrors(async () => {
    const response = await callPlatform(client, withQuery(`${API_ORIGIN}/v2/user/info/`, { fields }), {
      headers: bearerHeader(accessToken),
    });
    const info = isSuccess(response) ? parseBody(UserInfo, response) : undefined;
    if (info) {
      return succeeded(info.data.user);
    }
    return failed(
      isSuccess(response)
        ? temporary("TikTok did not return the profile of the account that logged in.", { httpStatus: response.status })
        : toFault(response),
    );
  });
}

/**
 * Reads what the account may do. An account that cannot post at the moment is still listed, with the reason. Null if
 * TikTok is too busy to answer (20 calls a minute,
 * https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info); every preview asks again.
 */
async function readCapabilities(client: PlatformClient, tokens: TokenSet): Promise<Result<JsonObject | null>> {
  const creator = await catchConnectionErrors(() => readCreator(client, tokens.accessToken));
  if (creator.ok) {
    return succeeded(toCapabilities(creator.value));
  }
  const { kind } = creator.fault;
  if (!isAccountRefusal(creator.fault) && (kind === "rate_limited" || kind === "temporary")) {
    return succeeded(null);
  }
  return isAccountRefusal(creator.fault) ? succeeded<JsonObject>({ refusal: creator.fault.message }) : creator;
}

function toPostableAccount(
  user: User,
  tokens: TokenSet,
  capabilities: JsonObject,
  missingScopes: readonly string[],
): PostableAccount {
  const displayName = user.display_name ?? user.open_id;
  const handle = capabilities["creatorUsername"] ?? user.username ?? null;
  const known: JsonObject = handle === null ? capabilities : { ...capabilities, creatorUsername: handle };
  return {
    platformAccountId: user.open_id,
    username: typeof handle === "string" ? handle : displayName,
    displayName,
    avatarUrl: user.avatar_url ?? null,
    profileUrl: profileUrl(known),
    missingScopes,
    capabilities: {
      ...known,
      mayDraft: tokens.scopes.includes(DRAFT_SCOPE),
      mayList: tokens.scopes.includes(LIST_SCOPE),
    },
    token: null,
  };
}

/** The address of an account's profile. Null if TikTok did not return the user name that it contains. */
export function profileUrl(capabilities: JsonObject): string | null {
  const handle = capabilities["creatorUsername"];
  return typeof handle === "string" && handle !== "" ? `https://www.tiktok.com/@${encodeURIComponent(handle)}` : null;
}

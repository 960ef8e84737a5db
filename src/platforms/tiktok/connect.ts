import type { JsonObject } from "#core/json.ts";
import { MINUTE } from "#core/clock.ts";
import { call, read } from "#platforms/answer.ts";
import type {
  AppCredentials,
  Connect,
  PostableAccount,
  Result,
  TokenSet,
  PlatformClient,
} from "#platforms/contract.ts";
import { failed, reconnect, succeeded, temporary } from "#platforms/fault.ts";
import { bearer, type Fields, postForm, withQuery } from "#platforms/form.ts";
import { codeFrom, expiry, guarded, missingFrom, requestTokens, type TokenAnswer } from "#platforms/oauth-token.ts";
import { Owner, type User, UserInfo } from "./answers.ts";
import { isGranted } from "./api.ts";
import { capabilitiesOf, creatorOf, isRefusal } from "./creator.ts";
import { toFault } from "./errors.ts";
import { API, AUTHORIZE_URL } from "./hosts.ts";

/** In order: name and picture, posting, drafts, finding a post again. */
const SCOPES = ["user.info.basic", "video.publish", "video.upload", "video.list"] as const;
const NEEDED = ["user.info.basic", "video.publish"] as const;
const DRAFT_SCOPE = "video.upload";
const TOKEN_URL = `${API}/v2/oauth/token/`;
const REVOKE_URL = `${API}/v2/oauth/revoke/`;
const USER_FIELDS = "open_id,union_id,avatar_url,display_name";

export const connect: Connect = {
  authorizeUrl(app, request) {
    return withQuery(AUTHORIZE_URL, {
      client_key: app.clientId,
      scope: SCOPES.join(","),
      response_type: "code",
      redirect_uri: request.redirectUri,
      state: request.state,
    });
  },

  async exchange(client, app, exchange) {
    const code = codeFrom(exchange.params);
    if (!code.ok) {
      return code;
    }
    const tokens = await tokensFor(client, app, {
      code: code.value,
      grant_type: "authorization_code",
      redirect_uri: exchange.redirectUri,
    });
    if (!tokens.ok) {
      return tokens;
    }
    const set = tokenSet(tokens.value, exchange.now, { refreshToken: null, refreshExpiresAt: null, scopes: [] });
    const user = await profile(client, set.accessToken);
    if (!user.ok) {
      return user;
    }
    const owner = Owner.safeParse(tokens.value.json);
    return succeeded({
      externalId: owner.data?.open_id ?? user.value.open_id,
      displayName: user.value.display_name ?? user.value.open_id,
      tokens: set,
    });
  },

  async accounts(client, _app, tokens) {
    const user = await profile(client, tokens.accessToken);
    if (!user.ok) {
      return user;
    }
    const missingScopes = missingFrom(NEEDED, tokens.scopes);
    const capabilities =
      missingScopes.length === 0 ? await creatorCapabilities(client, tokens) : succeeded<JsonObject>({});
    return capabilities.ok
      ? succeeded({ accounts: [accountOf(user.value, tokens, capabilities.value, missingScopes)], unpostable: [] })
      : capabilities;
  },

  async refresh(client, app, tokens, now) {
    if (tokens.refreshToken === null) {
      return failed(reconnect("This login cannot be renewed. Connect the account again.", { httpStatus: null }));
    }
    const answer = await tokensFor(client, app, { grant_type: "refresh_token", refresh_token: tokens.refreshToken });
    return answer.ok ? succeeded(tokenSet(answer.value, now, tokens)) : answer;
  },
  canRefresh: (tokens) => tokens.refreshToken !== null,
  refreshAheadMs: 10 * MINUTE,

  async revoke(client, app, tokens) {
    const fields = { client_key: app.clientId, client_secret: app.clientSecret, token: tokens.accessToken };
    await guarded(async () =>
      succeeded(await call(client, REVOKE_URL, postForm(fields, { "cache-control": "no-cache" }))),
    );
  },
};

async function tokensFor(client: PlatformClient, app: AppCredentials, fields: Fields): Promise<Result<TokenAnswer>> {
  return await requestTokens(client, {
    url: TOKEN_URL,
    headers: { "cache-control": "no-cache" },
    fields: { client_key: app.clientId, client_secret: app.clientSecret, ...fields },
  });
}

/** Every refresh gives a new refresh token and kills the old one; lifetimes are believed as told, they have changed. */
function tokenSet(
  answer: TokenAnswer,
  now: number,
  before: Pick<TokenSet, "refreshToken" | "refreshExpiresAt" | "scopes">,
): TokenSet {
  return {
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken ?? before.refreshToken,
    expiresAt: expiry(now, answer.expiresInSeconds ?? 7200),
    refreshExpiresAt: expiry(now, answer.refreshExpiresInSeconds) ?? before.refreshExpiresAt,
    scopes: answer.scopes ?? before.scopes,
  };
}

async function profile(client: PlatformClient, token: string): Promise<Result<User>> {
  return await guarded(async () => {
    const answer = await call(client, withQuery(`${API}/v2/user/info/`, { fields: USER_FIELDS }), {
      headers: bearer(token),
    });
    const info = isGranted(answer) ? read(UserInfo, answer) : undefined;
    if (info) {
      return succeeded(info.data.user);
    }
    return failed(
      isGranted(answer)
        ? temporary("TikTok did not tell who logged in.", { httpStatus: answer.status })
        : toFault(answer),
    );
  });
}

/** An account that may not post just now is still an account. */
async function creatorCapabilities(client: PlatformClient, tokens: TokenSet): Promise<Result<JsonObject>> {
  const creator = await guarded(() => creatorOf(client, tokens.accessToken));
  if (creator.ok) {
    return succeeded(capabilitiesOf(creator.value));
  }
  return isRefusal(creator.fault) ? succeeded<JsonObject>({ refusal: creator.fault.message }) : creator;
}

function accountOf(
  user: User,
  tokens: TokenSet,
  capabilities: JsonObject,
  missingScopes: readonly string[],
): PostableAccount {
  const displayName = user.display_name ?? user.open_id;
  const handle = capabilities["creatorUsername"];
  return {
    platformAccountId: user.open_id,
    username: typeof handle === "string" ? handle : displayName,
    displayName,
    avatarUrl: user.avatar_url ?? null,
    profileUrl: profileUrl(capabilities),
    missingScopes,
    capabilities: { ...capabilities, mayDraft: tokens.scopes.includes(DRAFT_SCOPE) },
    token: null,
  };
}

/** Null where the platform did not tell the name that stands in addresses. */
export function profileUrl(capabilities: JsonObject): string | null {
  const handle = capabilities["creatorUsername"];
  return typeof handle === "string" && handle !== "" ? `https://www.tiktok.com/@${encodeURIComponent(handle)}` : null;
}

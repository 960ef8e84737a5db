import type { JsonObject } from "#core/json.ts";
import type {
  ConnectCalls,
  AppCredentials,
  CodeExchange,
  PostableAccount,
  Result,
  TokenSet,
  UnpostableAccount,
  PlatformClient,
  LoginResult,
  AccountAccess,
} from "#platforms/contract.ts";
import { withExtraScopes } from "#platforms/extra-scopes.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { graphGet, withUndocumentedProof } from "#platforms/graph-api.ts";
import {
  dialogScopes,
  dialogUrl,
  exchangeDialogCode,
  hasPostingTask,
  longLivedTokens,
  listPages,
  refreshDialogLogin,
  renewGraphToken,
  revokeDialogLogin,
  requestGraphToken,
} from "#platforms/graph-login.ts";
import { authorizationCode, catchConnectionErrors, findMissingScopes, splitScopes } from "#platforms/oauth-token.ts";
import { readPublishingLimit } from "#platforms/publishing-limit.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";
import { postForm, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody, readBody } from "#platforms/response.ts";
import { Followers, type Me, MeResponse, Page, ShortTokenResponse } from "./answers.ts";
import { toFault, tokenHostFault } from "./errors.ts";
import {
  AUTHORIZE_URL,
  directGraphUrl,
  DIRECT_GRAPH_ORIGIN,
  pageLoginDialog,
  TOKEN_URL,
  loginVariant,
  publishingLimitUrl,
} from "./hosts.ts";

const SCOPES = ["instagram_business_basic", "instagram_business_content_publish"] as const;
const PAGE_SCOPES = [
  "instagram_basic",
  "instagram_content_publish",
  "pages_show_list",
  "pages_read_engagement",
] as const;
const PAGE_FIELDS =
  "id,name,access_token,instagram_business_account{id,username,name,profile_picture_url,followers_count}";
const ME_FIELDS = "id,user_id,username,name,account_type,profile_picture_url";

const dialogOf = (app: AppCredentials) => pageLoginDialog(app, withExtraScopes(dialogScopes(app, PAGE_SCOPES), app));

export const connect = {
  ...redirectLogin({
    authorizeUrl(app, request) {
      if (loginVariant(app) === "page") {
        return dialogUrl(dialogOf(app), app, request);
      }
      return withQuery(AUTHORIZE_URL, {
        client_id: app.clientId,
        redirect_uri: request.redirectUri,
        response_type: "code",
        scope: withExtraScopes(SCOPES, app).join(","),
        state: request.state,
      });
    },

    async exchangeCode(client, app, exchange) {
      return loginVariant(app) === "page"
        ? await exchangeDialogCode(client, dialogOf(app), app, exchange, { login: "page" })
        : await exchangeDirect(client, app, exchange);
    },
  }),

  listAccounts: async (client, app, tokens) => {
    return isPageLogin(tokens)
      ? await listAccountsOfPages(client, app, tokens)
      : await listDirectAccount(client, app, tokens);
  },

  refresh: async (client, app, tokens, now) => {
    if (isPageLogin(tokens)) {
      return await refreshDialogLogin(client, dialogOf(app), app, tokens, now);
    }
    return await renewGraphToken(
      client,
      `${DIRECT_GRAPH_ORIGIN}/refresh_access_token`,
      "ig_refresh_token",
      tokens,
      now,
    );
  },

  /** A direct login has no call to revoke it. Its users remove the app in Instagram's settings. */
  revoke: async (client, app, tokens) => {
    if (isPageLogin(tokens)) {
      await revokeDialogLogin(client, dialogOf(app), app, tokens);
    }
  },
} satisfies ConnectCalls;

/**
 * Whether the tokens come from a login through Pages. The setting does not show this, because the operator may have
 * changed it since.
 */
function isPageLogin(tokens: TokenSet): boolean {
  return tokens.extra?.["login"] === "page";
}

async function exchangeDirect(
  client: PlatformClient,
  app: AppCredentials,
  exchange: CodeExchange,
): Promise<LoginResult> {
  const code = authorizationCode(exchange.params);
  if (!code.ok) {
    return code;
  }
  return await catchConnectionErrors(async () => {
    const shortLivedResponse = await callPlatform(
      client,
      TOKEN_URL,
      postForm({
        client_id: app.clientId,
        client_secret: app.clientSecret,
        grant_type: "authorization_code",
        redirect_uri: exchange.redirectUri,
        code: code.value,
      }),
    );
    const token = isOk(shortLivedResponse) ? parseBody(ShortTokenResponse, shortLivedResponse) : undefined;
    if (!token) {
      return failed(tokenHostFault(shortLivedResponse));
    }
    const longLived = await requestGraphToken(client, `${DIRECT_GRAPH_ORIGIN}/access_token`, {
      grant_type: "ig_exchange_token",
      client_secret: app.clientSecret,
      access_token: token.access_token,
    });
    if (!longLived.ok) {
      return longLived;
    }
    const me = await readProfile(client, app, longLived.value.accessToken);
    if (!me.ok) {
      return me;
    }
    return succeeded({
      // Platforms' signed requests name the user by one of two ids. The service finds logins by this id and by their
      // account's id.
      externalId: me.value.id ?? me.value.user_id,
      displayName: me.value.name ?? me.value.username,
      tokens: {
        ...longLivedTokens(longLived.value, exchange.now),
        scopes: token.permissions?.flatMap(splitScopes) ?? withExtraScopes(SCOPES, app),
        extra: { login: "direct" },
      },
    });
  });
}

async function readProfile(client: PlatformClient, app: AppCredentials, token: string): Promise<Result<Me>> {
  const response = await graphGet(withUndocumentedProof(client, app), `${directGraphUrl(app)}/me`, token, {
    fields: ME_FIELDS,
  });
  return readBody(MeResponse, response, "Instagram did not return the profile of the account that logged in.", toFault);
}

interface AccountLists {
  readonly accounts: readonly PostableAccount[];
  readonly unpostable: readonly UnpostableAccount[];
}

async function listDirectAccount(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<Result<AccountLists>> {
  return await catchConnectionErrors<AccountLists>(async () => {
    const me = await readProfile(client, app, tokens.accessToken);
    if (!me.ok) {
      return me;
    }
    const { user_id: id, username, account_type: type } = me.value;
    if (type?.toUpperCase() === "PERSONAL") {
      const reason =
        "Instagram allows only professional accounts to publish through apps: switch to one in Instagram's settings.";
      return succeeded({ accounts: [], unpostable: [{ platformAccountId: id, displayName: username, reason }] });
    }
    const followersCount = await readFollowersCount(client, app, tokens.accessToken);
    return succeeded({
      accounts: [
        toPostableAccount(
          { id, username, name: me.value.name, profile_picture_url: me.value.profile_picture_url },
          findMissingScopes(SCOPES, tokens.scopes),
          {
            login: "direct",
            ...(type && { accountType: type.toUpperCase() }),
            ...(followersCount !== null && { followersCount }),
          },
          null,
        ),
      ],
      unpostable: [],
    });
  });
}

/** The number of followers, for an early check of trial reels. Null if it cannot be read, which does no harm. */
async function readFollowersCount(client: PlatformClient, app: AppCredentials, token: string): Promise<number | null> {
  try {
    const response = await graphGet(withUndocumentedProof(client, app), `${directGraphUrl(app)}/me`, token, {
      fields: "followers_count",
    });
    return (isOk(response) ? parseBody(Followers, response)?.followers_count : undefined) ?? null;
  } catch {
    return null;
  }
}

async function listAccountsOfPages(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<Result<AccountLists>> {
  const pages = await listPages(client, app, dialogOf(app).graphUrl, tokens, PAGE_FIELDS, Page);
  if (!pages.ok) {
    return pages;
  }
  const accounts: PostableAccount[] = [];
  const unpostable: UnpostableAccount[] = [];
  for (const page of pages.value) {
    const profile = page.instagram_business_account;
    if (!profile) {
      continue;
    }
    if (!page.access_token) {
      const displayName = profile.username ?? profile.name ?? profile.id;
      unpostable.push({
        platformAccountId: profile.id,
        displayName,
        reason: `Your role on the Page ${page.name ?? page.id} does not allow posting.`,
      });
      continue;
    }
    const capabilities = {
      login: "page",
      pageId: page.id,
      // Meta's documents differ on the names of tasks. So the list of tasks alone never refuses an account whose Page
      // has a token.
      ...(hasPostingTask(page.tasks) === false && { maySeeOnly: true }),
      ...(typeof profile.followers_count === "number" && { followersCount: profile.followers_count }),
    };
    accounts.push(
      toPostableAccount(profile, findMissingScopes(PAGE_SCOPES, tokens.scopes), capabilities, page.access_token),
    );
  }
  return succeeded({ accounts, unpostable });
}

function toPostableAccount(
  profile: {
    readonly id: string;
    readonly username?: string | null | undefined;
    readonly name?: string | null | undefined;
    readonly profile_picture_url?: string | null | undefined;
  },
  missingScopes: readonly string[],
  capabilities: JsonObject,
  token: string | null,
): PostableAccount {
  const username = profile.username ?? profile.id;
  return {
    platformAccountId: profile.id,
    username,
    displayName: profile.name ?? username,
    avatarUrl: profile.profile_picture_url ?? null,
    profileUrl: profile.username ? `https://www.instagram.com/${profile.username}/` : null,
    missingScopes,
    capabilities,
    token,
  };
}

/** Reads how many posts Instagram allows this account. It uses the login's token, as the reference requires. */
export async function fetchCapabilities(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const limit = await readPublishingLimit(client, publishingLimitUrl(account), account.loginToken, toFault);
  return limit.ok ? succeeded({ ...account.capabilities, publishingLimit: limit.value }) : limit;
}

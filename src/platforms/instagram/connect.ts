import type { JsonObject } from "#core/json.ts";
import { DAY } from "#core/clock.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type {
  AppCredentials,
  CodeExchange,
  Connect,
  Fault,
  Login,
  PostableAccount,
  Result,
  TokenSet,
  UnpostableAccount,
  PlatformClient,
} from "#platforms/contract.ts";
import { failed, succeeded, temporary } from "#platforms/fault.ts";
import { postForm, withQuery } from "#platforms/form.ts";
import { graphGet } from "#platforms/graph.ts";
import {
  dialogUrl,
  exchangeDialogCode,
  longLived,
  pagesOf,
  refreshDialogLogin,
  renewBy,
  revokeDialogLogin,
  tokenBy,
} from "#platforms/graph-login.ts";
import { codeFrom, guarded, missingFrom, splitScopes } from "#platforms/oauth-token.ts";
import { Followers, type Me, MeAnswer, Page, ShortTokenAnswer } from "./answers.ts";
import { toFault, tokenHostFault } from "./errors.ts";
import { AUTHORIZE_URL, directGraph, GRAPH, pageLogin, TOKEN_URL, variantOf } from "./hosts.ts";

const SCOPES = ["instagram_business_basic", "instagram_business_content_publish"] as const;
/** The last one lists the Pages that a business owns; posting works without it. */
const PAGE_SCOPES = [
  "instagram_basic",
  "instagram_content_publish",
  "pages_show_list",
  "pages_read_engagement",
  "business_management",
] as const;
const PAGE_SCOPES_NEEDED = PAGE_SCOPES.slice(0, 4);
const PAGE_FIELDS =
  "id,name,access_token,tasks,instagram_business_account{id,username,name,profile_picture_url,followers_count}";
const ME_FIELDS = "id,user_id,username,name,account_type,profile_picture_url";

export const connect: Connect = {
  authorizeUrl(app, request) {
    if (variantOf(app) === "page") {
      return dialogUrl(pageLogin(app, PAGE_SCOPES), app, request);
    }
    return withQuery(AUTHORIZE_URL, {
      client_id: app.clientId,
      redirect_uri: request.redirectUri,
      response_type: "code",
      scope: SCOPES.join(","),
      state: request.state,
    });
  },

  async exchange(client, app, exchange) {
    return variantOf(app) === "page"
      ? await exchangeDialogCode(client, pageLogin(app, PAGE_SCOPES), app, exchange, { login: "page" })
      : await exchangeDirect(client, app, exchange);
  },

  async accounts(client, app, tokens) {
    return isPageLogin(tokens) ? await accountsBehindPages(client, app, tokens) : await ownAccount(client, app, tokens);
  },

  async refresh(client, app, tokens, now) {
    if (isPageLogin(tokens)) {
      return await refreshDialogLogin(client, pageLogin(app, PAGE_SCOPES), app, tokens, now);
    }
    return await renewBy(client, `${GRAPH}/refresh_access_token`, "ig_refresh_token", tokens, now);
  },
  // A token lives 60 days and can be renewed once it is a day old.
  refreshAheadMs: 15 * DAY,

  /** The direct login has no such call: the person removes the app in Instagram's settings. */
  async revoke(client, app, tokens) {
    if (isPageLogin(tokens)) {
      await revokeDialogLogin(client, pageLogin(app, PAGE_SCOPES), tokens);
    }
  },
};

/** What the login was, and not what the operator has set since. */
function isPageLogin(tokens: TokenSet): boolean {
  return tokens.extra?.["login"] === "page";
}

async function exchangeDirect(
  client: PlatformClient,
  app: AppCredentials,
  exchange: CodeExchange,
): Promise<Result<Login>> {
  const code = codeFrom(exchange.params);
  if (!code.ok) {
    return code;
  }
  return await guarded(async () => {
    const short = await call(
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
    const token = isOk(short) ? read(ShortTokenAnswer, short) : undefined;
    if (!token) {
      return failed(tokenHostFault(short));
    }
    const long = await tokenBy(client, `${GRAPH}/access_token`, {
      grant_type: "ig_exchange_token",
      client_secret: app.clientSecret,
      access_token: token.access_token,
    });
    if (!long.ok) {
      return long;
    }
    const me = await profile(client, app, long.value.accessToken);
    if (!me.ok) {
      return me;
    }
    return succeeded({
      externalId: me.value.user_id,
      displayName: me.value.name ?? me.value.username,
      tokens: {
        ...longLived(long.value, exchange.now),
        scopes: token.permissions?.flatMap(splitScopes) ?? [...SCOPES],
        extra: { login: "direct" },
      },
    });
  });
}

async function profile(client: PlatformClient, app: AppCredentials, token: string): Promise<Result<Me>> {
  const answer = await graphGet(client, `${directGraph(app)}/me`, token, { fields: ME_FIELDS });
  const me = isOk(answer) ? read(MeAnswer, answer) : undefined;
  return me ? succeeded(me) : failed(profileFault(answer));
}

function profileFault(answer: Answer): Fault {
  return isOk(answer)
    ? temporary("Instagram did not tell which account logged in.", { httpStatus: answer.status })
    : toFault(answer);
}

interface Accounts {
  readonly accounts: readonly PostableAccount[];
  readonly unpostable: readonly UnpostableAccount[];
}

async function ownAccount(client: PlatformClient, app: AppCredentials, tokens: TokenSet): Promise<Result<Accounts>> {
  return await guarded<Accounts>(async () => {
    const me = await profile(client, app, tokens.accessToken);
    if (!me.ok) {
      return me;
    }
    const { user_id: id, username, account_type: type } = me.value;
    if (type?.toUpperCase() === "PERSONAL") {
      const reason =
        "Instagram lets professional accounts alone publish through apps: switch to one in Instagram's settings.";
      return succeeded({ accounts: [], unpostable: [{ platformAccountId: id, displayName: username, reason }] });
    }
    const followersCount = await followers(client, app, tokens.accessToken);
    return succeeded({
      accounts: [
        account(
          { id, username, name: me.value.name, profile_picture_url: me.value.profile_picture_url },
          missingFrom(SCOPES, tokens.scopes),
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

/** Nothing but a hint whether trial reels will be taken, so that its failing fails nothing. */
async function followers(client: PlatformClient, app: AppCredentials, token: string): Promise<number | null> {
  try {
    const answer = await graphGet(client, `${directGraph(app)}/me`, token, { fields: "followers_count" });
    return (isOk(answer) ? read(Followers, answer)?.followers_count : undefined) ?? null;
  } catch {
    return null;
  }
}

async function accountsBehindPages(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<Result<Accounts>> {
  const pages = await pagesOf(client, pageLogin(app, PAGE_SCOPES).graph, tokens, PAGE_FIELDS, Page);
  if (!pages.ok) {
    return pages;
  }
  const accounts: PostableAccount[] = [];
  const unpostable: UnpostableAccount[] = [];
  for (const page of pages.value) {
    const own = page.instagram_business_account;
    if (!own) {
      continue;
    }
    const allowed = page.tasks?.some((task) => task === "CREATE_CONTENT" || task === "MANAGE") ?? true;
    if (!allowed || !page.access_token) {
      const displayName = own.username ?? own.name ?? own.id;
      unpostable.push({
        platformAccountId: own.id,
        displayName,
        reason: `Your role on the Page ${page.name ?? page.id} does not allow posting.`,
      });
      continue;
    }
    const capabilities = {
      login: "page",
      pageId: page.id,
      ...(typeof own.followers_count === "number" && { followersCount: own.followers_count }),
    };
    accounts.push(account(own, missingFrom(PAGE_SCOPES_NEEDED, tokens.scopes), capabilities, page.access_token));
  }
  return succeeded({ accounts, unpostable });
}

function account(
  own: {
    readonly id: string;
    readonly username?: string | null | undefined;
    readonly name?: string | null | undefined;
    readonly profile_picture_url?: string | null | undefined;
  },
  missingScopes: readonly string[],
  capabilities: JsonObject,
  token: string | null,
): PostableAccount {
  const username = own.username ?? own.id;
  return {
    platformAccountId: own.id,
    username,
    displayName: own.name ?? username,
    avatarUrl: own.profile_picture_url ?? null,
    profileUrl: own.username ? `https://www.instagram.com/${own.username}/` : null,
    missingScopes,
    capabilities,
    token,
  };
}

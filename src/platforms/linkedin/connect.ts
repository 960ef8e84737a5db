import { DAY } from "#core/clock.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type {
  AppCredentials,
  Connect,
  Fault,
  PostableAccount,
  Result,
  TokenSet,
  UnpostableAccount,
  PlatformClient,
} from "#platforms/contract.ts";
import { failed, reconnect, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { bearer, postForm, withQuery } from "#platforms/form.ts";
import { codeFrom, expiry, guarded, missingFrom, requestTokens, type TokenAnswer } from "#platforms/oauth-token.ts";
import { Me, UserInfo } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API, AUTHORIZE_URL, REVOKE_URL, TOKEN_URL } from "./hosts.ts";
import { organizationsOf } from "./organizations.ts";

/** Sign In with LinkedIn and Share on LinkedIn, which every app can have. */
const MEMBER_SCOPES = ["openid", "profile", "w_member_social"] as const;
/** The Community Management API, for which LinkedIn vets the app. */
const COMMUNITY_SCOPES = [
  "r_basicprofile",
  "w_member_social",
  "r_organization_social",
  "w_organization_social",
  "rw_organization_admin",
] as const;
const ACCESS_SECONDS = 5_184_000;

/** LinkedIn refuses a login as a whole when an app asks for one scope too many, so the operator says what the app has. */
function wantedScopes(app: AppCredentials): readonly string[] {
  const products = new Set((app.settings["PRODUCTS"] ?? "member").split(",").map((word) => word.trim()));
  const isCommunity = products.has("community");
  const member = products.has("member") || !isCommunity ? MEMBER_SCOPES : [];
  return [...new Set([...member, ...(isCommunity ? COMMUNITY_SCOPES : [])])];
}

export const connect: Connect = {
  authorizeUrl(app, request) {
    return withQuery(AUTHORIZE_URL, {
      response_type: "code",
      client_id: app.clientId,
      redirect_uri: request.redirectUri,
      state: request.state,
      scope: wantedScopes(app).join(" "),
    });
  },

  async exchange(client, app, exchange) {
    if (exchange.params["error"] === "unauthorized_scope_error") {
      return failed(SCOPES_NOT_ALLOWED);
    }
    const code = codeFrom(exchange.params);
    if (!code.ok) {
      return code;
    }
    const answer = await requestTokens(client, {
      url: TOKEN_URL,
      fields: {
        grant_type: "authorization_code",
        code: code.value,
        client_id: app.clientId,
        client_secret: app.clientSecret,
        redirect_uri: exchange.redirectUri,
      },
      deadErrors: DEAD,
    });
    if (!answer.ok) {
      return answer;
    }
    const tokens = tokenSet(answer.value, exchange.now, {
      refreshToken: null,
      refreshExpiresAt: null,
      scopes: wantedScopes(app),
    });
    const member = await memberOf(client, tokens);
    return member.ok ? succeeded({ externalId: member.value.id, displayName: member.value.name, tokens }) : member;
  },

  async accounts(client, app, tokens) {
    const member = await memberOf(client, tokens);
    if (!member.ok) {
      return member;
    }
    const accounts: PostableAccount[] = [memberAccount(member.value, tokens)];
    const unpostable: UnpostableAccount[] = [];
    if (tokens.scopes.includes("rw_organization_admin")) {
      const found = await guarded(() => organizationsOf(client, app, tokens));
      if (!found.ok) {
        return found;
      }
      const profile = profileOf(tokens);
      accounts.push(
        ...found.value.accounts.map((page) => ({ ...page, capabilities: { ...page.capabilities, profile } })),
      );
      unpostable.push(...found.value.unpostable);
    }
    return succeeded({ accounts, unpostable });
  },

  async refresh(client, app, tokens, now) {
    if (tokens.refreshToken === null) {
      return failed(reconnect("This login cannot be renewed. Connect the account again.", { httpStatus: null }));
    }
    const answer = await requestTokens(client, {
      url: TOKEN_URL,
      fields: {
        grant_type: "refresh_token",
        refresh_token: tokens.refreshToken,
        client_id: app.clientId,
        client_secret: app.clientSecret,
      },
      deadErrors: DEAD,
    });
    return answer.ok ? succeeded(tokenSet(answer.value, now, tokens)) : answer;
  },
  // Only approved partners get a refresh token; everybody else logs in again every 60 days.
  canRefresh: (tokens) => tokens.refreshToken !== null,
  refreshAheadMs: 7 * DAY,

  async revoke(client, app, tokens) {
    const fields = { client_id: app.clientId, client_secret: app.clientSecret, token: tokens.accessToken };
    await guarded(async () => succeeded(await call(client, REVOKE_URL, postForm(fields))));
  },
};

/** LinkedIn answers a spent code or a dead refresh token with `invalid_request` too. */
const DEAD = ["invalid_request"] as const;

const SCOPES_NOT_ALLOWED: Fault = rejected(
  "LinkedIn does not give this service's app the permissions it asks for: its operator has to check LINKEDIN_PRODUCTS.",
  { httpStatus: null, platformCode: "unauthorized_scope_error" },
  { code: "app_misconfigured", category: "permission", whoMustAct: "operator" },
);

/** A refresh prolongs nothing: the refresh token keeps the end it had at the first consent. */
function tokenSet(
  answer: TokenAnswer,
  now: number,
  before: Pick<TokenSet, "refreshToken" | "refreshExpiresAt" | "scopes">,
): TokenSet {
  return {
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken ?? before.refreshToken,
    expiresAt: expiry(now, answer.expiresInSeconds ?? ACCESS_SECONDS),
    refreshExpiresAt: expiry(now, answer.refreshExpiresInSeconds) ?? before.refreshExpiresAt,
    scopes: answer.scopes ?? before.scopes,
  };
}

/** Where this login may read who it is: the two products know different addresses. */
function profileOf(tokens: TokenSet): "userinfo" | "me" {
  return tokens.scopes.includes("r_basicprofile") && !tokens.scopes.includes("openid") ? "me" : "userinfo";
}

interface Member {
  readonly id: string;
  readonly name: string;
  readonly vanityName: string | null;
  readonly picture: string | null;
}

async function memberOf(client: PlatformClient, tokens: TokenSet): Promise<Result<Member>> {
  return await guarded(async () => {
    if (profileOf(tokens) === "me") {
      return await readMe(client, tokens.accessToken);
    }
    const member = await readUserInfo(client, tokens.accessToken);
    if (!member.ok || !tokens.scopes.includes("r_basicprofile")) {
      return member;
    }
    const me = await guarded(() => readMe(client, tokens.accessToken));
    return succeeded({ ...member.value, vanityName: me.ok ? me.value.vanityName : null });
  });
}

async function readUserInfo(client: PlatformClient, token: string): Promise<Result<Member>> {
  const answer = await call(client, `${API}/v2/userinfo`, { headers: bearer(token) });
  const info = isOk(answer) ? read(UserInfo, answer) : undefined;
  return info
    ? succeeded({ id: info.sub, name: info.name ?? info.sub, vanityName: null, picture: info.picture ?? null })
    : failed(untold(answer));
}

async function readMe(client: PlatformClient, token: string): Promise<Result<Member>> {
  const answer = await call(client, `${API}/v2/me`, { headers: bearer(token) });
  const me = isOk(answer) ? read(Me, answer) : undefined;
  if (!me) {
    return failed(untold(answer));
  }
  const name = [me.localizedFirstName, me.localizedLastName].filter(Boolean).join(" ");
  return succeeded({
    id: me.id,
    name: name || (me.vanityName ?? me.id),
    vanityName: me.vanityName ?? null,
    picture: null,
  });
}

function untold(answer: Answer): Fault {
  return isOk(answer) || answer.status < 400
    ? temporary("LinkedIn did not tell who logged in.", { httpStatus: answer.status })
    : toFault(answer, null);
}

/** Whether LinkedIn still answers this login; reads only. */
export async function answersTo(
  client: PlatformClient,
  profile: "userinfo" | "me",
  token: string,
): Promise<Result<unknown>> {
  return await guarded(() => (profile === "me" ? readMe(client, token) : readUserInfo(client, token)));
}

function memberAccount(member: Member, tokens: TokenSet): PostableAccount {
  return {
    platformAccountId: `urn:li:person:${member.id}`,
    username: member.vanityName ?? member.name,
    displayName: member.name,
    avatarUrl: member.picture,
    profileUrl: member.vanityName ? `https://www.linkedin.com/in/${encodeURIComponent(member.vanityName)}` : null,
    missingScopes: missingFrom(["w_member_social"], tokens.scopes),
    // Reading a member's posts is closed to new apps.
    capabilities: { kind: "member", canList: false, profile: profileOf(tokens) },
    token: null,
  };
}

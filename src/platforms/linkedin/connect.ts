import type {
  ConnectCalls,
  AppCredentials,
  Fault,
  PostableAccount,
  Result,
  TokenSet,
  UnpostableAccount,
  PlatformClient,
} from "#platforms/contract.ts";
import { withExtraScopes } from "#platforms/extra-scopes.ts";
import { codeLogin } from "#platforms/code-login.ts";
import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { catchConnectionErrors, findMissingScopes, requestTokens, appMisconfigured } from "#platforms/oauth-token.ts";
import { bearerHeader, postForm, withQuery } from "#platforms/request-encoding.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { Me, UserInfo, OrganizationAclList, Organization, OrganizationLookup } from "./answers.ts";
import { toFault } from "./errors.ts";
import {
  API_ORIGIN,
  AUTHORIZE_URL,
  REVOKE_URL,
  TOKEN_URL,
  isCommunityApp,
  organizationsLookupUrl,
  productsOf,
  restHeaders,
  restUrl,
} from "./hosts.ts";
import { unexpectedResponse } from "./upload.ts";

/** The scopes of the products "Sign In with LinkedIn" and "Share on LinkedIn", which every app can get. */
const MEMBER_SCOPES = ["openid", "profile", "w_member_social"] as const;
/** The scopes of the Community Management API, for which LinkedIn must approve the app. */
const COMMUNITY_SCOPES = [
  "r_basicprofile",
  "w_member_social",
  "r_organization_social",
  "w_organization_social",
  "rw_organization_admin",
] as const;

/**
 * The scopes that a login requests. LinkedIn refuses a login with a scope that the app lacks, so the operator's
 * settings name the app's products.
 */
function requestedScopes(app: AppCredentials): readonly string[] {
  const isCommunity = isCommunityApp(app);
  const member = productsOf(app).has("member") || !isCommunity ? MEMBER_SCOPES : [];
  return withExtraScopes([...member, ...(isCommunity ? COMMUNITY_SCOPES : [])], app);
}

const login = codeLogin({
  authorizeUrl: (app, request) =>
    withQuery(AUTHORIZE_URL, {
      response_type: "code",
      client_id: app.clientId,
      redirect_uri: request.redirectUri,
      state: request.state,
      scope: requestedScopes(app).join(" "),
    }),
  request: (client, app, grant) =>
    requestTokens(client, {
      url: TOKEN_URL,
      fields: { ...grant, client_id: app.clientId, client_secret: app.clientSecret },
      // LinkedIn also answers `invalid_request` for a used code or an expired refresh token, so both mean an ended
      // grant.
      invalidGrantErrors: ["invalid_request"],
    }),
  accessSeconds: 5_184_000,
  scopesOf: requestedScopes,
  async identify(client, _app, tokens) {
    const member = await readMember(client, tokens);
    return member.ok ? succeeded({ externalId: member.value.id, displayName: member.value.name }) : member;
  },
});

export const connect = {
  ...login,

  exchangeCode: async (client, app, exchange) =>
    exchange.params["error"] === "unauthorized_scope_error"
      ? failed(SCOPES_NOT_ALLOWED_FAULT)
      : await login.exchangeCode(client, app, exchange),

  listAccounts: async (client, app, tokens) => {
    const member = await readMember(client, tokens);
    if (!member.ok) {
      return member;
    }
    const accounts: PostableAccount[] = [toMemberAccount(member.value, tokens)];
    const unpostable: UnpostableAccount[] = [];
    if (tokens.scopes.includes("rw_organization_admin")) {
      const organizations = await catchConnectionErrors(() => listOrganizations(client, app, tokens));
      if (!organizations.ok) {
        return organizations;
      }
      const profile = profileEndpoint(tokens);
      accounts.push(
        ...organizations.value.accounts.map((page) => ({ ...page, capabilities: { ...page.capabilities, profile } })),
      );
      unpostable.push(...organizations.value.unpostable);
    }
    return succeeded({ accounts, unpostable });
  },

  // LinkedIn documents no call to revoke. Other programs make this one, and its answer is not needed.
  revoke: async (client, app, tokens) => {
    if (app.settings["REVOKE"] === "never") {
      return;
    }
    const fields = { client_id: app.clientId, client_secret: app.clientSecret, token: tokens.accessToken };
    await catchConnectionErrors(async () => succeeded(await callPlatform(client, REVOKE_URL, postForm(fields))));
  },
} satisfies ConnectCalls;

const SCOPES_NOT_ALLOWED_FAULT: Fault = rejected(
  "LinkedIn does not allow the permissions that this service's app requests: its operator has to check LINKEDIN_PRODUCTS.",
  { httpStatus: null, platformCode: "unauthorized_scope_error" },
  { code: "app_misconfigured", category: "permission", whoMustAct: "operator" },
);

/** Where this login can read its own profile, which depends on the app's product. */
function profileEndpoint(tokens: TokenSet): "userinfo" | "me" {
  return tokens.scopes.includes("r_basicprofile") && !tokens.scopes.includes("openid") ? "me" : "userinfo";
}

interface Member {
  readonly id: string;
  readonly name: string;
  readonly vanityName: string | null;
  readonly picture: string | null;
}

async function readMember(client: PlatformClient, tokens: TokenSet): Promise<Result<Member>> {
  return await catchConnectionErrors(async () => {
    if (profileEndpoint(tokens) === "me") {
      return await readMe(client, tokens.accessToken);
    }
    const member = await readUserInfo(client, tokens.accessToken);
    if (!member.ok || !tokens.scopes.includes("r_basicprofile")) {
      return member;
    }
    const me = await catchConnectionErrors(() => readMe(client, tokens.accessToken));
    return succeeded({ ...member.value, vanityName: me.ok ? me.value.vanityName : null });
  });
}

async function readUserInfo(client: PlatformClient, token: string): Promise<Result<Member>> {
  const response = await callPlatform(client, `${API_ORIGIN}/v2/userinfo`, { headers: bearerHeader(token) });
  const info = isOk(response) ? parseBody(UserInfo, response) : undefined;
  return info
    ? succeeded({ id: info.sub, name: info.name ?? info.sub, vanityName: null, picture: info.picture ?? null })
    : failed(profileFault(response));
}

async function readMe(client: PlatformClient, token: string): Promise<Result<Member>> {
  const response = await callPlatform(client, `${API_ORIGIN}/v2/me`, { headers: bearerHeader(token) });
  const me = isOk(response) ? parseBody(Me, response) : undefined;
  if (!me) {
    return failed(profileFault(response));
  }
  const name = [me.localizedFirstName, me.localizedLastName].filter(Boolean).join(" ");
  return succeeded({
    id: me.id,
    name: name || (me.vanityName ?? me.id),
    vanityName: me.vanityName ?? null,
    picture: null,
  });
}

function profileFault(response: PlatformResponse): Fault {
  return isOk(response) || response.status < 400
    ? temporary("LinkedIn did not return the profile of the account that logged in.", { httpStatus: response.status })
    : toFault(response, null);
}

/** Checks that LinkedIn still accepts this login and responds. It only reads. */
export async function checkLogin(
  client: PlatformClient,
  profile: "userinfo" | "me",
  token: string,
): Promise<Result<unknown>> {
  return await catchConnectionErrors(() => (profile === "me" ? readMe(client, token) : readUserInfo(client, token)));
}

function toMemberAccount(member: Member, tokens: TokenSet): PostableAccount {
  return {
    platformAccountId: `urn:li:person:${member.id}`,
    username: member.vanityName ?? member.name,
    displayName: member.name,
    avatarUrl: member.picture,
    profileUrl: member.vanityName ? `https://www.linkedin.com/in/${encodeURIComponent(member.vanityName)}` : null,
    missingScopes: findMissingScopes(["w_member_social"], tokens.scopes),
    // LinkedIn no longer grants new apps the right to read a member's posts, so they cannot be listed.
    capabilities: { kind: "member", canList: false, profile: profileEndpoint(tokens) },
    token: null,
  };
}

/**
 * The roles that may publish as the page (community-management/organizations/organization-access-control-by-role).
 * LinkedIn's documents spell the content role in two ways.
 */
const POSTING_ROLES: ReadonlySet<string> = new Set(["ADMINISTRATOR", "CONTENT_ADMIN", "CONTENT_ADMINISTRATOR"]);
const PAGE_SIZE = 100;
const LOOKUP_SIZE = 50;
const MAX_PAGES = 20;
const CONCURRENCY = 5;

interface OrganizationAccounts {
  readonly accounts: readonly PostableAccount[];
  readonly unpostable: readonly UnpostableAccount[];
}

/** Lists every page in which the member has a role, divided by whether the role allows posting. */
async function listOrganizations(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<Result<OrganizationAccounts>> {
  const roles = await listRoles(client, app, tokens);
  if (!roles.ok) {
    return roles;
  }
  const names = await readNames(client, app, tokens, roles.value);
  if (!names.ok) {
    return names;
  }
  const accounts: PostableAccount[] = [];
  const unpostable: UnpostableAccount[] = [];
  for (const [urn, memberRoles] of roles.value) {
    const name = names.value.get(urn) ?? { name: `Page ${idOf(urn)}`, vanityName: null };
    if (memberRoles.some((role) => POSTING_ROLES.has(role))) {
      accounts.push(toPostableAccount(urn, name, tokens));
    } else {
      unpostable.push({
        platformAccountId: urn,
        displayName: name.name,
        reason: "Your role on this page does not allow posting: a page administrator has to give you a content role.",
      });
    }
  }
  return succeeded({ accounts, unpostable });
}

async function listRoles(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<Result<Map<string, string[]>>> {
  const roles = new Map<string, string[]>();
  let start = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = withQuery(`${API_ORIGIN}/rest/organizationAcls`, {
      q: "roleAssignee",
      state: "APPROVED",
      start,
      count: PAGE_SIZE,
    });
    const response = await callPlatform(client, url, { headers: restHeaders(app, tokens.accessToken) });
    const list = isOk(response) ? parseBody(OrganizationAclList, response) : undefined;
    if (!list) {
      return failed(toListFault(response));
    }
    for (const { role, state, organization, organizationTarget } of list.elements) {
      const urn = organization ?? organizationTarget;
      if (urn && state === "APPROVED") {
        roles.set(urn, [...(roles.get(urn) ?? []), role]);
      }
    }
    const next = list.paging?.links?.find((link) => link.rel === "next")?.href;
    if (!next || list.elements.length === 0) {
      break;
    }
    start += list.elements.length;
  }
  return succeeded(roles);
}

interface OrganizationName {
  readonly name: string;
  readonly vanityName: string | null;
}

/**
 * Reads the names of pages. A page without a name keeps its id. Everybody may look pages up, and an administrator may
 * read a page that the lookup omits. A refusal for a page says nothing about the login.
 */
async function readNames(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
  roles: ReadonlyMap<string, readonly string[]>,
): Promise<Result<ReadonlyMap<string, OrganizationName>>> {
  const names = new Map<string, OrganizationName>();
  const headers = restHeaders(app, tokens.accessToken);
  const urns = [...roles.keys()];
  for (let start = 0; start < urns.length; start += LOOKUP_SIZE) {
    const batch = urns.slice(start, start + LOOKUP_SIZE);
    const response = await callPlatform(client, organizationsLookupUrl(batch.map(idOf)), { headers });
    if (response.status === 401 || response.status === 429 || response.status >= 500) {
      // Fail, because otherwise a sync would replace known names by ids.
      return failed(toListFault(response));
    }
    const results = (isOk(response) ? parseBody(OrganizationLookup, response)?.results : undefined) ?? {};
    for (const urn of batch) {
      setName(names, urn, results[idOf(urn)]);
    }
  }
  const unnamed = urns.filter((urn) => !names.has(urn) && roles.get(urn)?.includes("ADMINISTRATOR"));
  for (let start = 0; start < unnamed.length; start += CONCURRENCY) {
    await Promise.all(
      unnamed.slice(start, start + CONCURRENCY).map(async (urn) => {
        const response = await callPlatform(client, restUrl("organizations", idOf(urn)), { headers }).catch(() => null);
        setName(names, urn, response && isOk(response) ? parseBody(Organization, response) : undefined);
      }),
    );
  }
  return succeeded(names);
}

function setName(names: Map<string, OrganizationName>, urn: string, organization: Organization | undefined): void {
  if (organization?.localizedName) {
    names.set(urn, { name: organization.localizedName, vanityName: organization.vanityName ?? null });
  }
}

function idOf(urn: string): string {
  return urn.split(":").at(-1) ?? "";
}

function toListFault(response: PlatformResponse): Fault {
  if (response.status === 403) {
    // The app has lost the product to which the list belongs, so the login itself is not at fault.
    return appMisconfigured(response.status, null);
  }
  return isOk(response) || response.status < 400 ? unexpectedResponse(response) : toFault(response, null);
}

function toPostableAccount(urn: string, { name, vanityName }: OrganizationName, tokens: TokenSet): PostableAccount {
  return {
    platformAccountId: urn,
    username: vanityName ?? name,
    displayName: name,
    // The logo is an asset URN. Getting its URL takes another call, and the URL expires.
    avatarUrl: null,
    profileUrl: vanityName ? `https://www.linkedin.com/${pagePath(urn)}/${encodeURIComponent(vanityName)}` : null,
    missingScopes: findMissingScopes(["w_organization_social"], tokens.scopes),
    capabilities: { kind: "organization", canList: tokens.scopes.includes("r_organization_social") },
    token: null,
  };
}

function pagePath(urn: string): string {
  return urn.startsWith("urn:li:organizationBrand:") ? "showcase" : "company";
}

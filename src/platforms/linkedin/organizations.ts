import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type {
  AppCredentials,
  Fault,
  PostableAccount,
  Result,
  TokenSet,
  UnpostableAccount,
  PlatformClient,
} from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { appMisconfigured, findMissingScopes } from "#platforms/oauth-token.ts";
import { OrganizationAclList, Organization, OrganizationLookup } from "./answers.ts";
import { unexpectedResponse } from "./assets.ts";
import { toFault } from "./errors.ts";
import { API_ORIGIN, organizationsLookupUrl, restHeaders, restUrl } from "./hosts.ts";

/**
 * Those that may publish as the page (community-management/organizations/organization-access-control-by-role); LinkedIn's
 * documents spell the content role in two ways.
 */
const POSTING_ROLES: ReadonlySet<string> = new Set(["ADMINISTRATOR", "CONTENT_ADMIN", "CONTENT_ADMINISTRATOR"]);
const PAGE_SIZE = 100;
const LOOKUP_SIZE = 50;
const MAX_PAGES = 20;
const CONCURRENCY = 5;

export interface OrganizationAccounts {
  readonly accounts: readonly PostableAccount[];
  readonly unpostable: readonly UnpostableAccount[];
}

/** Every page that the member has a role in, divided by whether the role allows posting. */
export async function listOrganizations(
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
    const name = names.value.get(urn) ?? { name: idOf(urn), vanityName: null };
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
 * The names that LinkedIn gives; a page without one keeps its id. Everybody may look pages up, and an administrator may read
 * a page that the lookup leaves out. Whatever is refused for a page says nothing about the login.
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
      // Otherwise a sync would replace known names by ids.
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
    // The login goes on as it is: the app has lost the product that the list belongs to.
    return appMisconfigured(response.status, null);
  }
  return isOk(response) || response.status < 400 ? unexpectedResponse(response) : toFault(response, null);
}

function toPostableAccount(urn: string, { name, vanityName }: OrganizationName, tokens: TokenSet): PostableAccount {
  return {
    platformAccountId: urn,
    username: vanityName ?? name,
    displayName: name,
    // The logo is an asset URN; its URL needs another call and expires.
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

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
import { findMissingScopes } from "#platforms/oauth-token.ts";
import { OrganizationAclList, Organization } from "./answers.ts";
import { unexpectedResponse } from "./assets.ts";
import { toFault } from "./errors.ts";
import { API_ORIGIN, restHeaders, restUrl } from "./hosts.ts";

/** LinkedIn's documents spell the content role in two ways. */
const POSTING_ROLES: ReadonlySet<string> = new Set(["ADMINISTRATOR", "CONTENT_ADMIN", "CONTENT_ADMINISTRATOR"]);
const PAGE_SIZE = 100;
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
  const accounts: PostableAccount[] = [];
  const unpostable: UnpostableAccount[] = [];
  const entries = [...roles.value];
  for (let start = 0; start < entries.length; start += CONCURRENCY) {
    const batch = await Promise.all(
      entries.slice(start, start + CONCURRENCY).map(async ([urn, memberRoles]) => {
        return { urn, memberRoles, name: await readName(client, app, tokens, urn) };
      }),
    );
    for (const { urn, memberRoles, name } of batch) {
      if (!name.ok) {
        return name;
      }
      if (memberRoles.some((role) => POSTING_ROLES.has(role))) {
        accounts.push(toPostableAccount(urn, name.value, tokens));
      } else {
        unpostable.push({
          platformAccountId: urn,
          displayName: name.value.name,
          reason: "Your role on this page does not allow posting: a page administrator has to give you a content role.",
        });
      }
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
      if (urn && (state ?? "APPROVED") === "APPROVED") {
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

async function readName(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
  urn: string,
): Promise<Result<OrganizationName>> {
  const id = urn.split(":").at(-1) ?? "";
  const response = await callPlatform(client, restUrl("organizations", id), {
    headers: restHeaders(app, tokens.accessToken),
  });
  const organization = isOk(response) ? parseBody(Organization, response) : undefined;
  if (organization) {
    return succeeded({ name: organization.localizedName ?? id, vanityName: organization.vanityName ?? null });
  }
  // A page that was closed in the meantime is still in the list of roles.
  return response.status === 404 ? succeeded({ name: id, vanityName: null }) : failed(toListFault(response));
}

function toListFault(response: PlatformResponse): Fault {
  return isOk(response) || response.status < 400 ? unexpectedResponse(response) : toFault(response, null);
}

function toPostableAccount(urn: string, { name, vanityName }: OrganizationName, tokens: TokenSet): PostableAccount {
  return {
    platformAccountId: urn,
    username: vanityName ?? name,
    displayName: name,
    // The logo is an asset URN; its URL needs another call and expires.
    avatarUrl: null,
    profileUrl: vanityName ? `https://www.linkedin.com/company/${encodeURIComponent(vanityName)}` : null,
    missingScopes: findMissingScopes(["w_organization_social"], tokens.scopes),
    capabilities: { kind: "organization", canList: tokens.scopes.includes("r_organization_social") },
    token: null,
  };
}

import { type Answer, call, isOk, read } from "#platforms/answer.ts";
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
import { withQuery } from "#platforms/form.ts";
import { missingFrom } from "#platforms/oauth-token.ts";
import { AclList, Organization } from "./answers.ts";
import { unexpected } from "./assets.ts";
import { toFault } from "./errors.ts";
import { API, restHeaders, restUrl } from "./hosts.ts";

/** Both spellings of the second one occur. */
const POSTING_ROLES: ReadonlySet<string> = new Set(["ADMINISTRATOR", "CONTENT_ADMIN", "CONTENT_ADMINISTRATOR"]);
const PER_PAGE = 100;
const MOST_PAGES = 20;
const AT_ONCE = 5;

export interface Organizations {
  readonly accounts: readonly PostableAccount[];
  readonly unpostable: readonly UnpostableAccount[];
}

/** Every page the member has a part in, with what they may do there. */
export async function organizationsOf(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<Result<Organizations>> {
  const roles = await rolesOf(client, app, tokens);
  if (!roles.ok) {
    return roles;
  }
  const accounts: PostableAccount[] = [];
  const unpostable: UnpostableAccount[] = [];
  const entries = [...roles.value];
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const named = await Promise.all(
      entries.slice(start, start + AT_ONCE).map(async ([urn, held]) => {
        return { urn, held, named: await nameOf(client, app, tokens, urn) };
      }),
    );
    for (const { urn, held, named: answer } of named) {
      if (!answer.ok) {
        return answer;
      }
      if (held.some((role) => POSTING_ROLES.has(role))) {
        accounts.push(accountOf(urn, answer.value, tokens));
      } else {
        unpostable.push({
          platformAccountId: urn,
          displayName: answer.value.name,
          reason: "The role at this page does not allow posting: an administrator has to give a content role.",
        });
      }
    }
  }
  return succeeded({ accounts, unpostable });
}

async function rolesOf(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<Result<Map<string, string[]>>> {
  const roles = new Map<string, string[]>();
  let start = 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = withQuery(`${API}/rest/organizationAcls`, {
      q: "roleAssignee",
      state: "APPROVED",
      start,
      count: PER_PAGE,
    });
    const answer = await call(client, url, { headers: restHeaders(app, tokens.accessToken) });
    const list = isOk(answer) ? read(AclList, answer) : undefined;
    if (!list) {
      return failed(refused(answer));
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

interface Named {
  readonly name: string;
  readonly vanityName: string | null;
}

async function nameOf(
  client: PlatformClient,
  app: AppCredentials,
  tokens: TokenSet,
  urn: string,
): Promise<Result<Named>> {
  const id = urn.split(":").at(-1) ?? "";
  const answer = await call(client, restUrl("organizations", id), { headers: restHeaders(app, tokens.accessToken) });
  const organization = isOk(answer) ? read(Organization, answer) : undefined;
  if (organization) {
    return succeeded({ name: organization.localizedName ?? id, vanityName: organization.vanityName ?? null });
  }
  // A page that was closed meanwhile is still in the list of roles.
  return answer.status === 404 ? succeeded({ name: id, vanityName: null }) : failed(refused(answer));
}

function refused(answer: Answer): Fault {
  return isOk(answer) || answer.status < 400 ? unexpected(answer) : toFault(answer, null);
}

function accountOf(urn: string, { name, vanityName }: Named, tokens: TokenSet): PostableAccount {
  return {
    platformAccountId: urn,
    username: vanityName ?? name,
    displayName: name,
    // The logo is told as an asset whose address needs another call and dies after a while.
    avatarUrl: null,
    profileUrl: vanityName ? `https://www.linkedin.com/company/${encodeURIComponent(vanityName)}` : null,
    missingScopes: missingFrom(["w_organization_social"], tokens.scopes),
    capabilities: { kind: "organization", canList: tokens.scopes.includes("r_organization_social") },
    token: null,
  };
}

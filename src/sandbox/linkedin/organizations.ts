import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { accessDenied, adminOnly, errorResponse, resourceNotFound } from "./error-responses.ts";
import {
  isAdministrator,
  type Organization,
  ORGANIZATIONS,
  organizationUrn,
  personUrn,
  rolesOf,
} from "./test-users.ts";

/*
 * Roles and names of organizations, as
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-lookup-api describes.
 */

const ROLE_SCOPES = ["rw_organization_admin", "r_organization_admin", "r_organization_social"];

/**
 * Handles `GET /rest/organizationAcls?q=roleAssignee`: returns every role in every state, unless `role` or `state`
 * limits the result.
 */
export function listOrganizationAcls(sim: SimulatorContext, token: Token, url: URL): Response {
  if (!ROLE_SCOPES.some((scope) => token.scopes.includes(scope))) {
    return accessDenied("organizationAcls.FINDER-roleAssignee");
  }
  if (url.searchParams.get("q") !== "roleAssignee") {
    return errorResponse(400, "ILLEGAL_ARGUMENT", "q must be roleAssignee");
  }
  const wanted = { role: url.searchParams.get("role"), state: url.searchParams.get("state") };
  const elements = rolesOf(sim, token.login)
    .filter(({ role, state }) => (wanted.role ?? role) === role && (wanted.state ?? state) === state)
    .map(({ organization, role, state }) => ({
      role,
      state,
      organization: organizationUrn(organization),
      roleAssignee: personUrn(token.login),
    }));
  return Response.json({ paging: { start: 0, count: 100, links: [] }, elements });
}

const organizationJson = ({ id, name, vanityName, isBrand }: Organization): JsonObject => ({
  id,
  localizedName: name,
  name: { localized: { en_US: name }, preferredLocale: { country: "US", language: "en" } },
  vanityName,
  primaryOrganizationType: isBrand ? "BRAND" : "NONE",
});

/**
 * The organization with the id. Showcase pages do not count as organizations:
 * https://github.com/gitroomhq/postiz-app/pull/1535.
 */
const findOrganization = (id: string): Organization | undefined =>
  ORGANIZATIONS.find((candidate) => !candidate.isBrand && String(candidate.id) === id);

/** Handles `GET /rest/organizations/{id}`: only for approved administrators; other roles are not enough. */
export function readOrganization(sim: SimulatorContext, token: Token, id: string): Response {
  const organization = findOrganization(id);
  if (!organization) {
    return errorResponse(404, "NOT_FOUND", "Organization not found");
  }
  return token.scopes.includes("rw_organization_admin") && isAdministrator(sim, token.login, organization)
    ? Response.json({ ...organizationJson(organization), versionTag: "1" })
    : adminOnly(organizationUrn(organization));
}

/** Handles `GET /rest/organizationsLookup?ids=List(1,2)`: returns a few public fields of any organization. */
export function lookUpOrganizations(sim: SimulatorContext, token: Token, url: URL): Response {
  if (!token.scopes.includes("rw_organization_admin") || sim.settings.extra["no_lookup"] === true) {
    return accessDenied("organizationsLookup.BATCH_GET");
  }
  // In Rest.li 2.0 the brackets and commas of a list are not percent-encoded.
  const ids = /[?&]ids=List\((?<ids>\d+(?:,\d+)*)\)(?:&|$)/.exec(url.search)?.groups?.["ids"]?.split(",");
  if (!ids) {
    return resourceNotFound("Invalid query parameters passed to request: ids");
  }
  const found = ids.flatMap((id) => findOrganization(id) ?? []);
  return Response.json({
    results: Object.fromEntries(found.map((organization) => [organization.id, organizationJson(organization)])),
    statuses: Object.fromEntries(ids.map((id) => [id, findOrganization(id) ? 200 : 404])),
    errors: {},
  });
}

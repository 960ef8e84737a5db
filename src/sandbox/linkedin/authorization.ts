import type { JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { bearerToken, findValidToken, type Token, TOKENS } from "#sandbox/oauth-server.ts";
import { accessDenied, resourceNotFound, errorResponse, versionMissing } from "./error-responses.ts";
import { canPostAsOrganization, personUrn } from "./test-users.ts";

/* Authentication, API versions and permission to act for an author (platforms/linkedin.md parts 0 and 4). */

const MONTHS_SUPPORTED = 12;
const monthNumber = (year: number, month: number): number => year * 12 + month - 1;
/**
 * The month of the documentation that the sandbox follows. It is fixed, so that the same commit passes the same tests
 * in later years.
 */
const DOCUMENTED_MONTH = monthNumber(2026, 11);

/** The caller's token, or one of four error responses. */
export function authenticate(request: Request, sim: SimulatorContext): Token | Response {
  const secret = bearerToken(request);
  if (secret === null) {
    return errorResponse(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token");
  }
  const stored = TOKENS.find(sim, secret);
  if (stored?.kind !== "access") {
    return errorResponse(401, "INVALID_ACCESS_TOKEN", "Invalid access token", 65_600);
  }
  if (stored.revoked) {
    return errorResponse(
      401,
      "REVOKED_ACCESS_TOKEN",
      "The token used in the request has been revoked by the user",
      65_601,
    );
  }
  return (
    findValidToken(sim, secret, "access") ??
    errorResponse(401, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired", 65_602)
  );
}

/**
 * Checks the header `linkedin-version`; returns the error response or null. LinkedIn names a version after its month
 * and supports it for a year. The sandbox supports the 12 months up to November 2026, or as many as the setting
 * `version_months` says.
 */
export function checkVersion(request: Request, sim: SimulatorContext): Response | null {
  const version = request.headers.get("linkedin-version");
  if (version === null) {
    return versionMissing();
  }
  const { year, month } = /^(?<year>\d{4})(?<month>0[1-9]|1[0-2])$/.exec(version)?.groups ?? {};
  const now = new Date(sim.now());
  const versionMonth = monthNumber(Number(year), Number(month));
  const oldest = DOCUMENTED_MONTH - Number(sim.settings.extra["version_months"] ?? MONTHS_SUPPORTED);
  // An expired, a future and a malformed version give the same error.
  if (!(versionMonth >= oldest && versionMonth <= monthNumber(now.getUTCFullYear(), now.getUTCMonth() + 1))) {
    return errorResponse(426, "NONEXISTENT_VERSION", `Requested version ${version} is not active`);
  }
  return request.headers.get("x-restli-protocol-version") === "2.0.0"
    ? null
    : resourceNotFound("No root resource defined for path; check X-Restli-Protocol-Version");
}

/** Checks that the token may post for the author. Returns the error response, or null. */
export function checkCanPostAs(sim: SimulatorContext, token: Token, author: JsonValue | undefined): Response | null {
  const isAllowed =
    author === personUrn(token.login)
      ? token.scopes.includes("w_member_social")
      : canPostAsOrganization(sim, token.login, author) && token.scopes.includes("w_organization_social");
  return isAllowed ? null : accessDenied("partnerApiPostsExternal.CREATE");
}

/**
 * Whether the token can read the author's posts. Only an organization's posts can be read, and only with a role that
 * may post for it.
 */
export const canReadPostsOf = (sim: SimulatorContext, token: Token, author: string): boolean =>
  canPostAsOrganization(sim, token.login, author) && token.scopes.includes("r_organization_social");

import type { JsonValue } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import { bearer, liveToken, type Token } from "#sandbox/grants.ts";
import { forbidden, noSuchResource, problem } from "./answers.ts";
import { organizationsOf, organizationUrn, personUrn } from "./people.ts";

/* Who calls, with which version of the API, and for whom: platforms/linkedin.md parts 0 and 4. */

const MONTHS_SUPPORTED = 12;

/** The caller's token, or the one of four refusals that it earns. */
export function sessionOf(request: Request, sim: Sim): Token | Response {
  const secret = bearer(request);
  if (secret === null) {
    return problem(401, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token");
  }
  const known = sim.store.get(`token:${secret}`) as Token | undefined;
  if (known?.kind !== "access") {
    return problem(401, "INVALID_ACCESS_TOKEN", "Invalid access token", 65_600);
  }
  if (known.revoked) {
    return problem(401, "REVOKED_ACCESS_TOKEN", "The token used in the request has been revoked by the user", 65_601);
  }
  return (
    liveToken(sim, secret, "access") ??
    problem(401, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired", 65_602)
  );
}

const monthsOf = (year: number, month: number): number => year * 12 + month - 1;

/** Versions are months; each is answered for a year, or as long as the switch `version_months` says. */
export function versionRefusal(request: Request, sim: Sim): Response | null {
  const version = request.headers.get("linkedin-version");
  if (version === null) {
    return problem(
      400,
      "VERSION_MISSING",
      "A version must be present. Please specify a version by adding the LinkedIn-Version header.",
    );
  }
  const { year, month } = /^(?<year>\d{4})(?<month>0[1-9]|1[0-2])$/.exec(version)?.groups ?? {};
  const now = new Date(sim.now());
  const age = monthsOf(now.getUTCFullYear(), now.getUTCMonth() + 1) - monthsOf(Number(year), Number(month));
  const window = sim.settings.extra["version_months"] ?? MONTHS_SUPPORTED;
  // Too old, too new and none at all are told in the same words.
  if (!(age >= 0 && age <= Number(window))) {
    return problem(426, "NONEXISTENT_VERSION", `Requested version ${version} is not active`);
  }
  return request.headers.get("x-restli-protocol-version") === "2.0.0"
    ? null
    : noSuchResource("No root resource defined for path; check X-Restli-Protocol-Version");
}

const administers = (sim: Sim, login: string, author: JsonValue | undefined): boolean =>
  organizationsOf(sim, login).some((one) => author === organizationUrn(one));

/** Null when the session may act for the author; the refusal otherwise. */
export function mayPostAs(sim: Sim, session: Token, author: JsonValue | undefined): Response | null {
  const isOpen =
    author === personUrn(session.login)
      ? session.scopes.includes("w_member_social")
      : administers(sim, session.login, author) && session.scopes.includes("w_organization_social");
  return isOpen ? null : forbidden("partnerApiPostsExternal.CREATE");
}

/** Only an organisation's posts can be read back, and only by those who run it. */
export const mayRead = (sim: Sim, session: Token, author: string): boolean =>
  administers(sim, session.login, author) && session.scopes.includes("r_organization_social");

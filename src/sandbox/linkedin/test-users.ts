import type { JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";

/**
 * The roles in an organization:
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role
 */
type Role = "ADMINISTRATOR" | "CONTENT_ADMINISTRATOR" | "DIRECT_SPONSORED_CONTENT_POSTER" | "ANALYST" | "CURATOR";
type RoleState = "APPROVED" | "REJECTED" | "REQUESTED" | "REVOKED";

const POSTING_ROLES: ReadonlySet<Role> = new Set(["ADMINISTRATOR", "CONTENT_ADMINISTRATOR"]);

export interface Organization {
  readonly id: number;
  readonly name: string;
  readonly vanityName: string;
  /** Whether the organization is a showcase page, whose URN has another type. */
  readonly isBrand: boolean;
}

/** A member's role in an organization. */
export interface RoleAssignment {
  readonly organization: Organization;
  readonly role: Role;
  readonly state: RoleState;
}

export interface TestUser {
  readonly sub: string;
  readonly name: string;
  readonly vanityName: string;
  readonly roles: readonly RoleAssignment[];
}

const EXAMPLE: Organization = { id: 5_515_715, name: "Example GmbH", vanityName: "example-gmbh", isBrand: false };
const STUDIO: Organization = { id: 7_700_001, name: "Example Studio", vanityName: "example-studio", isBrand: false };
const RUNNING: Organization = { id: 88_912_973, name: "Example Running", vanityName: "example-running", isBrand: true };

export const ORGANIZATIONS: readonly Organization[] = [EXAMPLE, STUDIO, RUNNING];

export const TEST_USERS: Readonly<Record<string, TestUser>> = {
  ada: {
    sub: "AbC123xyz",
    name: "Ada Example",
    vanityName: "ada-example",
    roles: [{ organization: EXAMPLE, role: "ADMINISTRATOR", state: "APPROVED" }],
  },
  ben: { sub: "BeN456uvw", name: "Ben Example", vanityName: "ben-example", roles: [] },
  cleo: {
    sub: "ClE789rst",
    name: "Cleo Example",
    vanityName: "cleo-example",
    roles: [
      { organization: EXAMPLE, role: "ANALYST", state: "APPROVED" },
      { organization: STUDIO, role: "CONTENT_ADMINISTRATOR", state: "APPROVED" },
    ],
  },
  dora: {
    sub: "DoR012opq",
    name: "Dora Example",
    vanityName: "dora-example",
    roles: [
      { organization: EXAMPLE, role: "ADMINISTRATOR", state: "REVOKED" },
      { organization: RUNNING, role: "ADMINISTRATOR", state: "APPROVED" },
    ],
  },
};

export const personUrn = (login: string): string => `urn:li:person:${TEST_USERS[login]?.sub ?? ""}`;
export const organizationUrn = ({ id, isBrand }: Organization): string =>
  `urn:li:${isBrand ? "organizationBrand" : "organization"}:${id}`;

/** The roles of a login. With the setting `lost_admin` it has none; with `only_analyst` every role is analyst. */
export function rolesOf(sim: SimulatorContext, login: string): readonly RoleAssignment[] {
  if (sim.settings.extra["lost_admin"] === true) {
    return [];
  }
  const roles = TEST_USERS[login]?.roles ?? [];
  return sim.settings.extra["only_analyst"] === true ? roles.map((role) => ({ ...role, role: "ANALYST" })) : roles;
}

const allowsPosting = ({ role, state }: RoleAssignment): boolean => state === "APPROVED" && POSTING_ROLES.has(role);

export const canPostAsOrganization = (sim: SimulatorContext, login: string, author: JsonValue | undefined): boolean =>
  rolesOf(sim, login).some((role) => allowsPosting(role) && author === organizationUrn(role.organization));

export const isAdministrator = (sim: SimulatorContext, login: string, { id }: Organization): boolean =>
  rolesOf(sim, login).some(
    ({ organization, role, state }) => organization.id === id && role === "ADMINISTRATOR" && state === "APPROVED",
  );

/** The URNs of the member and of the organizations that a login can post for. */
export const accountsOf = (login: string): readonly string[] => [
  personUrn(login),
  ...(TEST_USERS[login]?.roles ?? []).filter(allowsPosting).map(({ organization }) => organizationUrn(organization)),
];

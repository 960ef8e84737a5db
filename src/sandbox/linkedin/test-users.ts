import type { SimulatorContext } from "#sandbox/contract.ts";

export interface Organization {
  readonly id: number;
  readonly name: string;
  readonly vanityName: string;
  readonly role: string;
}

export interface TestUser {
  readonly sub: string;
  readonly name: string;
  readonly vanityName: string;
  readonly organizations: readonly Organization[];
}

export const TEST_USERS: Readonly<Record<string, TestUser>> = {
  ada: {
    sub: "AbC123xyz",
    name: "Ada Example",
    vanityName: "ada-example",
    organizations: [{ id: 5_515_715, name: "Example GmbH", vanityName: "example-gmbh", role: "ADMINISTRATOR" }],
  },
  ben: { sub: "BeN456uvw", name: "Ben Example", vanityName: "ben-example", organizations: [] },
};

export const personUrn = (login: string): string => `urn:li:person:${TEST_USERS[login]?.sub ?? ""}`;
export const organizationUrn = ({ id }: Organization): string => `urn:li:organization:${id}`;

/** The organizations that a login administers; none with the setting `lost_admin`. */
export function organizationsOf(sim: SimulatorContext, login: string): readonly Organization[] {
  return sim.settings.extra["lost_admin"] === true ? [] : (TEST_USERS[login]?.organizations ?? []);
}

/** The URNs of the member and of the organizations a login can post for. */
export const accountsOf = (login: string): readonly string[] => [
  personUrn(login),
  ...(TEST_USERS[login]?.organizations ?? []).map(organizationUrn),
];

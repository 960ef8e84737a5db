import type { Sim } from "#sandbox/contract.ts";

export interface Organization {
  readonly id: number;
  readonly name: string;
  readonly vanity: string;
  readonly role: string;
}

export interface Person {
  readonly sub: string;
  readonly name: string;
  readonly vanity: string;
  readonly organizations: readonly Organization[];
}

export const PEOPLE: Readonly<Record<string, Person>> = {
  ada: {
    sub: "AbC123xyz",
    name: "Ada Example",
    vanity: "ada-example",
    organizations: [{ id: 5_515_715, name: "Example GmbH", vanity: "example-gmbh", role: "ADMINISTRATOR" }],
  },
  ben: { sub: "BeN456uvw", name: "Ben Example", vanity: "ben-example", organizations: [] },
};

export const personUrn = (login: string): string => `urn:li:person:${PEOPLE[login]?.sub ?? ""}`;
export const organizationUrn = ({ id }: Organization): string => `urn:li:organization:${id}`;

/** What a login administers now; the switch `lost_admin` takes it away. */
export function organizationsOf(sim: Sim, login: string): readonly Organization[] {
  return sim.settings.extra["lost_admin"] === true ? [] : (PEOPLE[login]?.organizations ?? []);
}

/** Everybody whose posts a login has, by their URNs. */
export const accountsOf = (login: string): readonly string[] => [
  personUrn(login),
  ...(PEOPLE[login]?.organizations ?? []).map(organizationUrn),
];

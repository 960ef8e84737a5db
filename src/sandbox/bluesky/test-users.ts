import type { SimulatorContext } from "#sandbox/contract.ts";

/* Where each test user lives. A DID never changes, but the PDS, its authorization server and the handle may. */

export const ENTRYWAY = "bsky.social";
export const DIRECTORY = "plc.directory";
export const APP_VIEW = "public.api.bsky.app";
export const VIDEO_SERVICE = "video.bsky.app";

export interface Pds {
  readonly host: string;
  /** The audience of tokens that let other services write to this PDS. */
  readonly did: string;
  readonly authorizationServer: string;
  readonly blobLimitBytes: number;
}

/** Limits as in section 3.4: those of Bluesky's hosting, and those of a newly installed self-hosted server. */
const HOSTED: Pds = {
  host: "shimeji.us-east.host.bsky.network",
  did: "did:web:shimeji.us-east.host.bsky.network",
  authorizationServer: ENTRYWAY,
  blobLimitBytes: 52_428_800,
};
const SELF_HOSTED: Pds = {
  host: "pds.example",
  did: "did:web:pds.example",
  authorizationServer: "pds.example",
  blobLimitBytes: 104_857_600,
};
const PDS_LIST: readonly Pds[] = [HOSTED, SELF_HOSTED];

export const findPds = (host: string): Pds | undefined => PDS_LIST.find((pds) => pds.host === host);
export const isAuthorizationServer = (host: string): boolean =>
  PDS_LIST.some((pds) => pds.authorizationServer === host);

export interface TestUser {
  readonly name: string;
  readonly did: string;
  readonly handle: string;
  readonly displayName: string;
  readonly email: string;
  /** The app password. It may be public, because it opens an invented account on an invented server. */
  readonly appPassword: string;
  readonly pds: Pds;
}

export const TEST_USERS: Readonly<Record<"ada" | "ben", TestUser>> = {
  ada: {
    name: "ada",
    did: "did:plc:adasandbox2almanac2test2",
    handle: "ada.bsky.social",
    displayName: "Ada Example",
    email: "ada@example.com",
    appPassword: "adaa-sand-boxx-2222",
    pds: HOSTED,
  },
  ben: {
    name: "ben",
    did: "did:plc:bensandbox2almanac2test2",
    handle: "ben.pds.example",
    displayName: "Ben Example",
    email: "ben@example.com",
    appPassword: "benn-sand-boxx-3333",
    pds: SELF_HOSTED,
  },
};

const ALL_USERS: readonly TestUser[] = Object.values(TEST_USERS);

export const findUserByName = (name: string): TestUser | undefined => ALL_USERS.find((user) => user.name === name);
export const findUserByDid = (did: string): TestUser | undefined => ALL_USERS.find((user) => user.did === did);

/** The present PDS of an account. With the setting `migrated` the account has moved to the other one (rule 27). */
export function pdsOf(sim: SimulatorContext, user: TestUser): Pds {
  const isMigrated = sim.settings.extra["migrated"] === user.name;
  return isMigrated ? (PDS_LIST.find((pds) => pds !== user.pds) ?? user.pds) : user.pds;
}

/** The handle that the DID document contains now. */
export function handleOf(sim: SimulatorContext, user: TestUser): string {
  return sim.settings.extra["handle_changed"] === true ? user.handle.replace(".", "-renamed.") : user.handle;
}

/** Finds a user by handle. With the setting `handle_invalid`, no handle resolves. */
export function findUserByHandle(sim: SimulatorContext, handle: string): TestUser | undefined {
  return sim.settings.extra["handle_invalid"] === true || accountStatus(sim) === "deleted"
    ? undefined
    : ALL_USERS.find((user) => handleOf(sim, user) === handle.toLowerCase());
}

export const findUser = (sim: SimulatorContext, didOrHandle: string): TestUser | undefined =>
  findUserByDid(didOrHandle) ?? findUserByHandle(sim, didOrHandle);

const STATUSES = ["takendown", "suspended", "deactivated", "deleted"] as const;
export type AccountStatus = (typeof STATUSES)[number];

/** Why the accounts are not active; null if they are. */
export function accountStatus(sim: SimulatorContext): AccountStatus | null {
  const status = sim.settings.extra["account_status"];
  return STATUSES.find((one) => one === status) ?? null;
}

/** Matches a handle: at least two labels of letters, digits and hyphens (W specs/handle). */
export const HANDLE = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
export const DID = /^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/;

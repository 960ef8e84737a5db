import { sha256Hex } from "#core/encoding.ts";
import type { Platform } from "#core/platform.ts";
import type { Config } from "#config.ts";
import type { Services } from "#context.ts";
import type { Adapter, ConnectField, ConnectMethod } from "#platforms/contract.ts";
import { fieldsOf } from "./connect-methods.ts";
import { findOpenState, type OpenState, type StateLookup } from "./store-connect-states.ts";

const MAX_STATE_LENGTH = 500;

export const INVALID_STATE_MESSAGE =
  "This login link was already used, is older than ten minutes, or belongs to another user. Start again from Almanac.";

/** The login link that a browser opened. */
export interface ConnectLink {
  readonly platform: Platform;
  readonly state: string;
  /** The user who is signed in in that browser; null if nobody is. A login that another user started is refused. */
  readonly signedInUserId: string | null;
}

/** A login that can start, with what the page before it shows. */
export interface OpenConnect {
  readonly platform: Platform;
  readonly workspaceName: string;
  readonly ownerEmail: string;
  readonly methods: readonly ConnectForm[];
  /** The form values that the API caller already sent when it created the login link. */
  readonly input: Readonly<Record<string, string>>;
  /**
   * The platform's sentence on which accounts get connected. Null if the person chooses them here and not at the
   * platform.
   */
  readonly choiceOfAccounts: string | null;
}

interface ConnectForm {
  readonly kind: ConnectMethod["kind"];
  readonly fields: readonly ConnectField[];
}

type LookupServices = Pick<Services, "db" | "clock">;

/** Hashes the `state` of a login link for the database. Null if the text has not the form of a `state`. */
export async function stateLookup(services: LookupServices, link: ConnectLink): Promise<StateLookup | null> {
  const { platform, state, signedInUserId } = link;
  return state === "" || state.length > MAX_STATE_LENGTH
    ? null
    : { hash: await sha256Hex(state), platform, signedInUserId, now: services.clock.now() };
}

export function toOpenConnect(
  config: Pick<Config, "app">,
  { platform, connect }: Adapter,
  found: OpenState,
): OpenConnect {
  const app = config.app(platform);
  return {
    platform,
    workspaceName: found.workspaceName,
    ownerEmail: found.ownerEmail,
    methods: connect.methods.map((method) => ({ kind: method.kind, fields: fieldsOf(method) })),
    input: found.input,
    choiceOfAccounts: (app && connect.choiceOfAccounts?.(app)) ?? null,
  };
}

/** Finds the login of a link without changing anything; null if the link was used, has expired or belongs to another user. */
export async function findConnect(
  services: LookupServices & Pick<Services, "adapterFor" | "config">,
  link: ConnectLink,
): Promise<OpenConnect | null> {
  const lookup = await stateLookup(services, link);
  const found = lookup && (await findOpenState(services.db, lookup));
  const adapter = services.adapterFor(link.platform);
  return found && adapter ? toOpenConnect(services.config, adapter, found) : null;
}

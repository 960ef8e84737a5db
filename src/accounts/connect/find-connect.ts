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

/** Which login a browser asks for. */
export interface ConnectLink {
  readonly platform: Platform;
  readonly state: string;
  /** The user signed in in that browser, if any: a login that another user started is then refused. */
  readonly signedInUserId: string | null;
}

/** A login that may be started: what the page in front of it shows. */
export interface OpenConnect {
  readonly platform: Platform;
  readonly workspaceName: string;
  readonly ownerEmail: string;
  readonly methods: readonly ConnectForm[];
  /** The values that the caller of the API gave. */
  readonly input: Readonly<Record<string, string>>;
  /** Which accounts of the login are connected, where the person chooses them at the platform. */
  readonly choiceOfAccounts: string | null;
}

/** One way to connect, as a form. */
interface ConnectForm {
  readonly kind: ConnectMethod["kind"];
  readonly fields: readonly ConnectField[];
}

type LookupServices = Pick<Services, "db" | "clock">;

/** Null for a text that cannot be a state. */
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

/** The login behind a link; null when the link was used, has expired or belongs to another user. Changes nothing. */
export async function findConnect(
  services: LookupServices & Pick<Services, "adapterFor" | "config">,
  link: ConnectLink,
): Promise<OpenConnect | null> {
  const lookup = await stateLookup(services, link);
  const found = lookup && (await findOpenState(services.db, lookup));
  const adapter = services.adapterFor(link.platform);
  return found && adapter ? toOpenConnect(services.config, adapter, found) : null;
}

import { sha256Hex } from "#core/encoding.ts";
import type { Context, Services } from "#context.ts";
import { type ConnectionRow, findConnection } from "#accounts/store-connections.ts";
import { type ConnectLink, stateLookup } from "./find-connect.ts";
import { findStoredChoice, type StoredChoice } from "./store-connect-states.ts";

/** Identifies the page on which a browser chooses accounts after it has finished a login. */
export interface ChoiceLink extends ConnectLink {
  /** The cookie that only the browser of the login has. Null, and so refused, in any other browser. */
  readonly browserToken: string | null;
}

export interface OpenChoice extends Pick<StoredChoice, "workspaceName" | "ownerEmail"> {
  readonly connection: ConnectionRow;
}

/**
 * Finds the login whose accounts a browser chooses. Null if the page has expired, or belongs to another browser or
 * user.
 */
export async function findChoice(
  services: Pick<Services, "db" | "clock">,
  { browserToken, ...link }: ChoiceLink,
): Promise<OpenChoice | null> {
  const lookup = await stateLookup(services, link);
  const found =
    lookup && browserToken ? await findStoredChoice(services.db, lookup, await sha256Hex(browserToken)) : null;
  const connection = found && (await findConnection(services.db, found.connectionId));
  return found && connection ? { workspaceName: found.workspaceName, ownerEmail: found.ownerEmail, connection } : null;
}

/** Finds a login of the actor in the active workspace. Null if it is unknown, erased or another user's. */
export async function findOwnChoice(ctx: Pick<Context, "actor" | "db">, id: string): Promise<ConnectionRow | null> {
  const row = await findConnection(ctx.db, id);
  // mutant: anyone-chooses
  const isOwn = row?.userId === ctx.actor.userId && row.workspaceId === ctx.actor.workspaceId;

  return isOwn && row.sealedTokens !== null ? row : null;
}

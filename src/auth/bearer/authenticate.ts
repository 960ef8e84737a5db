import type { Actor } from "#core/actor.ts";
import { MINUTE } from "#core/clock.ts";
import type { Context, Services } from "#context.ts";
import { openConditionalDb } from "#db/conditional.ts";
import { hashSecret, KIND_LETTERS, secretKind } from "#auth/secrets.ts";
import { subscriptionAccess } from "#auth/subscriptions/access.ts";
import { deleteCachedRow, type OpenCredential, readCachedRow, writeCachedRow } from "./location-cache.ts";
import {
  forgetCredential,
  recallCredential,
  rememberCredential,
  type RememberedCredential,
} from "./remembered-credentials.ts";
import {
  type CredentialId,
  type CredentialRow,
  findCredential,
  readCredential,
  recordKeyUse,
  unchangedStatement,
} from "./store.ts";
import { unverifiedServices } from "./unverified-services.ts";

export type PresentedCredential =
  | ({ readonly ok: true } & OpenCredential)
  | { readonly ok: false; readonly reason: "missing" | "invalid" };

/** A caller who names a workspace that is unknown, of another user, or not the one of a pinned credential. */
type CallerWithoutWorkspace = Omit<Actor, "workspaceId">;

export type Authentication =
  | {
      readonly ok: true;
      readonly actor: Actor;
      /** Whether the caller may name one of several workspaces. */
      readonly namesWorkspaces: boolean;
    }
  | { readonly ok: false; readonly reason: "missing" | "invalid" }
  | { readonly ok: false; readonly reason: "unknown_workspace"; readonly caller: CallerWithoutWorkspace };

/** What the database said about a remembered credential, after the request was handled. */
type Verification =
  | "unchanged"
  /** The credential has changed and the request did nothing. Answer it again with the caller's current data. */
  | "changed"
  /** The database's response to a write was lost, so nobody knows whether the write happened. */
  | "unknown";

/** A caller that an earlier request with the same credential authenticated. The response must wait for `verify`. */
export interface RememberedCaller {
  readonly ctx: Context;
  /**
   * Asks the database whether the credential is unchanged, unless a database call of the handler has already done so.
   */
  verify(): Promise<Verification>;
}

const LAST_USED_GRANULARITY_MS = 5 * MINUTE;
// `Bearer` is case-insensitive (RFC 9110 11.1), and exactly one space follows it (RFC 6750, bearer tokens).
const BEARER = /^[Bb][Ee][Aa][Rr][Ee][Rr] (al([ka])_[0-9A-Za-z]{49})$/;
const KINDS: Readonly<Record<string, CredentialId["kind"]>> = {
  [KIND_LETTERS.api_key]: "api_key",
  [KIND_LETTERS.access_token]: "access_token",
};

/**
 * Reads the credential of an `Authorization` header without asking the database. `resource` is the URL of the API or of
 * the MCP server. An access token works only for the one that its user granted, an API key for both. `workspace` is the
 * one that the request names.
 */
export async function presentedCredential(
  authorization: string | null,
  resource: string,
  workspace: string | null = null,
): Promise<PresentedCredential> {
  if (authorization === null) {
    return { ok: false, reason: "missing" };
  }
  const [, token = "", letter = ""] = BEARER.exec(authorization) ?? [];
  const kind = KINDS[letter];
  return kind === undefined
    ? { ok: false, reason: "invalid" }
    : { ok: true, id: { kind, hash: await hashSecret(token), resource, workspace }, token };
}

/**
 * Authenticates a credential with one D1 statement, or with none if the token is mistyped. The result is remembered
 * here and in the location.
 */
export async function authenticate(
  services: Pick<Services, "db" | "clock" | "config" | "defer" | "ids">,
  { id, token }: OpenCredential,
): Promise<Authentication> {
  if (secretKind(token) === null) {
    return { ok: false, reason: "invalid" };
  }
  const now = services.clock.now();
  const found = await findCredential(services.db, id, now);
  if (found === null) {
    forgetCredential(id);
    services.defer(deleteCachedRow(id));
    return { ok: false, reason: "invalid" };
  }
  const row = readCredential(found.text);
  const credential: RememberedCredential = { id, text: found.text, row, lastUsedAt: found.last_used_at };
  recordUse(services, credential, now);
  const caller = callerOf(services, id, row, now);
  if (row.workspaceId === null) {
    return { ok: false, reason: "unknown_workspace", caller };
  }
  rememberCredential(credential);
  services.defer(writeCachedRow(services.ids, { id, token }, credential));
  const namesWorkspaces = found.has_several === 1 && !row.isPinned;
  return { ok: true, actor: { ...caller, workspaceId: row.workspaceId }, namesWorkspaces };
}

/**
 * Returns the caller that an earlier request with this credential authenticated, in this isolate or another one of the
 * location. Null if none is remembered. The first database call through `ctx` also checks that the credential's row has
 * not changed, so an outdated row never does or shows anything. This function refuses nobody: the handler calls
 * `authenticate` for that.
 */
export async function rememberedCaller(
  services: Services,
  presented: OpenCredential,
): Promise<RememberedCaller | null> {
  const { id } = presented;
  const credential = recallCredential(id) ?? (await recallFromLocation(presented));
  const now = services.clock.now();
  const { workspaceId = null, expiresAt = null } = credential?.row ?? {};
  if (credential === undefined || workspaceId === null || (expiresAt !== null && expiresAt <= now)) {
    return null;
  }
  // mutant: compared-as-remembered
  const conditional = openConditionalDb(services.db, () => unchangedStatement(services.db, id, credential.text));
  return {
    ctx: {
      ...unverifiedServices(services, conditional),
      actor: { ...callerOf(services, id, credential.row, now), workspaceId },
    },
    async verify() {
      if (await conditional.isMet()) {
        recordUse(services, credential, now);
        return "unchanged";
      }
      forgetCredential(id);
      return conditional.mayHaveRun() ? "unknown" : "changed";
    },
  };
}

async function recallFromLocation(presented: OpenCredential): Promise<RememberedCredential | undefined> {
  const cached = secretKind(presented.token) === null ? null : await readCachedRow(presented);
  if (cached === null) {
    return undefined;
  }
  const { text, lastUsedAt } = cached;
  const credential: RememberedCredential = { id: presented.id, text, row: readCredential(text), lastUsedAt };
  rememberCredential(credential);
  return credential;
}

function recordUse({ db, defer }: Pick<Services, "db" | "defer">, credential: RememberedCredential, now: number): void {
  const { id, row, lastUsedAt } = credential;
  if (id.kind === "api_key" && (lastUsedAt === null || lastUsedAt <= now - LAST_USED_GRANULARITY_MS)) {
    credential.lastUsedAt = now;
    defer(recordKeyUse(db, row.id, now, LAST_USED_GRANULARITY_MS));
  }
}

function callerOf(
  { config }: Pick<Services, "config">,
  { kind, resource, workspace }: CredentialId,
  row: CredentialRow,
  now: number,
): CallerWithoutWorkspace {
  return {
    userId: row.userId,
    workspaceFrom: row.isPinned ? "credential" : workspace === null ? "user" : "request",
    ...subscriptionAccess(config, { subscription: row.subscription, emailVerified: row.emailVerifiedAt !== null }, now),
    scopes: row.scopes,
    credential: {
      kind: kind === "api_key" ? "api_key" : "oauth",
      id: row.id,
      name: row.name,
      confirms: row.confirms,
    },
    via: resource === config.mcpUrl ? "mcp" : "api",
    timeZone: row.timeZone,
    recordsEvents: row.recordsEvents,
  };
}

import { sha256Hex, toBase64Url } from "#core/encoding.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Adapter, Login } from "#platforms/contract.ts";
import { selectAccountsOfConnection, toAccount } from "#accounts/store-accounts.ts";
import { type ConnectionRow, findConnectionOfLogin, findConnection, saveLogin } from "#accounts/store-connections.ts";
import { type ConnectionSync, type SyncServices, syncConnection } from "#accounts/sync/sync-connection.ts";
import { CHOICE_LIFETIME_MS, loginEndsAt, nextSyncAt } from "#accounts/refresh-and-sync-times.ts";
import { sealTokens } from "#accounts/tokens/seal-tokens.ts";
import type { ConnectResult, FinishedConnect } from "#accounts/types.ts";
import { saveChoice } from "./store-connect-states.ts";

const MAX_SAVE_ATTEMPTS = 3;
const SECRET_BYTES = 32;

/** The user and workspace that started a login. */
interface LoginOwner {
  readonly userId: string;
  readonly workspaceId: string;
}

/**
 * Stores a login with its tokens and lists its accounts. A single account is connected; a person chooses among several.
 */
export async function storeLoginAndSync(
  services: SyncServices,
  adapter: Adapter,
  { userId, workspaceId, stateHash }: LoginOwner & { readonly stateHash: string },
  login: Login,
): Promise<FinishedConnect> {
  const connection = await storeLogin(services, adapter, { userId, workspaceId }, login);
  const sync = await syncConnection(services, connection, { afterLogin: true });
  return {
    ...(await toConnectResult(services, connection, sync)),
    reactivatedAccountIds: sync.reactivatedAccountIds,
    blockedAccountIds: sync.blockedAccountIds,
    userId,
    workspaceId,
    choice: sync.mustChoose ? await openChoice(services, stateHash, connection.id) : null,
  };
}

/** Gives the browser of the login a new secret, which opens the page with the choice of accounts. */
async function openChoice({ db, ids, clock }: SyncServices, hash: string, connectionId: string) {
  const browserToken = toBase64Url(ids.random(SECRET_BYTES));
  const expiresAt = clock.now() + CHOICE_LIFETIME_MS;
  await saveChoice(db, { hash, connectionId, browserHash: await sha256Hex(browserToken), expiresAt });
  return { browserToken };
}

/**
 * Stores the tokens of a login, encrypted for the id of its row, so the id is chosen first. A parallel first login may
 * have inserted the row under another id.
 */
async function storeLogin(
  services: SyncServices,
  { connect, platform }: Adapter,
  owner: LoginOwner,
  login: Login,
): Promise<ConnectionRow> {
  const { db, clock, ids } = services;
  const key = { workspaceId: owner.workspaceId, platform, externalId: login.externalId };
  for (let attemptsLeft = MAX_SAVE_ATTEMPTS; attemptsLeft > 0; attemptsLeft -= 1) {
    const id = (await findConnectionOfLogin(db, key))?.id ?? ids.uuid();
    const now = clock.now();
    const tokens = { ...login.tokens, obtainedAt: now };
    const saved = await saveLogin(db, {
      ...key,
      id,
      userId: owner.userId,
      grantOwner: login.grantOwner ?? null,
      displayName: login.displayName.toWellFormed().slice(0, 200),
      sealedTokens: await sealTokens(services, id, login.tokens, now),
      scopes: [...login.tokens.scopes],
      tokenExpiresAt: login.tokens.expiresAt,
      refreshExpiresAt: login.tokens.refreshExpiresAt,
      endsAt: loginEndsAt(connect, login.tokens),
      connectedAt: now,
      nextSyncAt: nextSyncAt({ id, lastSyncedAt: null, chooseUntil: null }, connect, tokens, now),
    });
    const row = saved ? await findConnection(db, id) : undefined;
    if (row) {
      return row;
    }
  }
  throw new Error("a login could not be stored");
}

/** The result that the last page of a browser login shows. */
export async function toConnectResult(
  services: SyncServices,
  { id, platform }: Pick<ConnectionRow, "id" | "platform">,
  sync: Pick<ConnectionSync, "state" | "fault" | "added" | "skipped" | "mustChoose">,
): Promise<ConnectResult> {
  const name = PLATFORM_NAMES[platform];
  if (sync.state === "ended") {
    return { ok: false, platform, reason: `${name}: ${sync.fault?.message ?? "The login ended."}` };
  }
  if (sync.state === "failed") {
    return { ok: true, platform, added: [], updated: [], skipped: [], pending: true };
  }
  const now = services.clock.now();
  const accounts = (await selectAccountsOfConnection(services.db, id)).map((row) => toAccount(row, now));
  if (accounts.length === 0 && !sync.mustChoose) {
    const reasons = sync.skipped.map((skipped) => `${skipped.displayName}: ${skipped.reason}`).join(" ");
    return { ok: false, platform, reason: reasons || `${name} lists no account that can be posted to.` };
  }
  const addedIds = new Set(sync.added);
  return {
    ok: true,
    platform,
    added: accounts.filter((account) => addedIds.has(account.id)),
    updated: accounts.filter((account) => !addedIds.has(account.id)),
    skipped: sync.skipped,
    pending: false,
  };
}

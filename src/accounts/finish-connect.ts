import { sha256Hex } from "#core/encoding.ts";
import { log } from "#core/log.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Login, Result } from "#platforms/contract.ts";
import { failed } from "#platforms/fault.ts";
import { guarded } from "#platforms/oauth-token.ts";
import { type Reach, reach } from "./platform-client.ts";
import { redirectUri } from "./start-connect.ts";
import { selectAccountsOf, toAccount } from "./store.ts";
import { type ConnectionRow, findByLogin, findConnection, saveLogin } from "./store-connections.ts";
import { type UsedState, useState } from "./store-oauth-states.ts";
import { type SyncServices, syncConnection } from "./sync-connection.ts";
import { endsAt, nextSyncAt } from "./token-expiry.ts";
import { notConfigured, sealTokens } from "./seal-tokens.ts";
import type { ConnectEnd, FinishedConnect } from "./types.ts";

const MAX_STATE = 500;
const SAVE_TRIES = 3;

export interface FinishConnectInput {
  readonly platform: Platform;
  /** Every parameter the browser brought back. */
  readonly params: Readonly<Record<string, string>>;
  /** Who is signed in in that browser, if anybody: a login begun by another user is then refused. */
  readonly signedInUserId?: string | null;
}

const STALE =
  "This login link was used already, is older than ten minutes, or belongs to somebody else. Start again from Almanac.";

/** The browser came back: spends the state, exchanges the code at once, and stores the login with its accounts. */
export async function finishConnect(services: SyncServices, input: FinishConnectInput): Promise<FinishedConnect> {
  const { platform, params } = input;
  const state = params["state"] ?? "";
  const used =
    state === "" || state.length > MAX_STATE
      ? null
      : await useState(services.db, {
          hash: await sha256Hex(state),
          platform,
          signedInUserId: input.signedInUserId ?? null,
          now: services.clock.now(),
        });
  if (!used) {
    return { ok: false, platform, reason: STALE, userId: null, workspaceId: null, ...NO_NEWS };
  }
  const owner = { userId: used.userId, workspaceId: used.workspaceId };
  const way = reach(services, platform);
  const login = way ? await exchange(services, way, used, params) : failed<Login>(notConfigured());
  if (!login.ok || !way) {
    const reason = login.ok ? STALE : `${PLATFORM_NAMES[platform]}: ${login.fault.message}${advice(login.fault.kind)}`;
    log("info", "connect_refused", { platform, code: login.ok ? "" : login.fault.code });
    return { ok: false, platform, reason, ...owner, ...NO_NEWS };
  }
  const connection = await store(services, way, used, login.value);
  return { ...(await takeStock(services, connection)), ...owner };
}

const NO_NEWS = { readmittedAccountIds: [], blockedAccountIds: [] } as const;

function advice(kind: string): string {
  return kind === "temporary" || kind === "rate_limited"
    ? " Start again from Almanac in a few minutes."
    : " Start again from Almanac when you want to connect the account.";
}

async function exchange(
  services: SyncServices,
  way: Reach,
  used: UsedState,
  params: Readonly<Record<string, string>>,
): Promise<Result<Login>> {
  return await guarded(
    async () =>
      await way.adapter.connect.exchange(way.client, way.app, {
        redirectUri: redirectUri(services.config.origin, way.adapter.platform),
        params,
        codeVerifier: used.codeVerifier,
        now: services.clock.now(),
      }),
  );
}

/** The tokens are sealed for the id of their row, so the id is settled first; a parallel first login may take it. */
async function store(services: SyncServices, way: Reach, used: UsedState, login: Login): Promise<ConnectionRow> {
  const { db, clock, ids } = services;
  const { connect, platform } = way.adapter;
  const key = { workspaceId: used.workspaceId, platform, externalId: login.externalId };
  for (let left = SAVE_TRIES; left > 0; left -= 1) {
    const id = (await findByLogin(db, key))?.id ?? ids.uuid();
    const now = clock.now();
    const tokens = { ...login.tokens, obtainedAt: now };
    const saved = await saveLogin(db, {
      ...key,
      id,
      userId: used.userId,
      displayName: login.displayName.toWellFormed().slice(0, 200),
      sealedTokens: await sealTokens(services, id, login.tokens, now),
      scopes: [...login.tokens.scopes],
      tokenExpiresAt: login.tokens.expiresAt,
      refreshExpiresAt: login.tokens.refreshExpiresAt,
      endsAt: endsAt(connect, login.tokens),
      connectedAt: now,
      nextSyncAt: nextSyncAt({ id, lastSyncedAt: null }, connect, tokens, now),
    });
    const row = saved ? await findConnection(db, id) : undefined;
    if (row) {
      return row;
    }
  }
  throw new Error("a login could not be stored");
}

/** What the fresh login can post to, in the words of the page that ends it. */
async function takeStock(services: SyncServices, connection: ConnectionRow) {
  const { platform } = connection;
  const name = PLATFORM_NAMES[platform];
  const sync = await syncConnection(services, connection, { afterLogin: true });
  const news = { readmittedAccountIds: sync.readmittedAccountIds, blockedAccountIds: sync.blockedAccountIds };
  if (sync.state === "ended") {
    return { ok: false, platform, reason: `${name}: ${sync.fault?.message ?? "The login ended."}`, ...news } as const;
  }
  if (sync.state === "failed") {
    return { ok: true, platform, added: [], updated: [], skipped: [], pending: true, ...news } as const;
  }
  const now = services.clock.now();
  const accounts = (await selectAccountsOf(services.db, connection.id)).map((row) => toAccount(row, now));
  if (accounts.length === 0) {
    const reasons = sync.skipped.map((skipped) => `${skipped.displayName}: ${skipped.reason}`).join(" ");
    return {
      ok: false,
      platform,
      reason: reasons || `${name} showed no account that can be posted to.`,
      ...news,
    } as const;
  }
  const isAdded = new Set(sync.added);
  const end: ConnectEnd = {
    ok: true,
    platform,
    added: accounts.filter((account) => isAdded.has(account.id)),
    updated: accounts.filter((account) => !isAdded.has(account.id)),
    skipped: sync.skipped,
    pending: false,
  };
  return { ...end, ...news };
}

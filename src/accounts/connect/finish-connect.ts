import { sha256Hex } from "#core/encoding.ts";
import { log } from "#core/log.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Login, Result } from "#platforms/contract.ts";
import { failed } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { type ConfiguredPlatform, platformClient, platformNotConfigured } from "#accounts/platform-client.ts";
import { clientIdentity, noRegistrations, oauthMethod } from "./start-connect.ts";
import { selectAccountsOfConnection, toAccount } from "#accounts/store.ts";
import { type ConnectionRow, findConnectionOfLogin, findConnection, saveLogin } from "#accounts/store-connections.ts";
import { type ConsumedState, consumeState } from "./store-oauth-states.ts";
import { type SyncServices, syncConnection } from "#accounts/sync/sync-connection.ts";
import { loginEndsAt, nextSyncAt } from "#accounts/tokens/refresh-schedule.ts";
import { sealTokens } from "#accounts/tokens/seal-tokens.ts";
import type { ConnectResult, FinishedConnect } from "#accounts/types.ts";

const MAX_STATE_LENGTH = 500;
const MAX_SAVE_ATTEMPTS = 3;

export interface FinishConnectInput {
  readonly platform: Platform;
  /** Every query parameter of the callback. */
  readonly params: Readonly<Record<string, string>>;
  /** The user signed in in that browser, if any: a login that another user started is then refused. */
  readonly signedInUserId?: string | null;
}

const INVALID_STATE_MESSAGE =
  "This login link was already used, is older than ten minutes, or belongs to another user. Start again from Almanac.";

/** Handles the OAuth callback: consumes the state, exchanges the code, and stores the connection with its accounts. */
export async function finishConnect(services: SyncServices, input: FinishConnectInput): Promise<FinishedConnect> {
  const { platform, params } = input;
  const state = params["state"] ?? "";
  const consumed =
    state === "" || state.length > MAX_STATE_LENGTH
      ? null
      : await consumeState(services.db, {
          hash: await sha256Hex(state),
          platform,
          signedInUserId: input.signedInUserId ?? null,
          now: services.clock.now(),
        });
  if (!consumed) {
    return { ok: false, platform, reason: INVALID_STATE_MESSAGE, userId: null, workspaceId: null, ...NO_CHANGES };
  }
  const owner = { userId: consumed.userId, workspaceId: consumed.workspaceId };
  const configured = platformClient(services, platform);
  const login = configured
    ? await exchangeCode(services, configured, consumed, params)
    : failed<Login>(platformNotConfigured());
  if (!login.ok || !configured) {
    const reason = login.ok
      ? INVALID_STATE_MESSAGE
      : `${PLATFORM_NAMES[platform]}: ${login.fault.message}${retryAdvice(login.fault.kind)}`;
    log("info", "connect_refused", { platform, code: login.ok ? "" : login.fault.code });
    return { ok: false, platform, reason, ...owner, ...NO_CHANGES };
  }
  const connection = await storeLogin(services, configured, consumed, login.value);
  return { ...(await syncAfterLogin(services, connection)), ...owner };
}

const NO_CHANGES = { reactivatedAccountIds: [], blockedAccountIds: [] } as const;

function retryAdvice(kind: string): string {
  return kind === "temporary" || kind === "rate_limited"
    ? " Start again from Almanac in a few minutes."
    : " Start again from Almanac when you want to connect the account.";
}

async function exchangeCode(
  services: SyncServices,
  configured: ConfiguredPlatform,
  consumed: ConsumedState,
  params: Readonly<Record<string, string>>,
): Promise<Result<Login>> {
  const { adapter, app, client } = configured;
  const method = oauthMethod(adapter);
  if (!method) {
    return failed(platformNotConfigured());
  }
  return await catchConnectionErrors(
    async () =>
      await method.exchangeCode(client, app, {
        ...clientIdentity(services.config.origin, adapter.platform),
        params,
        codeVerifier: consumed.codeVerifier,
        started: {},
        registrations: noRegistrations,
        now: services.clock.now(),
      }),
  );
}

/** The tokens are encrypted for the id of their row, so the id is chosen first; a parallel first login may insert another. */
async function storeLogin(
  services: SyncServices,
  configured: ConfiguredPlatform,
  consumed: ConsumedState,
  login: Login,
): Promise<ConnectionRow> {
  const { db, clock, ids } = services;
  const { connect, platform } = configured.adapter;
  const key = { workspaceId: consumed.workspaceId, platform, externalId: login.externalId };
  for (let attemptsLeft = MAX_SAVE_ATTEMPTS; attemptsLeft > 0; attemptsLeft -= 1) {
    const id = (await findConnectionOfLogin(db, key))?.id ?? ids.uuid();
    const now = clock.now();
    const tokens = { ...login.tokens, obtainedAt: now };
    const saved = await saveLogin(db, {
      ...key,
      id,
      userId: consumed.userId,
      displayName: login.displayName.toWellFormed().slice(0, 200),
      sealedTokens: await sealTokens(services, id, login.tokens, now),
      scopes: [...login.tokens.scopes],
      tokenExpiresAt: login.tokens.expiresAt,
      refreshExpiresAt: login.tokens.refreshExpiresAt,
      endsAt: loginEndsAt(connect, login.tokens),
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

/** Lists the accounts of a new login; the result is what the last page of the browser login shows. */
async function syncAfterLogin(services: SyncServices, connection: ConnectionRow) {
  const { platform } = connection;
  const name = PLATFORM_NAMES[platform];
  const sync = await syncConnection(services, connection, { afterLogin: true });
  const changes = { reactivatedAccountIds: sync.reactivatedAccountIds, blockedAccountIds: sync.blockedAccountIds };
  if (sync.state === "ended") {
    return {
      ok: false,
      platform,
      reason: `${name}: ${sync.fault?.message ?? "The login ended."}`,
      ...changes,
    } as const;
  }
  if (sync.state === "failed") {
    return { ok: true, platform, added: [], updated: [], skipped: [], pending: true, ...changes } as const;
  }
  const now = services.clock.now();
  const accounts = (await selectAccountsOfConnection(services.db, connection.id)).map((row) => toAccount(row, now));
  if (accounts.length === 0) {
    const reasons = sync.skipped.map((skipped) => `${skipped.displayName}: ${skipped.reason}`).join(" ");
    return {
      ok: false,
      platform,
      reason: reasons || `${name} lists no account that can be posted to.`,
      ...changes,
    } as const;
  }
  const addedIds = new Set(sync.added);
  const result: ConnectResult = {
    ok: true,
    platform,
    added: accounts.filter((account) => addedIds.has(account.id)),
    updated: accounts.filter((account) => !addedIds.has(account.id)),
    skipped: sync.skipped,
    pending: false,
  };
  return { ...result, ...changes };
}

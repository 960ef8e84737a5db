import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import type { Connector, Fault, Result, TokenSet } from "#platforms/contract.ts";
import { failed, rateLimited, reconnect, succeeded, temporary } from "#platforms/fault.ts";
import { catchConnectionErrors, withEitherSecret } from "#platforms/oauth-token.ts";
import {
  type ConfiguredPlatform,
  clientForLogin,
  configuredPlatform,
  platformNotConfigured,
  withTimeoutCap,
} from "#accounts/configured-platform.ts";
import {
  type ConnectionRow,
  endLogin,
  expireToken,
  findConnection,
  extendLease,
  LEASE_MS,
  replaceTokens,
  takeLease,
} from "#accounts/store-connections.ts";
import {
  isRefreshable,
  loginEndsAt,
  isExpired,
  nextSyncAt,
  refreshAt,
  type StoredTokens,
} from "#accounts/refresh-and-sync-times.ts";
import { sealTokens, tokenUnreadable, unsealTokens } from "./seal-tokens.ts";

/* A rotating refresh token works only once, and two parallel refreshes would lose the login. So only the caller with
   the lease refreshes and stores the new pair. Other callers wait and read the row again; after the last wait they
   fail with a temporary fault. */

export type RefreshServices = Pick<Services, "db" | "config" | "clock" | "ids" | "outbound" | "adapterFor">;

/** A login with tokens that are valid now. */
export interface ActiveLogin {
  readonly row: ConnectionRow;
  readonly tokens: StoredTokens;
  readonly platform: ConfiguredPlatform;
  /** Why the due refresh failed; the stored tokens still work until they expire. Absent if no refresh failed. */
  readonly refreshFault?: Fault;
  /** Whether an account of the login is blocked. Absent if no refresh has read it. */
  readonly hasBlockedAccounts?: boolean;
}

const LEASE_POLL_WAITS_MS = [100, 200, 400, 600, 700];
/**
 * The timeout of one refresh call. A refresh makes up to two calls with each app secret, and a wrong secret is refused
 * at once. Two calls with the right secret must end before the lease.
 */
const CALL_TIMEOUT_MS = 12 * SECOND;
const MIN_RETRY_WAIT_MS = 5 * SECOND;
const MAX_RETRY_WAIT_MS = 15 * MINUTE;
const MAX_STORE_ATTEMPTS = 3;

/** Returns a login with its tokens, after a token refresh if that is due. */
export async function loadActiveLogin(
  services: RefreshServices,
  connection: ConnectionRow,
): Promise<Result<ActiveLogin>> {
  const platform = configuredPlatform(services, connection.platform);
  let row = connection;
  for (const waitMs of [...LEASE_POLL_WAITS_MS, null]) {
    if (row.status !== "active") {
      return failed(loginEnded(row.statusReason));
    }
    if (!platform) {
      return failed(platformNotConfigured());
    }
    const tokens = await unsealTokens(services, row);
    if (!tokens) {
      return failed(tokenUnreadable());
    }
    const login: ActiveLogin = { row, tokens, platform };
    const now = services.clock.now();
    if (!isRefreshDue(platform.adapter.connect, tokens, now)) {
      return isExpired(tokens, now) ? await endRefusedLogin(services, login, expiredFault()) : succeeded(login);
    }
    const leasedForMs = (row.refreshLeaseUntil ?? 0) - now;
    if (leasedForMs <= 0 && (await takeLease(services.db, row, now))) {
      return await refreshUnderLease(services, login);
    }
    if (waitMs === null || leasedForMs > LEASE_MS) {
      return isExpired(tokens, now) ? failed(refreshInProgress(leasedForMs)) : succeeded(login);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs);
    });
    row = (await findConnection(services.db, row.id)) ?? row;
  }
  return failed(refreshInProgress(0));
}

function isRefreshDue(connect: Connector, tokens: StoredTokens, now: number): boolean {
  const due = refreshAt(connect, tokens);
  return due !== null && due <= now;
}

/** Refreshes the tokens at the platform. The caller must hold the lease of the login. */
async function refreshUnderLease(services: RefreshServices, login: ActiveLogin): Promise<Result<ActiveLogin>> {
  const { row, tokens, platform } = login;
  await failpoint("accounts.refresh.leased");
  const client = withTimeoutCap(clientForLogin(services, platform.adapter, tokens), CALL_TIMEOUT_MS);
  const { tokenRefresh } = platform.adapter.connect;
  const refreshResult = await catchConnectionErrors<TokenSet>(async () =>
    tokenRefresh.kind === "refresh"
      ? await withEitherSecret(
          platform.app,
          async (app) => await tokenRefresh.refresh(client, app, tokens, services.clock.now()),
        )
      : failed(expiredFault()),
  );
  await failpoint("accounts.refresh.answered");
  if (refreshResult.ok) {
    return await storeRefreshedTokens(services, login, refreshResult.value);
  }
  const { fault } = refreshResult;
  log("warn", "token_refresh_failed", {
    connection_id: row.id,
    platform: row.platform,
    kind: fault.kind,
    code: fault.code,
    http_status: fault.httpStatus,
  });
  if (fault.kind === "reconnect") {
    return await endRefusedLogin(services, login, fault);
  }
  const retryWaitMs = Math.min(MAX_RETRY_WAIT_MS, Math.max(MIN_RETRY_WAIT_MS, (fault.retryAfterSeconds ?? 0) * SECOND));
  const now = services.clock.now();
  await extendLease(services.db, row, now + retryWaitMs);
  if (!isExpired(tokens, now)) {
    return succeeded({ ...login, refreshFault: fault });
  }
  // A refusal may come from the operator's credentials, which the operator can correct. As a temporary fault it does
  // not end the post.
  return failed(fault.kind === "rejected" ? { ...fault, kind: "temporary" } : fault);
}

async function storeRefreshedTokens(
  services: RefreshServices,
  login: ActiveLogin,
  refreshed: TokenSet,
): Promise<Result<ActiveLogin>> {
  const { row, platform } = login;
  const { connect } = platform.adapter;
  const now = services.clock.now();
  const tokens: StoredTokens = { ...refreshed, obtainedAt: now };
  const write = {
    sealedTokens: await sealTokens(services, row.id, refreshed, now),
    scopes: [...refreshed.scopes],
    tokenExpiresAt: refreshed.expiresAt,
    refreshExpiresAt: refreshed.refreshExpiresAt,
    endsAt: loginEndsAt(connect, refreshed),
    nextSyncAt: nextSyncAt(row, connect, tokens, now),
  };
  // mutant: lost-token-refresh
  const stored = await withStoreRetries(async () => await replaceTokens(services.db, row, write));
  if (stored) {
    log("info", "token_refreshed", { connection_id: row.id, platform: row.platform });
    return succeeded({ ...stored, tokens, platform });
  }
  // A new login or a disconnect changed the row during the refresh. Continue with the tokens that the row has now.
  const current = await findConnection(services.db, row.id);
  const currentTokens = current?.status === "active" ? await unsealTokens(services, current) : null;
  return current && currentTokens
    ? succeeded({ row: current, tokens: currentTokens, platform })
    : failed(loginEnded(current?.statusReason ?? null));
}

/**
 * Retries to store the new tokens. The platform has already invalidated the old ones, so an unstored pair would lose
 * the login.
 */
async function withStoreRetries<T>(write: () => Promise<T>): Promise<T> {
  for (let triesLeft = MAX_STORE_ATTEMPTS - 1; triesLeft > 0; triesLeft -= 1) {
    try {
      await failpoint("accounts.refresh.storing");
      return await write();
    } catch {
      log("warn", "token_store_retry", { tries_left: triesLeft });
    }
  }
  return await write();
}

async function endRefusedLogin(
  services: RefreshServices,
  { row }: ActiveLogin,
  fault: Fault,
): Promise<Result<ActiveLogin>> {
  await endLogin(services.db, row, fault.message, services.clock.now());
  const current = await findConnection(services.db, row.id);
  if (current && current.status === "active" && current.tokenVersion !== row.tokenVersion) {
    return failed(refreshInProgress(0));
  }
  return failed(fault);
}

export function loginEnded(reason: string | null): Fault {
  return reconnect(reason ?? "This account needs a new login. Connect it again.", { httpStatus: null });
}

function expiredFault(): Fault {
  return reconnect("The login at the platform has expired. Connect the account again.", { httpStatus: null });
}

/**
 * The fault for a caller while another caller refreshes the tokens. The wait grows with the age of the lease, so that a
 * slow platform does not use up a post's attempts.
 */
function refreshInProgress(leasedForMs: number): Fault {
  const source = (seconds: number) => ({ httpStatus: null, retryAfterSeconds: Math.max(1, seconds) });
  if (leasedForMs > LEASE_MS) {
    return rateLimited(
      "The platform asked to wait before the login is refreshed.",
      source(Math.ceil(leasedForMs / SECOND)),
    );
  }
  const ageSeconds = leasedForMs > 0 ? Math.floor((LEASE_MS - leasedForMs) / SECOND) : 0;
  return temporary("The login is being refreshed.", source(Math.floor(ageSeconds / 2)), {
    code: "refresh_in_progress",
    category: "internal",
    whoMustAct: "nobody",
  });
}

/**
 * Marks a token that a platform refused early as expired, so that the next use refreshes it. Null if there is no
 * refresh token, or if the refused token is less than a minute old: a refresh cannot help then.
 */
export async function expireRefusedToken(
  services: Pick<Services, "db" | "clock">,
  { row, tokens, platform }: ActiveLogin,
): Promise<ConnectionRow | null> {
  const now = services.clock.now();
  const refreshMayHelp =
    tokens.refreshToken !== null && isRefreshable(platform.adapter.connect, tokens) && tokens.obtainedAt + MINUTE < now;
  return refreshMayHelp && (await expireToken(services.db, row, now)) ? { ...row, tokenExpiresAt: now } : null;
}

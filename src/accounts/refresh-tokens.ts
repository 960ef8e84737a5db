import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import type { Connect, Fault, Result, TokenSet } from "#platforms/contract.ts";
import { failed, rateLimited, reconnect, succeeded, temporary } from "#platforms/fault.ts";
import { guarded } from "#platforms/oauth-token.ts";
import { impatient, type Reach, reach } from "./platform-client.ts";
import {
  type ConnectionRow,
  endLogin,
  expireToken,
  findConnection,
  holdLease,
  LEASE_MS,
  replaceTokens,
  takeLease,
} from "./store-connections.ts";
import { canRenew, endsAt, isExpired, nextSyncAt, renewAt, type StoredTokens } from "./token-expiry.ts";
import { notConfigured, openTokens, sealTokens, unreadable } from "./seal-tokens.ts";

/*
 * A rotating refresh token must be spent by one caller at a time, or the account is lost. Whoever sets the lease renews and
 * stores the new pair before anybody uses it; the others read again after short waits, and go away if that is not enough.
 */

export type RefreshServices = Pick<Services, "db" | "config" | "clock" | "ids" | "outbound" | "adapterFor">;

/** A login that can be used now. */
export interface LiveLogin {
  readonly row: ConnectionRow;
  readonly tokens: StoredTokens;
  readonly reach: Reach;
}

const WAITS_MS = [100, 200, 400, 600, 700];
/** Two calls of a refresh end well before its lease. */
const CALL_TIMEOUT_MS = 12 * SECOND;
const PAUSE_AFTER_FAILURE_MS = 5 * SECOND;
const LONGEST_PAUSE_MS = 15 * MINUTE;
const STORE_TRIES = 3;

/** The login's tokens, renewed first when their time has come. */
export async function liveLogin(services: RefreshServices, connection: ConnectionRow): Promise<Result<LiveLogin>> {
  const way = reach(services, connection.platform);
  let row = connection;
  for (const waitMs of [...WAITS_MS, null]) {
    if (row.status !== "active") {
      return failed(loginEnded(row.statusReason));
    }
    if (!way) {
      return failed(notConfigured());
    }
    const tokens = await openTokens(services, row);
    if (!tokens) {
      return failed(unreadable());
    }
    const login: LiveLogin = { row, tokens, reach: way };
    const now = services.clock.now();
    if (!isRenewalDue(way.adapter.connect, tokens, now)) {
      return isExpired(tokens, now) ? await giveUp(services, login, expiredFault()) : succeeded(login);
    }
    const leasedForMs = (row.refreshLeaseUntil ?? 0) - now;
    if (leasedForMs <= 0 && (await takeLease(services.db, row, now))) {
      return await renew(services, login);
    }
    if (waitMs === null || leasedForMs > LEASE_MS) {
      return isExpired(tokens, now) ? failed(busy(leasedForMs)) : succeeded(login);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, waitMs);
    });
    row = (await findConnection(services.db, row.id)) ?? row;
  }
  return failed(busy(0));
}

function isRenewalDue(connect: Connect, tokens: StoredTokens, now: number): boolean {
  const due = renewAt(connect, tokens);
  return due !== null && due <= now;
}

/** Under the lease: one call to the platform, and what it means. */
async function renew(services: RefreshServices, login: LiveLogin): Promise<Result<LiveLogin>> {
  const { row, tokens, reach: way } = login;
  await failpoint("accounts.refresh.leased");
  const client = impatient(way.client, CALL_TIMEOUT_MS);
  const answer = await guarded<TokenSet>(
    async () =>
      (await way.adapter.connect.refresh?.(client, way.app, tokens, services.clock.now())) ?? failed(expiredFault()),
  );
  await failpoint("accounts.refresh.answered");
  if (answer.ok) {
    return await keepRenewed(services, login, answer.value);
  }
  const { fault } = answer;
  log("warn", "token_refresh_failed", {
    connection_id: row.id,
    platform: row.platform,
    kind: fault.kind,
    code: fault.code,
    http_status: fault.httpStatus,
  });
  if (fault.kind === "reconnect") {
    return await giveUp(services, login, fault);
  }
  const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_AFTER_FAILURE_MS, (fault.retryAfterSeconds ?? 0) * SECOND));
  const now = services.clock.now();
  await holdLease(services.db, row, now + pauseMs);
  if (!isExpired(tokens, now)) {
    return succeeded(login);
  }
  // A refusal that is not about this login (the operator's credentials, say) must not cost the post its life.
  return failed(fault.kind === "rejected" ? { ...fault, kind: "temporary" } : fault);
}

async function keepRenewed(services: RefreshServices, login: LiveLogin, renewed: TokenSet): Promise<Result<LiveLogin>> {
  const { row, reach: way } = login;
  const { connect } = way.adapter;
  const now = services.clock.now();
  const tokens: StoredTokens = { ...renewed, obtainedAt: now };
  const write = {
    sealedTokens: await sealTokens(services, row.id, renewed, now),
    scopes: [...renewed.scopes],
    tokenExpiresAt: renewed.expiresAt,
    refreshExpiresAt: renewed.refreshExpiresAt,
    endsAt: endsAt(connect, renewed),
    nextSyncAt: nextSyncAt(row, connect, tokens, now),
  };
  const stored = await persistently(async () => await replaceTokens(services.db, row, write));
  if (stored) {
    log("info", "token_refreshed", { connection_id: row.id, platform: row.platform });
    return succeeded({ row: stored, tokens, reach: way });
  }
  // A new login or a disconnect came in between; its word counts.
  const current = await findConnection(services.db, row.id);
  const theirs = current?.status === "active" ? await openTokens(services, current) : null;
  return current && theirs
    ? succeeded({ row: current, tokens: theirs, reach: way })
    : failed(loginEnded(current?.statusReason ?? null));
}

/** The platform has already spent the old pair: losing the new one to a passing database error would lose the login. */
async function persistently<T>(write: () => Promise<T>): Promise<T> {
  for (let left = STORE_TRIES - 1; left > 0; left -= 1) {
    try {
      await failpoint("accounts.refresh.storing");
      return await write();
    } catch {
      log("warn", "token_store_retry", { tries_left: left });
    }
  }
  return await write();
}

async function giveUp(services: RefreshServices, { row }: LiveLogin, fault: Fault): Promise<Result<LiveLogin>> {
  await endLogin(services.db, row, fault.message, services.clock.now());
  const current = await findConnection(services.db, row.id);
  if (current && current.status === "active" && current.tokenVersion !== row.tokenVersion) {
    return failed(busy(0));
  }
  return failed(fault);
}

export function loginEnded(reason: string | null): Fault {
  return reconnect(reason ?? "This account needs a new login. Connect it again.", { httpStatus: null });
}

function expiredFault(): Fault {
  return reconnect("The login at the platform has expired. Connect the account again.", { httpStatus: null });
}

/** Somebody else renews. The wait grows with the age of the lease, so that a slow platform does not use up a post's attempts. */
function busy(leasedForMs: number): Fault {
  const source = (seconds: number) => ({ httpStatus: null, retryAfterSeconds: Math.max(1, seconds) });
  if (leasedForMs > LEASE_MS) {
    return rateLimited(
      "The platform asked to wait before the login is renewed.",
      source(Math.ceil(leasedForMs / SECOND)),
    );
  }
  const ageSeconds = leasedForMs > 0 ? Math.floor((LEASE_MS - leasedForMs) / SECOND) : 0;
  return temporary("The login is being renewed.", source(Math.floor(ageSeconds / 2)), {
    code: "refresh_in_progress",
    category: "internal",
    whoMustAct: "nobody",
  });
}

/**
 * For a token that a platform refused before its end: makes it expire, so that the next use renews it. Null when that
 * cannot help: there is no refresh token, or the refused token is itself fresh from a renewal.
 */
export async function renewRefused(
  services: Pick<Services, "db" | "clock">,
  { row, tokens, reach: way }: LiveLogin,
): Promise<ConnectionRow | null> {
  const now = services.clock.now();
  const mayHelp =
    tokens.refreshToken !== null && canRenew(way.adapter.connect, tokens) && tokens.obtainedAt + MINUTE < now;
  return mayHelp && (await expireToken(services.db, row, now)) ? { ...row, tokenExpiresAt: now } : null;
}

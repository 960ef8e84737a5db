import { SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { PLAN_LIMITS, type Plan, PLANS } from "#core/plan.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { Fault } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { guarded } from "#platforms/oauth-token.ts";
import { toListed } from "./list-postable-accounts.ts";
import { type Listing, tellListing } from "./apply-account-listing.ts";
import { type LiveLogin, liveLogin, type RefreshServices, renewRefused } from "./refresh-tokens.ts";
import { revokeConnection } from "./revoke-grant.ts";
import { isSealedWithOldKey } from "./encryption.ts";
import { type ConnectionRow, endLogin, planSync, resealTokens, selectBlocked } from "./store-connections.ts";
import { selectPlan } from "./store-oauth-states.ts";
import { selectEmptyLogins, writeListing } from "./store-account-listing.ts";
import { backoffMs, isListingDue, nextSyncAt } from "./token-expiry.ts";
import { sealTokens } from "./seal-tokens.ts";
import type { PostingNews, SkippedAccount } from "./types.ts";

export type SyncServices = RefreshServices & Pick<Services, "defer">;

export interface SyncOptions {
  /** The user's plan where the caller knows it; looked up otherwise. */
  readonly plan?: Plan;
  /** Right after a login: what it brings stays "new" until a sync tells of it. */
  readonly afterLogin?: boolean;
  /** Only what is due: a renewed token may be all there is to do. */
  readonly onlyDue?: boolean;
}

export interface ConnectionSync extends PostingNews {
  /** `ended`: the login waits for the person. `failed`: the platform did not answer; tried again later. */
  readonly state: "listed" | "renewed" | "ended" | "failed";
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly skipped: readonly SkippedAccount[];
  readonly fault: Fault | null;
}

/**
 * Looks at one login: renews its tokens if due, and writes down what it can post to now. Never throws, so that one login
 * cannot stop the others beside it.
 */
export async function syncConnection(
  services: SyncServices,
  connection: ConnectionRow,
  options: SyncOptions = {},
): Promise<ConnectionSync> {
  try {
    return await look(services, connection, options);
  } catch (error) {
    // The message may quote an address with a token in it; the name cannot.
    const name = error instanceof Error ? error.name : typeof error;
    log("error", "account_sync_broken", { connection_id: connection.id, platform: connection.platform, error: name });
    return { state: "failed", added: [], updated: [], skipped: [], fault: broken(), ...NO_NEWS };
  }
}

function broken(): Fault {
  return temporary(
    "The account could not be looked at.",
    { httpStatus: null },
    { code: "internal_error", category: "internal", whoMustAct: "operator" },
  );
}

async function look(services: SyncServices, connection: ConnectionRow, options: SyncOptions): Promise<ConnectionSync> {
  if (connection.status !== "active") {
    await planSync(services.db, connection.id, { nextSyncAt: null, syncFailures: 0 });
    return await ended(services, connection, null);
  }
  const login = await liveLogin(services, connection);
  if (!login.ok) {
    return await notListed(services, connection, login.fault);
  }
  const { row, tokens, reach } = login.value;
  // An account that a post found refused is looked at whatever the hour, and its other posts hear of it.
  const isOnlyRenewed = options.onlyDue && !isListingDue(row.lastSyncedAt, services.clock.now());
  if (isOnlyRenewed && (await selectBlocked(services.db, row.id)).length === 0) {
    const next = nextSyncAt(row, reach.adapter.connect, tokens, services.clock.now());
    await planSync(services.db, row.id, { nextSyncAt: next, syncFailures: 0 });
    return { state: "renewed", added: [], updated: [], skipped: [], fault: null, ...NO_NEWS };
  }
  const answer = await guarded(async () => await reach.adapter.connect.accounts(reach.client, reach.app, tokens));
  if (answer.ok) {
    return await listed(services, login.value, answer.value, options);
  }
  // Many platforms end tokens early; a renewal tells whether the login behind one is dead.
  const renewed = answer.fault.kind === "reconnect" ? await renewRefused(services, login.value) : null;
  return renewed ? await look(services, renewed, options) : await notListed(services, row, answer.fault);
}

const NO_NEWS: PostingNews = { readmittedAccountIds: [], blockedAccountIds: [] };

async function listed(
  services: SyncServices,
  { row, tokens, reach }: LiveLogin,
  listing: Listing,
  options: SyncOptions,
): Promise<ConnectionSync> {
  const { db, config, clock } = services;
  const platform = PLATFORM_NAMES[row.platform];
  const plan = options.plan ?? (await planOf(services, row.userId));
  const now = clock.now();
  const written = await writeListing(db, {
    login: row,
    listed: await toListed(services, row, listing.accounts),
    lost: listing.unpostable.map(({ platformAccountId, reason }) => ({ platformAccountId, reason })),
    lostReason: `${platform} no longer offers this account to the login behind it. Connect it again and allow access to it.`,
    accountLimit: PLAN_LIMITS[plan].accounts,
    isSync: options.afterLogin !== true,
    now,
    nextSyncAt: nextSyncAt({ id: row.id, lastSyncedAt: now }, reach.adapter.connect, tokens, now),
  });
  if (row.sealedTokens !== null && isSealedWithOldKey(config, row.sealedTokens)) {
    await resealTokens(db, row, await sealTokens(services, row.id, tokens, tokens.obtainedAt));
  }
  for (const id of await selectEmptyLogins(db, row)) {
    await revokeConnection(services, id);
  }
  return {
    state: "listed",
    fault: null,
    ...tellListing({ row, listing, plan, written, isSync: options.afterLogin !== true }),
  };
}

async function planOf(services: Pick<Services, "db" | "config">, userId: string): Promise<Plan> {
  const { planForAll } = services.config;
  if (planForAll !== null) {
    return planForAll;
  }
  const plan = await selectPlan(services.db, userId);
  return PLANS.find((word) => word === plan) ?? "starter";
}

/** The platform did not list: the login is over, or it is asked again later and later. */
async function notListed(services: SyncServices, row: ConnectionRow, fault: Fault): Promise<ConnectionSync> {
  const now = services.clock.now();
  if (fault.kind === "reconnect") {
    await endLogin(services.db, row, fault.message, now);
    return await ended(services, row, fault);
  }
  const syncFailures = row.syncFailures + 1;
  const waitMs = Math.max(backoffMs(row.id, syncFailures), (fault.retryAfterSeconds ?? 0) * SECOND);
  await planSync(services.db, row.id, { nextSyncAt: now + waitMs, syncFailures });
  log("warn", "account_sync_failed", {
    connection_id: row.id,
    platform: row.platform,
    kind: fault.kind,
    code: fault.code,
    http_status: fault.httpStatus,
    failures: syncFailures,
  });
  return { state: "failed", added: [], updated: [], skipped: [], fault, ...NO_NEWS };
}

async function ended(services: SyncServices, row: ConnectionRow, fault: Fault | null): Promise<ConnectionSync> {
  return {
    state: "ended",
    added: [],
    updated: [],
    skipped: [],
    fault,
    readmittedAccountIds: [],
    blockedAccountIds: await selectBlocked(services.db, row.id),
  };
}

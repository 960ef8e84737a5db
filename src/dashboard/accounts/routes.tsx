import { Hono } from "hono";
import {
  chooseAccounts,
  configuredPlatform,
  connectablePlatforms,
  findOwnChoice,
  listAccounts,
  listBoards,
  offerAccounts,
  startConnect,
  syncAccounts,
} from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { requireSubscription } from "#core/actor.ts";
import { isPlatform, type Platform } from "#core/platform.ts";
import { writeReturn } from "#dashboard/request/return-cookie.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { renderNotFound } from "#dashboard/layout/error-pages.tsx";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { isOnTrial } from "#dashboard/wording/plan-labels.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { limitsFor, ownLimits } from "#platforms/limits-for.ts";
import { type AccountWithPosts, listAccountsWithPosts } from "#posts/index.ts";
import { disconnectAccount, followAvailability } from "#post-status/index.ts";
import type { AccountView } from "./account-item.tsx";
import { AccountsPage, type AccountsPageProps, type SyncReport } from "./accounts-page.tsx";
import { BoardsPage } from "./boards-page.tsx";
import { ChoicePage } from "./choice-page.tsx";
import { describeOwnLimits } from "#dashboard/wording/counts-and-limits.ts";
import { contextOf } from "#dashboard/request/context-of.ts";

/** Serves `/dashboard/accounts`, where users connect, check, sync and disconnect accounts. */
export const accountPages = new Hono<PageEnv>()
  .get("/", showAccounts)
  .post("/connect", doConnect)
  .post("/sync", doSync)
  .get("/logins/:id", showChoice)
  .post("/logins/:id", doChoose)
  .get("/:id/boards", showBoards)
  .post("/:id/disconnect", doDisconnect);

async function renderAccounts(
  c: PageContext,
  more: Pick<AccountsPageProps, "error" | "synced" | "disconnected" | "chosen"> = {},
): Promise<Response> {
  const ctx = contextOf(c);
  const { accounts, connectedCount, logins } = await listAccountsWithPosts(ctx);
  const page = (
    <AccountsPage
      {...more}
      signedIn={c.var.signedIn}
      isTrial={isOnTrial(c.var.signedIn, ctx.config)}
      display={displayOf(c)}
      now={ctx.clock.now()}
      accounts={accounts.map((account) => toView(ctx, account))}
      connectedCount={connectedCount}
      logins={logins.filter(({ platform, chooseUntil }) => chooseUntil !== null || hasSeveralAccounts(ctx, platform))}
      connectable={connectablePlatforms(ctx)}
    />
  );
  return await renderPage(c, page, more.error === undefined ? 200 : 400);
}

function toView(ctx: Context, account: AccountWithPosts): AccountView {
  const adapter = ctx.adapterFor(account.platform);
  const settings = ctx.config.app(account.platform)?.settings ?? {};
  const own = adapter ? ownLimits(adapter, account.capabilities, settings) : null;
  return {
    account,
    ownLimits: adapter && own ? describeOwnLimits(own, limitsFor(adapter, {}, settings)) : [],
    hasBoards: adapter?.listBoards !== undefined,
  };
}

/** Whether one login at a platform can have several accounts, so that the user must choose. */
function hasSeveralAccounts(ctx: Context, platform: Platform): boolean {
  const configured = configuredPlatform(ctx, platform);
  return configured !== null && (configured.adapter.connect.choiceOfAccounts?.(configured.app) ?? null) !== null;
}

async function showAccounts(c: PageContext): Promise<Response> {
  const numberOf = (name: string) => Number(/^\d{1,5}$/.exec(c.req.query(name) ?? "")?.[0] ?? 0);
  switch (c.req.query("done")) {
    case "disconnected":
      return await renderAccounts(c, { disconnected: numberOf("paused") });
    case "chosen":
      return await renderAccounts(c, { chosen: numberOf("added") });
    default:
      return await renderAccounts(c);
  }
}

/** Handles `POST /dashboard/accounts/connect`, which also reconnects an account. */
async function doConnect(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const platform = form.text("platform");
  if (!isPlatform(platform)) {
    return await renderAccounts(c, { error: { message: "choose a platform" } });
  }
  const ctx = contextOf(c);
  writeReturn(c, form.text("next"));
  const started = await runUseCase(async () => {
    requireSubscription(ctx.actor);
    return await startConnect(ctx, { platform, accountId: form.text("account") || undefined });
  });
  return started.ok ? c.redirect(started.value.connectUrl, 303) : await renderAccounts(c, { error: started.error });
}

/**
 * Handles `GET /dashboard/accounts/logins/:id`: lists the accounts of an existing login, so that no new login is
 * needed.
 */
async function showChoice(c: PageContext): Promise<Response> {
  const connection = await findOwnChoice(contextOf(c), c.req.param("id") ?? "");
  return connection ? await renderChoice(c, connection, []) : await renderNotFound(c);
}

async function doChoose(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const connection = await findOwnChoice(ctx, c.req.param("id") ?? "");
  if (!connection) {
    return await renderNotFound(c);
  }
  const ids = (await readForm(c)).all("account");
  const run = await runUseCase(async () => {
    requireSubscription(ctx.actor);
    return await chooseAccounts(ctx, connection, ids);
  });
  const chosen = run.ok ? run.value : { ok: false as const, ...run.error };
  if (!chosen.ok) {
    return await renderChoice(c, connection, ids, chosen);
  }
  await followAvailability(ctx, chosen.end);
  const done = new URLSearchParams({ done: "chosen", added: String(chosen.end.added.length) });
  return c.redirect(`/dashboard/accounts?${String(done)}`, 303);
}

type OwnChoice = NonNullable<Awaited<ReturnType<typeof findOwnChoice>>>;

async function renderChoice(
  c: PageContext,
  connection: OwnChoice,
  ticked: readonly string[],
  error?: FormError,
): Promise<Response> {
  const offer = await offerAccounts(contextOf(c), connection);
  return await renderPage(
    c,
    <ChoicePage
      signedIn={c.var.signedIn}
      platform={connection.platform}
      loginName={connection.displayName}
      offer={offer.ok ? offer.value : null}
      ticked={ticked}
      error={offer.ok ? error : offer}
      action={`/dashboard/accounts/logins/${connection.id}`}
    />,
    error === undefined ? 200 : 400,
  );
}

/**
 * Handles `POST /dashboard/accounts/sync`. It responds with a page and no redirect, because what was skipped and why is
 * stored nowhere.
 */
async function doSync(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const synced = await runUseCase(async () => {
    requireSubscription(ctx.actor);
    return await syncAndReport(ctx);
  });
  return await renderAccounts(c, synced.ok ? { synced: synced.value } : { error: synced.error });
}

async function syncAndReport(ctx: Context): Promise<SyncReport> {
  const startedAt = ctx.clock.now();
  const result = await syncAccounts(ctx);
  await followAvailability(ctx, result);
  const names = new Map(result.accounts.map((account) => [account.id, account.displayName]));
  const namesOf = (ids: readonly string[]) => ids.flatMap((id) => names.get(id) ?? []);
  const unanswered = result.accounts.filter(
    ({ status, lastSyncedAt }) => status === "active" && (lastSyncedAt === null || lastSyncedAt < startedAt),
  );
  return {
    checked: result.accounts.length - unanswered.length,
    added: namesOf(result.added),
    updated: namesOf(result.updated),
    needsReconnect: result.needsReconnect.length,
    skipped: result.skipped,
    unanswered: [...new Set(unanswered.map(({ platform }): Platform => platform))],
  };
}

async function doDisconnect(c: PageContext): Promise<Response> {
  const { pausedPostIds } = await disconnectAccount(contextOf(c), { accountId: c.req.param("id") ?? "" });
  const done = new URLSearchParams({ done: "disconnected", paused: String(pausedPostIds.length) });
  return c.redirect(`/dashboard/accounts?${String(done)}`, 303);
}

async function showBoards(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const account = (await listAccounts(ctx)).find(({ id }) => id === c.req.param("id"));
  if (!account || ctx.adapterFor(account.platform)?.listBoards === undefined) {
    return await renderNotFound(c);
  }
  const listed = await runUseCase(() => listBoards(ctx, { accountId: account.id, platform: account.platform }));
  return await renderPage(
    c,
    <BoardsPage
      signedIn={c.var.signedIn}
      account={account}
      boards={listed.ok ? listed.value : []}
      error={listed.ok ? undefined : listed.error}
    />,
  );
}

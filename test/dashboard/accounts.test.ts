import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import type { Context } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { describeDisconnect, describeOwnLimits } from "#dashboard/wording/counts-and-limits.ts";
import { adapterFor } from "#platforms/registry.ts";
import { limitsFor } from "#platforms/limits-for.ts";
import { createServiceFixture, signInNewUser, type ServiceFixture } from "../auth/service-fixture.ts";
import { completePlatformLogin, connectInSandbox, readCallback, sandboxEnv } from "../accounts/sandbox-context.ts";
import { createAccount, updateAccountRow } from "../posts/test-context.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { finishConnect, listAccounts } from "#accounts/index.ts";
import { sandboxOutbound } from "#sandbox/index.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";

const PAGE = "/dashboard/accounts";

const connectButton = (name: string) => `<span class="visually-hidden">Connect </span>${name}</span></button>`;

async function signedInUser(service: ServiceFixture) {
  const user = await signInNewUser(service, { plan: "scale", subscription: "active" });
  const ctx: Context = {
    ...service.services,
    actor: {
      userId: user.userId,
      workspaceId: user.workspaceId,
      plan: "scale",
      limits: PLAN_LIMITS.scale,
      subscribed: true,
      scopes: SCOPES,
      credential: { kind: "session", id: "test" },
      via: "dashboard",
      timeZone: "UTC",
      recordsEvents: false,
      workspaceFrom: "user",
      isTrial: false,
    },
  };
  return { ...user, ctx, text: async (path = PAGE) => await (await user.browser.get(path)).text() };
}

/** A scheduled post of these accounts, as rows. */
async function insertPost(ctx: Context, accountIds: readonly string[], at: number): Promise<string> {
  const id = ctx.ids.uuid();
  await env.DB.prepare(
    `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
       confirm_hash, created_via, created_at, updated_at)
     VALUES (?, ?, ?, 'scheduled', ?, 1, 'text', 'Hello', '[]', '["x"]', '', '', 'dashboard', 1, 1)`,
  )
    .bind(id, ctx.actor.workspaceId, ctx.actor.userId, at)
    .run();
  for (const accountId of accountIds) {
    await env.DB.prepare(
      `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
       VALUES (?, ?, 'x', 'ada', 'Hello', '{}', 'pending', ?, '[]', 1)`,
    )
      .bind(id, accountId, at)
      .run();
  }
  return id;
}

describe("GET /dashboard/accounts", () => {
  const service = createServiceFixture();

  test("without accounts offers what is set up, and says what is not", async ({ expect }) => {
    const { text } = await signedInUser(service);
    const page = await text();
    expect(page).toContain("No account is connected yet.");
    expect(page).toContain(connectButton("Bluesky"));
    expect(page).not.toContain(connectButton("TikTok"));
    expect(page).toMatch(/Not available here: [^.]*TikTok[^.]*\. The operator of this service has not set them up\./);
    expect(page).toContain("0 of 100 accounts.");
  });

  test("says the state of each account in words", async ({ expect }) => {
    const { ctx, text } = await signedInUser(service);
    const [, blocked, scopes, ending, linked] = [
      await createAccount(ctx, "x"),
      await createAccount(ctx, "x"),
      await createAccount(ctx, "instagram", { missingScopes: ["instagram_content_publish"] }),
      await createAccount(ctx, "linkedin"),
      await createAccount(ctx, "mastodon"),
    ];
    await updateAccountRow(blocked, { status: "needs_reconnect", status_reason: "The login has ended." });
    await updateAccountRow(scopes, { status: "needs_reconnect" });
    await updateAccountRow(linked, {
      display_name: "Ada",
      username: "ada@mastodon.example",
      profile_url: "https://mastodon.example/@ada",
      last_synced_at: Date.UTC(2030, 0, 2, 3, 4),
    });
    const end = Date.UTC(2040, 11, 3, 9);
    await env.DB.prepare("UPDATE connections SET ends_at = ? WHERE workspace_id = ? AND platform = 'linkedin'")
      .bind(end, ctx.actor.workspaceId)
      .run();
    for (const days of [-1, 1, 2, 3]) {
      await insertPost(ctx, [ending], end + days * DAY);
    }
    const page = await text();
    expect(page).toContain("The login has ended.");
    expect(page).toMatch(/2 accounts need a new login[^<]*<a href="#account-/);
    expect(page).toContain("Instagram says that you did not allow everything that posting needs.");
    expect(page).toContain("instagram_content_publish");
    expect(page).toContain(
      "This login stops on Mon, 3 Dec 2040 and does not renew itself; 3 posts after that need it.",
    );
    expect(page).toContain("4 posts ahead");
    expect(page).toContain('<a href="https://mastodon.example/@ada" rel="noreferrer">@ada@mastodon.example</a>');
    expect(page).toContain("Last checked Wed, 2 Jan 2030, 03:04");
    expect(page).toContain("Times are those of UTC.");
    expect(page.match(/class="tag (?:active|blocked)"/g)).toHaveLength(5);
  });

  test("names, pictures and reasons of platforms cannot add markup", async ({ expect }) => {
    const { ctx, text } = await signedInUser(service);
    const id = await createAccount(ctx, "x");
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
    await updateAccountRow(id, {
      display_name: hostile,
      username: hostile,
      avatar_url: `https://a.example/${hostile}`,
      profile_url: `https://a.example/${hostile}`,
      status: "needs_reconnect",
      status_reason: hostile,
      missing_scopes: JSON.stringify([]),
    });
    const page = await text();
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("<img src=x");
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  test("shows nothing of another user, and not what another user's ids are", async ({ expect }) => {
    const [owner, other] = [await signedInUser(service), await signedInUser(service)];
    const id = await createAccount(owner.ctx, "pinterest");
    await updateAccountRow(id, { display_name: "Owner's account" });
    expect(await other.text()).toContain("No account is connected yet.");
    for (const unknown of [id, crypto.randomUUID(), "x"]) {
      expect((await other.browser.get(`${PAGE}/${unknown}/boards`)).status).toBe(404);
      expect((await other.browser.post(`${PAGE}/${unknown}/disconnect`)).status).toBe(404);
    }
    expect(await owner.text()).toContain("Owner&#39;s account");
  });

  test("needs a session and one more round trip", async ({ expect }) => {
    const counting = countingD1(env.DB);
    const counted = createServiceFixture({ DB: counting.d1 });
    const { ctx, browser } = await signedInUser(counted);
    for (let count = 0; count < 12; count++) {
      await insertPost(ctx, [await createAccount(ctx)], Date.now() + DAY);
    }
    counting.reset();
    expect((await browser.get(PAGE)).status).toBe(200);
    expect(counting.count.roundTrips).toBe(2);
    const stranger = await counted.fetch(PAGE);
    expect(stranger.headers.get("location")).toBe("/login?next=%2Fdashboard%2Faccounts");
  });
});

describe("POST /dashboard/accounts/connect", () => {
  const service = createServiceFixture();

  test("leads to the page that names the workspace", async ({ expect }) => {
    const { browser } = await signedInUser(service);
    const response = await browser.post(`${PAGE}/connect`, { platform: "bluesky" });
    expect(response.status).toBe(303);
    const location = new URL(response.headers.get("location") ?? "");
    expect([location.origin, location.pathname]).toEqual([service.services.config.origin, "/connect/bluesky"]);
    expect(await (await browser.get(`${location.pathname}${location.search}`)).text()).toContain("joins the workspace");
  });

  test.for([
    ["mastodon", { username: "ada@social.example", profile_url: "https://m.social.example/@ada" }, "m.social.example"],
    ["mastodon", { username: "ada@social.example", profile_url: null }, "social.example"],
    ["bluesky", { username: "ada.bsky.social", profile_url: null }, "ada.bsky.social"],
  ] as const)("a reconnect to %s fills in what the account had", async ([platform, account, value], { expect }) => {
    const { ctx, browser, text } = await signedInUser(service);
    const id = await createAccount(ctx, platform);
    await updateAccountRow(id, account);
    expect(await text()).toContain(`name="account" value="${id}"`);
    const response = await browser.post(`${PAGE}/connect`, { platform, account: id });
    const { pathname, search } = new URL(response.headers.get("location") ?? "");
    expect(await (await browser.get(pathname + search)).text()).toContain(`value="${value}"`);
  });

  test("another user's account fills in nothing", async ({ expect }) => {
    const [{ ctx }, { browser }] = [await signedInUser(service), await signedInUser(service)];
    const id = await createAccount(ctx, "bluesky");
    await updateAccountRow(id, { username: "ada.bsky.social" });
    const response = await browser.post(`${PAGE}/connect`, { platform: "bluesky", account: id });
    const { pathname, search } = new URL(response.headers.get("location") ?? "");
    expect(await (await browser.get(pathname + search)).text()).not.toContain('value="ada.bsky.social"');
  });

  test("refusals are sentences on the page", async ({ expect }) => {
    const { browser } = await signedInUser(service);
    for (const [platform, sentence] of [
      ["tiktok", "TikTok is not set up on this service: its operator has not entered app credentials."],
      ["myspace", "Choose a platform."],
      ["", "Choose a platform."],
    ] as const) {
      const response = await browser.post(`${PAGE}/connect`, { platform });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(sentence);
    }
  });

  test("the limit of the plan is named before and after", async ({ expect }) => {
    const limited = createServiceFixture({ QUOTAS: JSON.stringify({ scale: { accounts: 1 } }) });
    const { ctx, browser, text } = await signedInUser(limited);
    await createAccount(ctx, "x");
    const page = await text();
    expect(page).toContain("1 of 1 accounts.");
    expect(page).toContain("To connect more, disconnect one or");
    const response = await browser.post(`${PAGE}/connect`, { platform: "bluesky" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("Your plan allows 1 connected accounts and 1 are connected.");
  });

  test("without a subscription nothing is connected or checked; disconnecting stays possible", async ({ expect }) => {
    const { ctx, browser } = await signedInUser(service);
    const id = await createAccount(ctx, "x");
    await env.DB.prepare("UPDATE subscriptions SET status = 'canceled' WHERE user_id = ?").bind(ctx.actor.userId).run();
    for (const path of ["connect", "sync"]) {
      const response = await browser.post(`${PAGE}/${path}`, { platform: "bluesky" });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("choose a plan in the dashboard");
    }
    expect((await browser.post(`${PAGE}/${id}/disconnect`)).status).toBe(303);
  });
});

describe("POST /dashboard/accounts/{id}/disconnect", () => {
  const service = createServiceFixture();

  test("names before what it does, and after what it did", async ({ expect }) => {
    const { ctx, browser, text } = await signedInUser(service);
    const [first, second] = [await createAccount(ctx), await createAccount(ctx)];
    await insertPost(ctx, [first, second], Date.now() + DAY);
    const only = await insertPost(ctx, [first], Date.now() + DAY);
    expect(await text()).toContain(
      "2 scheduled posts lose this account. 1 of them has no other account and will be paused.",
    );
    expect(await text()).toMatch(
      /Disconnect X: [^<]+<\/button>\s*<a class="button secondary" href="\/dashboard\/accounts">\s*Keep it/,
    );
    const response = await browser.post(`${PAGE}/${first}/disconnect`);
    expect(response.status).toBe(303);
    const page = await text(response.headers.get("location") ?? "");
    expect(page).toContain("The account is disconnected.");
    expect(page).toContain("1 post that had no other account is paused.");
    expect(page).not.toContain(`account-${first}`);
    const post = await env.DB.prepare("SELECT status FROM posts WHERE id = ?").bind(only).first();
    expect(post).toEqual({ status: "paused" });
    expect(await text(`${PAGE}?done=disconnected&paused=<b>`)).not.toContain("<b>.");
  });
});

describe("with the simulated platforms", () => {
  const service = createServiceFixture({ ...sandboxEnv }, sandboxOutbound(sandboxEnv));

  test("every platform is offered", async ({ expect }) => {
    const { text } = await signedInUser(service);
    const page = await text();
    for (const platform of PLATFORMS) {
      expect(page).toContain(connectButton(PLATFORM_NAMES[platform]));
    }
    expect(page).not.toContain("Not available here");
  });

  test("a check tells what is new, and what was not connected and why", async ({ expect }) => {
    const { ctx, browser } = await signedInUser(service);
    await connectInSandbox(ctx, "facebook");
    const first = await (await browser.post(`${PAGE}/sync`)).text();
    expect(first).toMatch(/2 accounts checked\. New: Shop, Workshop\./);
    expect(first).toContain("Read only (Facebook)");
    expect(first).toContain("Your role on this Page does not allow apps to post");
    expect(await (await browser.post(`${PAGE}/sync`)).text()).toContain("2 accounts checked.");
  });

  test("pages that were not chosen are chosen later, without a new login and by their owner alone", async ({
    expect,
  }) => {
    const { ctx, text, browser } = await signedInUser(service);
    const stranger = await signedInUser(service);
    const { url, browserToken } = await completePlatformLogin(ctx, "facebook");
    await finishConnect(ctx, { platform: "facebook", ...readCallback(url), browserToken });
    // The window was closed before the choice.
    const waiting = await text();
    expect(waiting).toContain(
      "You logged in to Facebook as <bdi>Ada Example</bdi> and have not chosen what to connect.",
    );
    const [, address = ""] = /href="(\/dashboard\/accounts\/logins\/[^"]+)"/.exec(waiting) ?? [];
    const choice = await text(address);
    expect(choice).toContain("0 of 100 places are taken");
    expect(choice).toContain("Your role on this Page does not allow apps to post");
    const refused = await browser.post(address, {});
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("Choose at least one account.");
    const chosen = await browser.post(address, { account: "110011001100220" });
    expect(chosen.headers.get("location")).toBe(`${PAGE}?done=chosen&added=1`);
    const page = await text(`${PAGE}?done=chosen&added=1`);
    expect(page).toContain("1 account is connected.");
    expect(page).not.toContain("have not chosen");
    expect(page).toContain(`<a href="${address}">Choose accounts</a>`);
    expect(page.match(/class="item account"/g)).toHaveLength(1);
    expect(await text(address)).toMatch(/value="110011001100220" checked="" disabled=""/);
    expect((await browser.post(address, { account: "110011001100110" })).status).toBe(303);
    expect((await listAccounts(ctx)).map(({ displayName }) => displayName)).toEqual(["Workshop", "Shop"]);
    for (const other of [address, `${PAGE}/logins/unknown`]) {
      expect((await stranger.browser.get(other)).status).toBe(404);
      expect((await stranger.browser.post(other, { account: "110011001100220" })).status).toBe(404);
    }
    expect(await listAccounts(stranger.ctx)).toEqual([]);
  });

  test("boards of an account, only where the platform has them", async ({ expect }) => {
    const { ctx, text, browser } = await signedInUser(service);
    const connected = await connectInSandbox(ctx, "pinterest");
    const [id] = connected.ok ? connected.added.map((account) => account.id) : [];
    const other = await createAccount(ctx, "x");
    expect(await text()).toContain(`/dashboard/accounts/${id}/boards`);
    const page = await text(`${PAGE}/${id}/boards`);
    expect(page).toContain("Public");
    expect(page.match(/class="item"/g)?.length).toBeGreaterThan(1);
    expect((await browser.get(`${PAGE}/${other}/boards`)).status).toBe(404);
    await env.DB.prepare("UPDATE connections SET status = 'needs_reconnect' WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .run();
    expect(await text(`${PAGE}/${id}/boards`)).toContain('role="alert"');
  });
});

describe("sentences", () => {
  test.for([
    [0, 0, "No scheduled post uses this account."],
    [
      1,
      0,
      "1 scheduled post loses this account. It is not paused, because it has another account. Connect it again before the post is due, and it is included again.",
    ],
    [
      1,
      1,
      "1 scheduled post loses this account. It has no other account and will be paused. Connect it again before the post is due, and it is included again.",
    ],
    [
      3,
      0,
      "3 scheduled posts lose this account. None of them is paused, because each has another account. Connect it again before the posts are due, and it is included again.",
    ],
    [
      3,
      2,
      "3 scheduled posts lose this account. 2 of them have no other account and will be paused. Connect it again before the posts are due, and it is included again.",
    ],
    [
      3,
      3,
      "3 scheduled posts lose this account. All have no other account and will be paused. Connect it again before the posts are due, and it is included again.",
    ],
    [
      1001,
      1001,
      "More than 1,000 scheduled posts lose this account. All have no other account and will be paused. Connect it again before the posts are due, and it is included again.",
    ],
  ] as const)("%i posts, %i paused by it", ([ahead, pausedByDisconnect, sentence], { expect }) => {
    expect(describeDisconnect({ ahead, pausedByDisconnect })).toBe(sentence);
  });

  test("own limits are named only where they differ", ({ expect }) => {
    const adapter = adapterFor("x");
    if (!adapter) {
      throw new Error("no adapter");
    }
    const usual = limitsFor(adapter, {});
    expect(describeOwnLimits(usual, usual)).toEqual([]);
    const own = { ...usual, caption: { ...usual.caption, max: 25_000 } };
    expect(describeOwnLimits(own, usual)).toEqual(["Texts up to 25,000 characters (usually 280)"]);
    const caps = [{ count: 5, windowHours: 24, what: "posts" }];
    expect(describeOwnLimits({ ...usual, dailyCaps: caps }, { ...usual, dailyCaps: [] })).toEqual([
      "Up to 5 posts in 24 hours",
    ]);
  });
});

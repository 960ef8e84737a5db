import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import type { PostStatus, TargetState } from "#core/status.ts";
import { axisEnd } from "#dashboard/overview/outcomes-plot.tsx";
import { formatLateness } from "#dashboard/overview/lateness-plot.tsx";
import { BrowserClient, createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";
import { countingD1 } from "../support/counting-d1.ts";

const PAGE = "/dashboard/overview";
const service = createServiceFixture();

interface User {
  readonly userId: string;
  readonly workspaceId: string;
  readonly browser: BrowserClient;
}

async function pageOf({ browser }: Pick<User, "browser">, language = "en-GB"): Promise<string> {
  return await (await browser.get(PAGE, { "accept-language": language })).text();
}

async function insertAccount(user: User, columns: { name?: string; status?: string; endsAt?: number } = {}) {
  const id = crypto.randomUUID();
  const { name = "Ada", status = "active", endsAt = null } = columns;
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, scopes, status, connected_at, ends_at)
       VALUES (?1, ?2, ?3, 'x', ?1, 'Ada', '[]', 'active', 1, ?4)`,
    ).bind(id, user.userId, user.workspaceId, endsAt),
    env.DB.prepare(
      `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name,
         capabilities, missing_scopes, status, connected_at)
       VALUES (?1, ?2, ?3, ?1, 'x', ?1, 'ada', ?4, '{}', '[]', ?5, 1)`,
    ).bind(id, user.userId, user.workspaceId, name, status),
  ]);
  return id;
}

interface PostInput {
  readonly status: PostStatus;
  readonly at: number;
  readonly caption?: string;
  readonly pausedReason?: string;
  readonly accountId?: string;
  readonly targets?: readonly { readonly state: TargetState; readonly message?: string; readonly username?: string }[];
}

async function insertPost(user: User, post: PostInput): Promise<string> {
  const id = crypto.randomUUID();
  const { status, at, caption = "Hello", pausedReason = null, targets = [{ state: "pending" }] } = post;
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, paused_reason, scheduled_at, version, post_type, caption, media, platforms,
         plan_hash, confirm_hash, created_via, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, 1, 'text', ?, '[]', '["x"]', '', '', 'dashboard', 1, 1)`,
    ).bind(id, user.workspaceId, user.userId, status, pausedReason, at, caption),
    ...targets.map(({ state, message, username = "ada" }, index) =>
      env.DB.prepare(
        `INSERT INTO post_targets (post_id, account_id, position, platform, username, effective_caption, options, state, due_at, history, error, updated_at)
         VALUES (?, ?, ?, 'x', ?, 'Hello', '{}', ?, ?, '[]', ?, 1)`,
      ).bind(
        id,
        index === 0 && post.accountId !== undefined ? post.accountId : crypto.randomUUID(),
        index,
        username,
        state,
        at,
        message === undefined ? null : JSON.stringify({ message }),
      ),
    ),
  ]);
  return id;
}

/** The lateness that the publisher notes for a day. */
async function setLateness(user: User, at: number, lateness: Record<string, number>): Promise<void> {
  await env.DB.prepare("UPDATE post_days SET lateness = ? WHERE workspace_id = ? AND day = ?")
    .bind(JSON.stringify(lateness), user.workspaceId, Math.floor(at / DAY))
    .run();
}

/** Noon UTC of a day relative to today. */
const noon = (days: number) => Math.floor(Date.now() / DAY + days) * DAY + 12 * HOUR;

const marks = (page: string) => [...page.matchAll(/<span role="img" aria-label="(\w+)"/g)].map(([, mark]) => mark);

describe("first steps", () => {
  test("tick themselves off and vanish with the first published post", async ({ expect }) => {
    const user = await signInNewUser(service, { timeZone: "UTC" });
    const empty = await pageOf(user);
    expect(marks(empty)).toEqual(["Open", "Open", "Open"]);
    expect(empty).toContain("0 of 3 done");
    for (const href of ["/dashboard/profile", "/dashboard/accounts", "/dashboard/posts/new", "/dashboard/media"]) {
      expect(empty).toContain(`href="${href}"`);
    }
    expect(empty).toContain("Times are shown in UTC");
    expect(empty).not.toContain("<figure");
    await insertAccount(user);
    expect(marks(await pageOf(user))).toEqual(["Done", "Open", "Open"]);
    await insertPost(user, { status: "scheduled", at: noon(2) });
    expect(marks(await pageOf(user))).toEqual(["Done", "Done", "Open"]);
    await insertPost(user, { status: "published", at: noon(-1), targets: [{ state: "published" }] });
    expect(await pageOf(user)).not.toContain("First steps");
  });
});

describe("next posts", () => {
  test("are the next five, in the person's zone and clock, each with a link", async ({ expect }) => {
    const user = await signInNewUser(service, { timeZone: "Pacific/Chatham" });
    const ids: string[] = [];
    for (let day = 40; day <= 45; day++) {
      ids.push(await insertPost(user, { status: "scheduled", at: noon(day), caption: `Post of day ${day}` }));
    }
    await insertPost(user, { status: "published", at: noon(-1) });
    const page = await pageOf(user);
    for (const id of ids.slice(0, 5)) {
      expect(page).toContain(`href="/dashboard/posts/${id}"`);
    }
    expect(page).not.toContain("Post of day 45");
    expect(page).toContain(`datetime="${new Date(noon(40)).toISOString()}"`);
    expect(page).toMatch(/in Pacific\/Chatham \(UTC\+1[23]:45\)/);
    expect(page).toMatch(/, 0[01]:45<\/time>/);
    expect(await pageOf(user, "en-US")).toMatch(/, 1[02]?:45 am<\/time>/);
  });

  test("nothing scheduled leads to a new post", async ({ expect }) => {
    const page = await pageOf(await signInNewUser(service));
    expect(page).toContain('Nothing is scheduled. <a href="/dashboard/posts/new">');
    expect(page).toContain("Nothing needs your attention.");
  });
});

describe("needs attention", () => {
  test("names accounts, paused and failed posts with the place of the repair", async ({ expect }) => {
    const user = await signInNewUser(service);
    const blocked = await insertAccount(user, { name: "Blocked", status: "needs_reconnect" });
    const ending = await insertAccount(user, { name: "Ending", endsAt: noon(30) });
    await insertAccount(user, { name: "Fine", endsAt: noon(300) });
    await insertPost(user, { status: "scheduled", at: noon(31), accountId: ending });
    await insertPost(user, { status: "scheduled", at: noon(3), accountId: blocked });
    await insertPost(user, { status: "paused", at: noon(4), pausedReason: "account" });
    await insertPost(user, { status: "paused", at: noon(4), pausedReason: "subscription" });
    await insertPost(user, { status: "paused", at: noon(4), pausedReason: "restored" });
    await insertPost(user, { status: "paused", at: noon(4), pausedReason: "user" });
    const failed = await insertPost(user, {
      status: "partially_failed",
      at: noon(-2),
      targets: [
        { state: "published" },
        { state: "failed", message: "The image is too wide.", username: "one" },
        { state: "failed", message: "The image is too wide.", username: "two" },
      ],
    });
    const unsure = await insertPost(user, { status: "failed", at: noon(-3), targets: [{ state: "unconfirmed" }] });
    const old = await insertPost(user, { status: "failed", at: noon(-31), targets: [{ state: "failed" }] });
    const page = await pageOf(user);
    expect(page).toMatch(new RegExp(`needs a new login; 1 post ahead needs it\\..*#account-${blocked}"`));
    expect(page).toMatch(
      new RegExp(`has a login that ends on [^;]*; 1 post after that needs it\\..*#account-${ending}"`),
    );
    expect(page).not.toContain("Fine");
    expect(page).toContain("1 post is paused, because no account of theirs can publish.");
    expect(page).toContain("1 post is paused, because the subscription has ended.");
    expect(page).toContain('href="/dashboard/plan"');
    expect(page).toContain("1 post is paused, because the database was put back");
    expect(page).toContain(`href="/dashboard/posts/${failed}"`);
    expect(page).toContain("X (one), X (two): The image is too wide.");
    expect(page).toContain("Partly failed");
    expect(page).toContain(`href="/dashboard/posts/${unsure}"`);
    expect(page).toContain("Unconfirmed");
    expect(page).toContain("it may be published; look at the platform before you send it again.");
    expect(page).not.toContain(old);
    expect(page).not.toContain("Nothing needs your attention.");
  });

  test("names posts ahead that leave out a disconnected account", async ({ expect }) => {
    const user = await signInNewUser(service);
    const accountId = await insertAccount(user);
    const targets = [{ state: "skipped" }, { state: "pending" }] as const;
    const first = await insertPost(user, { status: "scheduled", at: noon(2), accountId, targets });
    await insertPost(user, { status: "paused", pausedReason: "user", at: noon(3), accountId, targets });
    await insertPost(user, { status: "published", at: noon(-1), accountId, targets });
    await insertPost(user, { status: "cancelled", at: noon(4), accountId, targets });
    expect(await pageOf(user)).toContain("Nothing needs your attention.");
    await env.DB.prepare("UPDATE accounts SET disconnected_at = 1 WHERE id = ?").bind(accountId).run();
    const page = await pageOf(user);
    expect(page).toContain("2 posts will not go to X, whose account is disconnected.");
    expect(page).toMatch(new RegExp(`leave it out: <a href="/dashboard/posts/${first}">`));
    expect(page).toContain('href="/dashboard/accounts" aria-label="Connect X again"');
  });

  test("names posts after the end of a trial or of a plan that was not paid", async ({ expect }) => {
    const user = await signInNewUser(service);
    const set = (status: string, end: number | null) =>
      env.DB.prepare("UPDATE subscriptions SET status = ?, current_period_end = ? WHERE user_id = ?")
        .bind(status, end, user.userId)
        .run();
    await insertPost(user, { status: "scheduled", at: noon(2) });
    await insertPost(user, { status: "scheduled", at: noon(9) });
    await insertPost(user, { status: "paused", pausedReason: "user", at: noon(9) });
    await set("trialing", noon(7));
    expect(await pageOf(user)).toMatch(
      /Your free trial ends on [^;]+; 1 post is planned after that and will be paused then\..*Choose a plan/,
    );
    await set("past_due", noon(7));
    expect(await pageOf(user)).toMatch(/The last payment failed, and your plan ends on [^;]+; 1 post is planned/);
    const forAll = new BrowserClient(createServiceFixture({ PLAN_FOR_ALL: "growth" }));
    forAll.session = user.browser.session;
    for (const [status, end, browser] of [
      ["trialing", noon(10), user.browser],
      ["active", noon(7), user.browser],
      ["trialing", noon(7), forAll],
    ] as const) {
      await set(status, end);
      expect(await pageOf({ browser })).toContain("Nothing needs your attention.");
    }
  });

  test("lists the newest five failed posts, and says where the others are", async ({ expect }) => {
    const user = await signInNewUser(service);
    const ids: string[] = [];
    for (let day = 1; day <= 6; day++) {
      ids.push(await insertPost(user, { status: day % 2 ? "failed" : "partially_failed", at: noon(-day) }));
    }
    const page = await pageOf(user);
    for (const [index, id] of ids.entries()) {
      expect(page.includes(id)).toBe(index < 5);
    }
    const link = /href="(\/dashboard\?view=list[^"]*status=failed)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(await (await user.browser.get(link)).text()).toContain(ids[4]);
  });

  test("texts of people and platforms cannot add markup", async ({ expect }) => {
    const user = await signInNewUser(service);
    const hostile = '"><script>alert(1)</script>';
    await insertAccount(user, { name: hostile, status: "needs_reconnect" });
    await insertPost(user, { status: "scheduled", at: noon(1), caption: hostile });
    const targets = [{ state: "failed", message: hostile, username: hostile }] as const;
    await insertPost(user, { status: "failed", at: noon(-1), caption: hostile, targets });
    const page = await pageOf(user);
    expect(page).not.toContain("<script>alert");
    expect(page.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThanOrEqual(5);
  });
});

describe("plots", () => {
  test("have the numbers of the data, in titles and in tables", async ({ expect }) => {
    const user = await signInNewUser(service, { timeZone: "Australia/Darwin" });
    for (const status of ["published", "published", "published", "failed", "partially_failed"] as const) {
      await insertPost(user, { status, at: noon(-2) });
    }
    await insertPost(user, { status: "published", at: noon(-29) });
    await insertPost(user, { status: "published", at: noon(-30) });
    await setLateness(user, noon(-2), { "120": 2, "900": 1, "1500": 1, "61000": 1 });
    const page = await pageOf(user);
    const day = new Date(noon(-2)).getUTCDate();
    expect(page).toMatch(
      new RegExp(`<title>\\w{3}, ${day} \\w+ \\d{4}: 3 published, 1 partly failed, 1 failed</title>`),
    );
    expect(page).toContain("Posts of the last 30 days: 4 published, 1 partly failed, 1 failed");
    expect(page).toContain("Posts of each day (UTC)");
    // Noon in UTC is 21:30 in Darwin; failed posts are not part of the pattern.
    const titles = [...page.matchAll(/<title>\w+day 21:00–22:00: (\d+) posts?<\/title>/g)].map(([, count]) =>
      Number(count),
    );
    expect(titles.reduce((sum, count) => sum + count, 0)).toBe(5);
    expect(page).toContain("in Australia/Darwin (UTC+09:30).");
    expect(page).toContain("<title>under 1 s: 3</title>");
    expect(page).toContain("<title>1–2 s: 1</title>");
    expect(page).toContain("<title>30–60 s: 0</title>");
    expect(page).toContain("<title>over 1 min: 1</title>");
    expect(page).toContain(
      "Half of them left within 0.9 s, 99 of 100 within 1 min 1 s; the latest was 1 min 1 s late.",
    );
    expect(page).toMatch(/<th scope="row">\w{3}, \d+ \w+ \d{4}<\/th><td>3<\/td><td>1<\/td><td>1<\/td>/);
    expect(page).toContain('<th scope="row">under 1 s</th><td>3</td>');
    expect(page).not.toContain("style=");
    expect(page.match(/<svg[^>]*role="img" aria-label="(?:Posts|Lateness)/g)).toHaveLength(3);
  });

  test("a few publications get no shares", async ({ expect }) => {
    const user = await signInNewUser(service);
    await insertPost(user, { status: "published", at: noon(-2) });
    await setLateness(user, noon(-2), { "120": 1, "900": 1 });
    const page = await pageOf(user);
    expect(page).toContain("All 2 left within 0.9 s.");
    expect(page).not.toContain("99 of 100");
  });

  test("say it when there is nothing to draw", async ({ expect }) => {
    const user = await signInNewUser(service);
    await insertPost(user, { status: "paused", at: noon(1), pausedReason: "user" });
    const page = await pageOf(user);
    expect(page.match(/Nothing was published in the last 30 days\./g)).toHaveLength(2);
    expect(page).toContain("There are no posts in this time.");
  });

  test.for([
    [0, 1],
    [1, 1],
    [3, 5],
    [11, 20],
    [99, 100],
    [101, 200],
  ] as const)("the axis of %i posts ends at %i", ([max, end], { expect }) => {
    expect(axisEnd(max)).toBe(end);
  });

  test.for([
    [0, "0 s"],
    [350, "0.35 s"],
    [9990, "9.99 s"],
    [12_000, "12 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
  ] as const)("%i ms are %s", ([ms, text], { expect }) => {
    expect(formatLateness(ms)).toBe(text);
  });
});

describe("cost and limits", () => {
  test("the session and one more round trip; a bounded number of rows", async ({ expect }) => {
    const counting = countingD1(env.DB);
    const counted = createServiceFixture({ DB: counting.d1 });
    const user = await signInNewUser(counted);
    const accountId = await insertAccount(user);
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
       INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
         confirm_hash, created_via, created_at, updated_at)
       SELECT ?1 || '-' || i, ?1, ?2, CASE i % 3 WHEN 0 THEN 'failed' WHEN 1 THEN 'published' ELSE 'scheduled' END,
         ?3 + (i - 2000) * 1200000, 1, 'text', 'Hello', '[]', '["x"]', '', '', 'api', 1, 1 FROM n`,
    )
      .bind(user.workspaceId, user.userId, Date.now())
      .run();
    await env.DB.prepare(
      `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, due_at, history, updated_at)
       SELECT id, ?2, 'x', 'ada', 'Hello', '{}', CASE status WHEN 'scheduled' THEN 'pending' ELSE status END, scheduled_at, '[]', 1
       FROM posts WHERE workspace_id = ?1`,
    )
      .bind(user.workspaceId, accountId)
      .run();
    counting.reset();
    expect((await user.browser.get(PAGE)).status).toBe(200);
    expect(counting.count.roundTrips).toBe(2);
    // Of 333 scheduled posts ahead each target, its post and its publications are read; of the 2,000 others only what is listed.
    expect(counting.count.rowsRead).toBeLessThan(3600);
  });

  test("nothing of another user or workspace", async ({ expect }) => {
    const [owner, other] = [await signInNewUser(service), await signInNewUser(service)];
    await insertAccount(owner, { name: "Secret account", status: "needs_reconnect" });
    await insertPost(owner, { status: "scheduled", at: noon(1), caption: "Secret caption" });
    await insertPost(owner, { status: "failed", at: noon(-1), caption: "Secret failure" });
    expect(await pageOf(owner)).toContain("Secret caption");
    const page = await pageOf(other);
    expect(page).not.toContain("Secret");
    expect(page).toContain("Nothing needs your attention.");
  });
});

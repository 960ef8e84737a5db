import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import { createDraft } from "#drafts/index.ts";
import { cancelPost } from "#post-status/index.ts";
import {
  createAccount,
  createTestContext,
  refusalOf,
  schedulePost,
  type TestContext,
  updatePostRow,
  updateTargetRow,
} from "../posts/test-context.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";

/** A Wednesday. */
const NOW = Date.UTC(2030, 4, 15, 12, 0);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const service = createServiceFixture();

/** A signed-in user with an account, and a way to schedule posts for them. */
async function createPlanner(timeZone = "UTC") {
  const user = await signInNewUser(service, { timeZone });
  const ctx = createTestContext({ actor: { userId: user.userId, workspaceId: user.workspaceId } });
  const account = await createAccount(ctx);
  const open = async (path: string, headers: Record<string, string> = { "accept-language": "en-GB" }) => {
    const response = await user.browser.get(path, headers);
    expect(response.status).toBe(200);
    return response.text();
  };
  return {
    ...user,
    ctx,
    account,
    open,
    schedule: (scheduledAt: number, caption = "Hello") =>
      schedulePost(ctx, { accountIds: [account], scheduledAt, caption }),
  };
}

/** The text of the page without its markup. */
function textOf(html: string): string {
  return html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
}

describe("the first page after sign-in", () => {
  test("shows the month with its posts, their times in the user's zone, and the zone", async () => {
    const { open, schedule } = await createPlanner("Asia/Tokyo");
    const { id } = await schedule(Date.UTC(2030, 4, 16, 22, 5), "Pumpkin soup from five");
    const html = await open("/dashboard");
    expect(html).toContain(`href="/dashboard/posts/${id}"`);
    const text = textOf(html);
    expect(text).toContain("May 2030");
    expect(text).toContain("07:05");
    expect(text).toContain("Pumpkin soup from five");
    expect(text).toContain("Asia/Tokyo (UTC+09:00)");
    const [, ofThisDay = ""] = html.split(`data-date="2030-05-17"`);
    expect(ofThisDay.split("data-date=")[0]).toContain(id);
  });

  test("hours, first weekday and names follow the browser's language", async () => {
    const { open, schedule } = await createPlanner();
    await schedule(NOW + 3 * HOUR);
    const american = textOf(await open("/dashboard?view=month", { "accept-language": "en-US" }));
    expect(american).toContain("Sun Mon Tue");
    expect(american).toContain("3:00 pm");
    expect(textOf(await open("/dashboard?view=month"))).toContain("Mon Tue Wed");
  });

  test("days without a post name the next one", async () => {
    const { open, schedule } = await createPlanner();
    expect(textOf(await open("/dashboard"))).not.toContain("The next post is on");
    await schedule(Date.UTC(2030, 6, 3, 9, 5));
    const html = await open("/dashboard");
    expect(textOf(html)).toContain("The next post is on Wed, 3 Jul 2030, 09:05 .");
    expect(html).toMatch(/<a href="\/dashboard\?[^"]*date=2030-07-03/);
    expect(textOf(await open("/dashboard?view=list&date=2030-07-01"))).not.toContain("The next post is on");
    await schedule(NOW + HOUR);
    expect(textOf(await open("/dashboard"))).not.toContain("The next post is on");
  });

  test("takes two round trips, whatever the number of posts", async () => {
    const { ctx, account, browser } = await createPlanner();
    for (let day = 1; day <= 5; day++) {
      await schedulePost(ctx, { accountIds: [account], scheduledAt: NOW + day * DAY });
    }
    const counting = countingD1(env.DB);
    const counted = createServiceFixture({ DB: counting.d1 });
    counting.reset();
    const response = await counted.fetch("/dashboard", { headers: { cookie: `__Host-session=${browser.session}` } });
    expect(response.status).toBe(200);
    expect(counting.count.roundTrips).toBe(2);
  });

  test("without a session leads to sign-in and back to the same view", async () => {
    const response = await service.fetch("/dashboard?view=week&date=2030-05-20");
    expect(response.headers.get("location")).toBe("/login?next=%2Fdashboard%3Fview%3Dweek%26date%3D2030-05-20");
  });
});

describe("views", () => {
  test("previous, today and next keep view and filters", async () => {
    const { open, account } = await createPlanner();
    const html = (await open(`/dashboard?view=week&date=2030-12-31&account=${account}&status=failed`)).replaceAll(
      "&amp;",
      "&",
    );
    const filters = `&account=${account}&status=failed`;
    expect(html).toContain(`href="/dashboard?view=week&date=2030-12-23${filters}"`);
    expect(html).toContain(`href="/dashboard?view=week${filters}"`);
    expect(html).toContain(`href="/dashboard?view=week&date=2031-01-06${filters}"`);
    expect(html).toContain(`href="/dashboard?view=list&date=2030-12-31${filters}"`);
    expect(textOf(html)).toContain("30 Dec 2030 – 5 Jan 2031");
  });

  test("a full day names how many more there are, leads to the list of that day, and never hides what failed", async () => {
    const { open, schedule } = await createPlanner();
    const ids: string[] = [];
    for (let hour = 1; hour <= 6; hour++) {
      ids.push((await schedule(NOW + hour * HOUR)).id);
    }
    await updatePostRow(ids[5]!, { status: "failed" });
    const html = (await open("/dashboard?view=month")).replaceAll("&amp;", "&");
    expect(textOf(html)).toContain("+3 more");
    expect(html).toContain(`href="/dashboard?view=list&date=2030-05-15"`);
    expect(ids.map((id) => html.includes(`href="/dashboard/posts/${id}"`))).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
    ]);
    const list = await open("/dashboard?view=list&date=2030-05-15");
    expect(ids.every((id) => list.includes(`href="/dashboard/posts/${id}"`))).toBe(true);
  });

  test("the repeated hour of a clock change shows its offset, and the skipped one takes no posts", async () => {
    const { open, schedule } = await createPlanner("Europe/Berlin");
    await schedule(Date.UTC(2030, 9, 27, 0, 30));
    await schedule(Date.UTC(2030, 9, 27, 1, 30));
    const autumn = textOf(await open("/dashboard?view=week&date=2030-10-27"));
    expect(autumn).toContain("02:30 UTC+02:00");
    expect(autumn).toContain("02:30 UTC+01:00");
    expect(autumn).toContain("The clock goes back 60 minutes, then UTC+01:00");
    expect(textOf(await open("/dashboard?view=week&date=2030-10-20"))).not.toContain("The clock goes");
    const spring = await open("/dashboard?view=week&date=2031-03-30");
    expect(spring).toContain("at=2031-03-30T01:00");
    expect(spring).not.toContain("at=2031-03-30T02:00");
    expect(spring).toContain("at=2031-03-30T03:00");
  });

  test("only time ahead is offered for new posts", async () => {
    const { open } = await createPlanner();
    const week = await open("/dashboard?view=week");
    expect(week).not.toContain("at=2030-05-14");
    expect(week).not.toContain("at=2030-05-15T11:00");
    expect(week).not.toContain("at=2030-05-15T12:00");
    expect(week).toContain("at=2030-05-15T12:30");
    expect(week).toContain("at=2030-05-16T00:00");
    const month = await open("/dashboard?view=month");
    expect(month).not.toContain("at=2030-05-14");
    expect(month).toContain("at=2030-05-15T12:30");
    expect(month).toContain("at=2030-05-16T09:00");
  });

  test("zones far from UTC put posts on their own day", async () => {
    const chatham = await createPlanner("Pacific/Chatham");
    await chatham.schedule(Date.UTC(2030, 4, 16, 11, 20));
    const html = await chatham.open("/dashboard?view=month");
    expect(html.split(`data-date="2030-05-17"`)[1]?.split("data-date=")[0]).toContain("00:05");
    const samoa = await createPlanner("Pacific/Pago_Pago");
    await samoa.schedule(Date.UTC(2030, 4, 17, 10, 59));
    const other = await samoa.open("/dashboard?view=month");
    expect(other.split(`data-date="2030-05-16"`)[1]?.split("data-date=")[0]).toContain("23:59");
  });
});

describe("posts", () => {
  test("everything but scheduled has its status in words", async () => {
    const { open, schedule, account } = await createPlanner();
    const [failed, partly, paused, published, unconfirmed] = [
      await schedule(NOW + 24 * HOUR),
      await schedule(NOW + 48 * HOUR),
      await schedule(NOW + 72 * HOUR),
      await schedule(NOW + 96 * HOUR),
      await schedule(NOW + 120 * HOUR),
    ];
    await updatePostRow(failed.id, { status: "failed" });
    await updateTargetRow(failed.id, account, { state: "failed" });
    await updatePostRow(partly.id, { status: "partially_failed" });
    await updatePostRow(paused.id, { status: "paused", paused_reason: "account" });
    await updatePostRow(published.id, { status: "published" });
    await updatePostRow(unconfirmed.id, { status: "failed" });
    await updateTargetRow(unconfirmed.id, account, { state: "unconfirmed" });
    const text = textOf(await open("/dashboard?view=month"));
    for (const word of [
      "Failed",
      "Partly failed",
      "Paused: reconnect",
      "Published",
      "Unconfirmed",
      "3 need attention",
    ]) {
      expect(text).toContain(word);
    }
  });

  test("only scheduled and paused posts can be moved", async () => {
    const { open, schedule } = await createPlanner();
    const [scheduled, paused, published] = [
      await schedule(NOW + HOUR),
      await schedule(NOW + 2 * HOUR),
      await schedule(NOW + 3 * HOUR),
    ];
    await updatePostRow(paused.id, { status: "paused" });
    await updatePostRow(published.id, { status: "published" });
    const html = await open("/dashboard?view=month");
    const movable = [scheduled, paused, published].map(({ id }) => html.includes(`data-move="${id}"`));
    expect(movable).toEqual([true, true, false]);
  });

  test("hostile text is shown as text", async () => {
    const { open, schedule } = await createPlanner();
    await schedule(NOW + HOUR, `<script>alert(1)</script>"'&`);
    for (const view of ["month", "week", "list"]) {
      const html = await open(`/dashboard?view=${view}&account=%22%3E%3Cscript%3Ealert(2)&date=%3Cscript%3E`);
      expect(html).not.toContain("<script>alert");
    }
    expect(await open("/dashboard")).toContain("&lt;script&gt;alert(1)");
  });

  test("another user's posts and accounts are not shown, nor can they be filtered for", async () => {
    const [mine, other] = [await createPlanner(), await createPlanner()];
    const { id } = await other.schedule(NOW + HOUR, "Secret plan");
    expect(await mine.open(`/dashboard?account=${other.account}`)).not.toContain("Secret plan");
    expect(await mine.open("/dashboard")).not.toContain(id);
  });

  test("an account that needs a new login is named", async () => {
    const { open, account } = await createPlanner();
    await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect', username = 'bakery' WHERE id = ?")
      .bind(account)
      .run();
    const html = await open("/dashboard");
    expect(textOf(html)).toContain("bakery (X) needs a new login");
    expect(html).toContain(`href="/dashboard/accounts"`);
  });
});

describe("filters", () => {
  test("by account, platform, status and source, and named in words", async () => {
    const { open, ctx, account } = await createPlanner();
    const second = await createAccount(ctx);
    const [a, b] = [
      await schedulePost(ctx, { accountIds: [account], scheduledAt: NOW + HOUR }),
      await schedulePost(ctx, { accountIds: [second], scheduledAt: NOW + 2 * HOUR }),
    ];
    await updatePostRow(b.id, { status: "failed", created_via: "mcp" });
    const shown = async (search: string) => {
      const html = await open(`/dashboard?${search}`);
      return [a.id, b.id].map((id) => html.includes(`posts/${id}`));
    };
    expect(await shown(`account=${account}`)).toEqual([true, false]);
    expect(await shown("status=failed")).toEqual([false, true]);
    expect(await shown("source=mcp")).toEqual([false, true]);
    expect(await shown("platform=instagram")).toEqual([false, false]);
    expect(await shown("platform=x")).toEqual([true, true]);
    const html = await open("/dashboard?status=failed&source=mcp");
    expect(textOf(html)).toContain("Only Failed · how it was made: AI assistant Show all");
    expect(html).toContain(`<option value="failed" selected`);
  });
});

describe("the part that follows what is being published", () => {
  const refreshIn = (html: string) => /data-refresh="(\d+)"/.exec(html)?.[1];

  test("is asked for soon while something is publishing, otherwise before the next post, otherwise never", async () => {
    const { open, schedule } = await createPlanner();
    expect(refreshIn(await open("/dashboard"))).toBeUndefined();
    const { id } = await schedule(NOW + HOUR);
    expect(refreshIn(await open("/dashboard"))).toBe("3570");
    await updatePostRow(id, { status: "publishing", scheduled_at: NOW });
    expect(refreshIn(await open("/dashboard"))).toBe("4");
    await updatePostRow(id, { scheduled_at: NOW - HOUR });
    expect(refreshIn(await open("/dashboard"))).toBe("60");
    await updatePostRow(id, { status: "published" });
    expect(refreshIn(await open("/dashboard"))).toBeUndefined();
  });

  test("is answered without the rest of the page", async () => {
    const { open } = await createPlanner();
    const html = await open("/dashboard?view=week", { "x-fragment": "1" });
    expect(html).toMatch(/^<section id="calendar"/);
    expect(html).not.toContain("<h1");
  });
});

test("a month of 200 posts is less than 15 KB on the wire, in every view", async () => {
  const { open, ctx, account } = await createPlanner();
  const { id } = await schedulePost(ctx, { accountIds: [account], scheduledAt: NOW + HOUR });
  const columns =
    "workspace_id, user_id, status, version, post_type, caption, media, plan_hash, confirm_hash, created_via";
  const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 199)`;
  await env.DB.prepare(
    `${rows} INSERT INTO posts (id, scheduled_at, platforms, created_at, updated_at, ${columns})
     SELECT lower(hex(randomblob(16))), ?2 + (i * 7919 % 640) * 3600000 - 300 * 3600000, '["x","instagram","linkedin","mastodon"]', 1, 1, ${columns}
     FROM n, posts WHERE posts.id = ?1`,
  )
    .bind(id, NOW)
    .run();
  for (const view of ["month", "week", "list"]) {
    const html = await open(`/dashboard?view=${view}&date=2030-05-10`);
    const compressed = new Response(html).body!.pipeThrough(new CompressionStream("gzip"));
    expect((await new Response(compressed).arrayBuffer()).byteLength).toBeLessThan(15_000);
  }
});

describe("what is beside the posts", () => {
  const draftOf = (ctx: TestContext, content: JsonObject) => createDraft(ctx, { content });

  async function createScene() {
    const planner = await createPlanner();
    const { ctx, account, schedule } = planner;
    await schedule(NOW + HOUR, "A post");
    const gone = await schedule(NOW + 2 * HOUR, "Was called off");
    await cancelPost(ctx, { id: gone.id });
    const berlin = { scheduled_at: "2030-05-17T08:00", time_zone: "Europe/Berlin", account_ids: [account] };
    const draft = await draftOf(ctx, {
      caption: "Half written",
      ...berlin,
      labels: ["spring", "draft"],
      external_id: "crm-1",
    });
    const unreadable: JsonObject[] = [
      { scheduled_at: "2030-05-17T08:00" },
      { scheduled_at: "2030-05-17T08:00", time_zone: "Nowhere", account_ids: "all", targets: [7] },
      { scheduled_at: "2030-05-17", labels: "spring", external_id: { spring: 1 } },
      { scheduled_at: 7 },
      { caption: "No time" },
    ];
    for (const content of unreadable) {
      await draftOf(ctx, content);
    }
    const agent = createTestContext({
      actor: { ...ctx.actor, credential: { kind: "api_key", id: account, name: "agent", confirms: "person" } },
    });
    await env.DB.prepare(
      "INSERT INTO api_keys (id, user_id, name, hash, hint, scopes, created_at) VALUES (?2, ?1, 'agent', ?1, '', '[]', 1)",
    )
      .bind(ctx.actor.userId, account)
      .run();
    const annotations = { externalId: "crm-2", labels: ["spring"], metadata: {}, notes: null };
    await refusalOf(
      schedulePost(agent, { accountIds: [account], scheduledAt: NOW + DAY, caption: "May I?", annotations }),
    );
    return { ...planner, draft, gone };
  }

  test("drafts with a time, requests and cancelled posts are muted links to themselves that nobody can drag", async () => {
    const { open, draft, gone } = await createScene();
    for (const view of ["month", "week", "list"]) {
      const html = await open(`/dashboard?view=${view}`);
      const notes = [...html.matchAll(/<li class="chip-item note">.*?<\/li>/gs)].map(([note]) => note);
      expect(
        notes.map((note) => textOf(note).trim()),
        view,
      ).toEqual([
        expect.stringMatching(/^14:00 .*Was called off Cancelled$/),
        expect.stringMatching(/^12:00 .*May I\? Needs approval$/),
        expect.stringMatching(/^06:00 .*Half written Draft$/),
      ]);
      expect(notes.join("")).not.toMatch(/data-move|class="move"/);
      expect(notes.map((note) => /href="([^"]+)"/.exec(note)?.[1])).toEqual([
        `/dashboard/posts/${gone.id}`,
        expect.stringMatching(/^\/approvals\//),
        `/dashboard/drafts/${draft.id}`,
      ]);
      expect(textOf(html)).toContain("1 post ");
    }
  });

  test("each kind can be chosen, and the posts alone; other filters apply", async () => {
    const { open, account, ctx } = await createScene();
    const shown = async (query: string) => {
      const html = await open(`/dashboard?view=month&${query}`);
      return ["A post", "Half written", "May I?", "Was called off"].filter((words) => html.includes(words));
    };
    expect(await shown("status=posts")).toEqual(["A post"]);
    expect(await shown("status=draft")).toEqual(["Half written"]);
    expect(await shown("status=waiting")).toEqual(["May I?"]);
    expect(await shown("status=cancelled")).toEqual(["Was called off"]);
    expect(await shown("status=scheduled")).toEqual(["A post"]);
    expect(await shown(`account=${account}`)).toEqual(["A post", "Half written", "May I?", "Was called off"]);
    expect(await shown(`account=${await createAccount(ctx)}`)).toEqual([]);
    expect(await shown("q=HALF")).toEqual(["Half written"]);
    expect(await shown("label=none")).toEqual([]);
    expect(await shown("label=spring")).toEqual(["Half written", "May I?"]);
    expect(await shown("external_id=crm-1")).toEqual(["Half written"]);
    expect(await shown("external_id=crm-2")).toEqual(["May I?"]);
    expect(await shown("source=api&status=waiting")).toEqual(["May I?"]);
    expect(await shown("source=mcp")).toEqual([]);
    expect(textOf(await open("/dashboard?source=mcp"))).toContain("Drafts are not shown");
    expect(textOf(await open("/dashboard?source=mcp&status=posts"))).not.toContain("Drafts are not shown");
    expect(textOf(await open("/dashboard?status=draft"))).toContain("Only Drafts");
  });

  test("belongs to the workspace, takes no further round trip, and reads only what is near", async () => {
    const { browser, ctx, account } = await createScene();
    const stranger = await createPlanner();
    expect(await stranger.open("/dashboard")).not.toContain("chip-item note");
    const counting = countingD1(env.DB);
    const counted = createServiceFixture({ DB: counting.d1 });
    const rowsRead = async () => {
      counting.reset();
      await counted.fetch("/dashboard", { headers: { cookie: `__Host-session=${browser.session}` } });
      expect(counting.count.roundTrips).toBe(2);
      return counting.count.rowsRead;
    };
    const addDraft = (month: number) =>
      draftOf(ctx, { scheduled_at: `2030-${month}-01T08:00:00Z`, account_ids: [account] });
    // A range of an index ends at the first entry behind it.
    await addDraft(10);
    const before = await rowsRead();
    await addDraft(11);
    await addDraft(12);
    expect(await rowsRead()).toBe(before);
  });
});

describe("all posts", () => {
  const chips = (html: string) =>
    [...html.matchAll(/class="chip" href="\/dashboard\/posts\/([^"]+)"/g)].map(([, id]) => id);

  test("are found by their words, the newest first, from the field of every view", async () => {
    const { open, schedule } = await createPlanner();
    const [first, other, last] = [
      await schedule(NOW + HOUR, "Crème brûlée"),
      await schedule(NOW + 2 * HOUR, "Soup"),
      await schedule(NOW + 40 * DAY, "CREME"),
    ];
    await updatePostRow(first.id, { status: "published", scheduled_at: NOW - 90 * DAY });
    const month = await open("/dashboard");
    expect(month).toMatch(/<form class="search" role="search" method="get" action="\/dashboard"/);
    const html = await open("/dashboard?view=all&q=creme");
    expect(chips(html)).toEqual([last.id, first.id]);
    const text = textOf(html);
    expect(text).toContain("2 posts");
    expect(text).toContain("Only “creme”");
    expect(text).toContain("Archived posts are not among these.");
    expect(html).toContain('value="creme"');
    expect(chips(await open("/dashboard?view=all"))).toEqual([last.id, other.id, first.id]);
    expect(textOf(await open("/dashboard?view=all&q=tea"))).toContain("No post is like that.");
    expect(chips(await open("/dashboard?view=month&q=soup"))).toEqual([other.id]);
  });

  test("of an account, of the past and ahead, in the words of a page of it and of a post", async () => {
    const { open, schedule, account, ctx } = await createPlanner();
    const past = await schedule(NOW + HOUR);
    await updatePostRow(past.id, { status: "published", scheduled_at: NOW - 90 * DAY });
    const ahead = await schedule(NOW + DAY);
    await schedulePost(ctx, { accountIds: [await createAccount(ctx)], scheduledAt: NOW + 2 * DAY });
    const href = `/dashboard?account=${account}&amp;view=all`;
    expect(chips(await open(href.replace("&amp;", "&")))).toEqual([ahead.id, past.id]);
    expect(await open("/dashboard/accounts")).toContain(href);
    expect(await open(`/dashboard/posts/${ahead.id}`)).toContain(href);
  });

  test("come in pages, and say at which posts a search has not looked", async () => {
    const { open, schedule, userId, workspaceId } = await createPlanner();
    await schedule(NOW + HOUR, "Last");
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5050)
       INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
         confirm_hash, created_via, created_at, updated_at, search_text)
       SELECT ?1 || i, ?1, ?2, 'published', ?3 - i * 60000, 1, 'text', 'Post ' || i, '[]', '["x"]', '', '', 'api', 1, 1, 'post ' || i FROM n`,
    )
      .bind(workspaceId, userId, NOW)
      .run();
    const first = (await open("/dashboard?view=all&q=post")).replaceAll("&amp;", "&");
    expect(chips(first)).toHaveLength(100);
    expect(textOf(first)).toContain("4,999 posts");
    expect(first).toContain('href="/dashboard?view=all&page=2&q=post" rel="next"');
    expect(textOf(first)).toContain("This looked at 5,000 posts, back to");
    const before = /href="([^"]*before=[^"]*)"/.exec(first)?.[1] ?? "";
    // The post of the instant at which the first search ended comes again.
    expect(chips(await open(before))).toHaveLength(52);
    const second = (await open("/dashboard?view=all&q=post&page=2")).replaceAll("&amp;", "&");
    expect(second).toContain('href="/dashboard?view=all&q=post" rel="prev"');
  });

  test("take two round trips", async () => {
    const { browser, schedule } = await createPlanner();
    await schedule(NOW + DAY);
    const counting = countingD1(env.DB);
    const counted = createServiceFixture({ DB: counting.d1 });
    counting.reset();
    await counted.fetch("/dashboard?view=all&q=hello", { headers: { cookie: `__Host-session=${browser.session}` } });
    expect(counting.count.roundTrips).toBe(2);
  });
});

test("an empty calendar says what to do first", async () => {
  const user = await signInNewUser(service);
  const html = await (await user.browser.get("/dashboard")).text();
  expect(textOf(html)).toContain("First steps 0 of 3 done");
  const { open } = await createPlanner();
  const connected = textOf(await open("/dashboard"));
  expect(connected).toContain("Nothing planned here yet. Write a post");
  expect(connected).toContain("First steps 1 of 3 done");
  expect(textOf(await open("/dashboard?platform=x"))).not.toContain("First steps");
  const lately = new Date(Date.now() - 60 * DAY).toISOString().slice(0, 10);
  expect(textOf(await open(`/dashboard?date=${lately}`))).toContain("Nothing was planned here.");
  expect(textOf(await open("/dashboard?date=2020-01-01"))).toContain("Posts that ended long ago are in the archive");
});

test("the result of a form is announced", async () => {
  const { open } = await createPlanner();
  expect(await open("/dashboard?done=saved")).toContain(`role="status">The change is saved.`);
  expect(await open("/dashboard?done=constructor")).not.toContain("notice success");
});

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import { annotatePost } from "#post-status/index.ts";
import { createAccount, createTestContext, readPostRow, schedulePost, updatePostRow } from "../posts/test-context.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";

const NOW = Date.UTC(2030, 4, 15, 12, 0);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const service = createServiceFixture({ X_CLIENT_ID: "id", X_CLIENT_SECRET: "secret" });

async function createPosts(count = 2) {
  const user = await signInNewUser(service, { timeZone: "Europe/Berlin" });
  const ctx = createTestContext({ actor: { userId: user.userId, workspaceId: user.workspaceId } });
  const account = await createAccount(ctx, "x", {});
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const scheduledAt = NOW + HOUR + index * DAY;
    const post = await schedulePost(ctx, { accountIds: [account], scheduledAt, caption: `Soup ${index} & <bread>` });
    ids.push(post.id);
  }
  const send = async (path: string, fields: Record<string, string | readonly string[]>) => {
    const response = await user.browser.post(path, fields);
    const location = response.headers.get("location");
    return { status: response.status, location, html: await response.text() };
  };
  const select = (fields: Record<string, string>, selected: readonly string[] = ids) =>
    send("/dashboard/selection", { post: selected, ...fields });
  const confirm = (html: string) => send("/dashboard/selection/confirm", fieldsOf(html));
  return { ...user, ctx, ids, select, confirm };
}

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** The fields of the form that confirms. */
function fieldsOf(html: string): Record<string, readonly string[]> {
  const form = /<form[^>]*action="\/dashboard\/selection\/confirm"[^]*?<\/form>/.exec(html)?.[0] ?? "";
  const fields: Record<string, string[]> = {};
  for (const [, name = "", value = ""] of form.matchAll(/name="([a-z_]+)" value="([^"]*)"/g)) {
    (fields[name] ??= []).push(value.replaceAll("&amp;", "&"));
  }
  return fields;
}

const timesOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await readPostRow(id))["scheduled_at"] as number));

describe("the calendar", () => {
  test.each(["list", "month", "week"])(
    "has a checkbox for each post of the %s while posts are selected",
    async (view) => {
      const { browser, ids } = await createPosts();
      const normal = await (await browser.get(`/dashboard?view=${view}`)).text();
      expect(normal).not.toContain('checkbox" form=');
      expect(normal).toContain("select=some");
      const some = await (await browser.get(`/dashboard?view=${view}&select=some`)).text();
      for (const id of ids) {
        expect(some).toContain(`form="selection" name="post" value="${id}"`);
      }
      expect(some).not.toContain("/move?next");
      expect(some).not.toContain("data-refresh");
      const all = await (await browser.get(`/dashboard?view=${view}&select=all`)).text();
      expect([...all.matchAll(/name="post" value="[^"]+" checked/g)]).toHaveLength(ids.length);
    },
  );

  test("shows every post of a day while posts are selected", async () => {
    const { browser, ctx } = await createPosts(1);
    const account = await createAccount(ctx, "x", {});
    for (let minute = 0; minute < 6; minute += 1) {
      await schedulePost(ctx, { accountIds: [account], scheduledAt: NOW + 2 * DAY + minute * 60_000 });
    }
    const html = await (await browser.get("/dashboard?view=month&select=some")).text();
    expect([...html.matchAll(/name="post"/g)]).toHaveLength(7);
  });
});

describe("a move", () => {
  test("asks by how much, shows each post before and after, and moves all of them", async () => {
    const { ids, select, confirm } = await createPosts();
    const before = await timesOf(ids);
    const asked = await select({ change: "move", next: "/dashboard?view=list" });
    expect(asked.status).toBe(200);
    expect(textOf(asked.html)).toContain("Move 2 posts");
    expect(asked.html).toContain('name="days"');
    const shown = await select({ change: "move", days: "2", time: "08:15", next: "/dashboard?view=list" });
    expect(textOf(shown.html)).toContain("Wed, 15 May 2030, 15:00 → Fri, 17 May 2030, 08:15");
    expect(textOf(shown.html)).toContain("Thu, 16 May 2030, 15:00 → Sat, 18 May 2030, 08:15");
    expect(await timesOf(ids)).toEqual(before);
    const confirmed = await confirm(shown.html);
    expect(confirmed).toMatchObject({ status: 303, location: "/dashboard?view=list&done=posts-moved" });
    expect(await timesOf(ids)).toEqual([Date.UTC(2030, 4, 17, 6, 15), Date.UTC(2030, 4, 18, 6, 15)]);
  });

  test.each([
    [{ days: "0", time: "" }, "Say by how many days"],
    [{ days: "1.5", time: "" }, "whole number"],
    [{ days: "1", time: "25:00" }, "like 09:30"],
  ])("with %j asks again", async (fields, sentence) => {
    const { select } = await createPosts();
    const { status, html } = await select({ change: "move", ...fields });
    expect(status).toBe(400);
    expect(textOf(html)).toContain(sentence);
  });
});

describe("other changes", () => {
  test.each([
    ["pause", "paused"],
    ["cancel", "cancelled"],
  ])("%s: one preview and one confirm", async (action, status) => {
    const { ids, select, confirm } = await createPosts();
    const shown = await select({ change: action });
    expect(shown.status).toBe(200);
    expect((await readPostRow(ids[0] ?? ""))["status"]).toBe("scheduled");
    expect((await confirm(shown.html)).location).toBe(`/dashboard?done=posts-${status}`);
    for (const id of ids) {
      expect((await readPostRow(id))["status"]).toBe(status);
    }
  });

  test("resume what is paused", async () => {
    const { ids, select, confirm } = await createPosts();
    await confirm((await select({ change: "pause" })).html);
    await confirm((await select({ change: "resume" })).html);
    expect((await readPostRow(ids[1] ?? ""))["status"]).toBe("scheduled");
  });

  test("change the labels", async () => {
    const { ctx, ids, select, confirm } = await createPosts();
    await annotatePost(ctx, {
      id: ids[0] ?? "",
      annotations: { externalId: null, metadata: {}, labels: ["old"], notes: null },
    });
    const shown = await select({ change: "label", add: "new, other", remove: "old" });
    expect(textOf(shown.html)).toContain("old → new, other");
    await confirm(shown.html);
    const { results } = await env.DB.prepare(
      "SELECT labels FROM post_annotations WHERE post_id IN (?1, ?2) ORDER BY post_id",
    )
      .bind(...ids)
      .all();
    expect(results).toEqual([{ labels: '["new","other"]' }, { labels: '["new","other"]' }]);
  });
});

describe("what cannot be done", () => {
  test("is named before the confirm, with a button for the other posts", async () => {
    const { ids, select, confirm } = await createPosts(3);
    await updatePostRow(ids[1] ?? "", { status: "publishing" });
    const { status, html } = await select({ change: "cancel" });
    expect(status).toBe(400);
    expect(textOf(html)).toContain("1 post of 3 cannot be changed like this");
    expect(textOf(html)).toContain("Soup 1 &amp; &lt;bread&gt;");
    expect(textOf(html)).toContain("A publishing post cannot be cancelled");
    expect(html).not.toContain(`${ids[1]}: `);
    const rest = [...html.matchAll(/name="post" value="([^"]+)"/g)].map(([, id]) => id ?? "");
    expect(rest).toEqual([ids[0], ids[2]]);
    await confirm((await select({ change: "cancel" }, rest)).html);
    expect((await readPostRow(ids[2] ?? ""))["status"]).toBe("cancelled");
  });

  test("names the post that began to publish after the preview, and changes none", async () => {
    const { ids, select, confirm } = await createPosts();
    const { html } = await select({ change: "pause" });
    await updatePostRow(ids[1] ?? "", { status: "publishing" });
    const refused = await confirm(html);
    expect(refused.status).toBe(400);
    expect(textOf(refused.html)).toContain("Soup 1");
    expect(textOf(refused.html)).not.toContain("Soup 0");
    expect((await readPostRow(ids[0] ?? ""))["status"]).toBe("scheduled");
  });

  test("a confirm that is sent twice changes the posts once", async () => {
    const { ids, select, confirm } = await createPosts();
    const { html } = await select({ change: "move", days: "1", time: "" });
    await confirm(html);
    expect(await confirm(html)).toMatchObject({ status: 303, location: "/dashboard?done=posts-moved" });
    expect((await readPostRow(ids[0] ?? ""))["version"]).toBe(2);
  });

  test("posts of another user, unknown posts, none and too many", async () => {
    const [{ select, ids }, other] = [await createPosts(), await createPosts()];
    const foreign = await select({ change: "cancel" }, [...ids, ...other.ids]);
    expect(textOf(foreign.html)).toContain("2 posts of 4");
    expect(foreign.html).not.toContain("Soup 1");
    expect(textOf((await select({ change: "cancel" }, [])).html)).toContain("No post was selected");
    const many = Array.from({ length: 101 }, () => crypto.randomUUID());
    expect(textOf((await select({ change: "cancel" }, many)).html)).toContain("101 posts are selected");
    expect((await readPostRow(other.ids[0] ?? ""))["status"]).toBe("scheduled");
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR } from "#core/clock.ts";
import { adapterFor } from "#platforms/registry.ts";
import { cancelPost } from "#post-status/index.ts";
import { confirmEdit } from "#confirming/index.ts";
import { getPost } from "#posts/index.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  readPostRow,
  schedulePost,
  type TestContextOptions,
  updatePostRow,
} from "../posts/test-context.ts";
import { createServiceFixture, ORIGIN, signInNewUser } from "../auth/service-fixture.ts";

const NOW = Date.UTC(2030, 4, 15, 12, 0);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

/** X is set up, so that its posts can be edited. */
const service = createServiceFixture({ X_CLIENT_ID: "id", X_CLIENT_SECRET: "secret" });

async function createPost(
  timeZone = "Europe/Berlin",
  scheduledAt = NOW + HOUR,
  adapters?: TestContextOptions["adapters"],
) {
  const user = await signInNewUser(service, { timeZone });
  const ctx = createTestContext({
    actor: { userId: user.userId, workspaceId: user.workspaceId },
    ...(adapters && { adapters }),
  });
  const account = await createAccount(ctx, "x", {});
  const { id } = await schedulePost(ctx, { accountIds: [account], scheduledAt, caption: "Soup & <bread>" });
  const path = `/dashboard/posts/${id}/move`;
  const move = async (fields: Record<string, string>) => {
    const response = await user.browser.post(path, fields);
    return { status: response.status, html: await response.text() };
  };
  return { ...user, ctx, id, path, move };
}

function textOf(html: string): string {
  return html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
}

function fieldsOf(html: string): Record<string, string> {
  const fields = html.matchAll(/name="(confirmation_token|post_id|next)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value.replaceAll("&amp;", "&")]));
}

describe("the form", () => {
  test("has the date and the time of the user's clock, and leads back", async () => {
    const { browser, path } = await createPost();
    const html = await (await browser.get(`${path}?next=%2Fdashboard%3Fview%3Dweek`)).text();
    expect(html).toContain(`name="date" required="" value="2030-05-15"`);
    expect(html).toContain(`name="time" required="" value="15:00"`);
    expect(html).toContain(`value="/dashboard?view=week"`);
    expect(html).toContain("Soup &amp; &lt;bread&gt;");
    expect(textOf(html)).toContain("Europe/Berlin (UTC+02:00)");
  });

  test("leads nowhere outside", async () => {
    const { browser, path } = await createPost();
    expect(await (await browser.get(`${path}?next=https%3A%2F%2Fevil.example`)).text()).not.toContain("evil.example");
    const html = await (await browser.post(path, { date: "2030-05-20", time: "10:00", next: "//evil.example" })).text();
    expect(html).not.toContain("evil.example");
  });

  test("is a 404 for an unknown post and for another user's", async () => {
    const [{ browser }, other] = [await createPost(), await createPost()];
    const fields = { date: "2030-05-20", time: "10:00" };
    for (const path of [other.path, "/dashboard/posts/unknown/move"]) {
      expect((await browser.get(path)).status).toBe(404);
      expect((await browser.post(path, fields)).status).toBe(404);
    }
  });

  test.each(["published", "publishing", "failed"])("says that a %s post cannot be moved", async (status) => {
    const { browser, id, path, move } = await createPost();
    await updatePostRow(id, { status });
    expect(textOf(await (await browser.get(path)).text())).toContain(`this one is ${status}`);
    const refused = await move({ date: "2030-05-20", time: "10:00" });
    expect(refused.status).toBe(400);
    expect(refused.html).not.toContain("confirmation_token");
  });

  test("says that a cancelled post cannot be moved", async () => {
    const { browser, ctx, id, path } = await createPost();
    await cancelPost(ctx, { id });
    expect(textOf(await (await browser.get(path)).text())).toContain("this one is cancelled");
  });
});

describe("a new time", () => {
  test("is asked about with both times, and the token of the question moves the post", async () => {
    const { ctx, id, move } = await createPost();
    const { status, html } = await move({
      date: "2030-05-20",
      time: "08:30",
      next: "/dashboard?view=month&date=2030-05-01",
    });
    expect(status).toBe(200);
    expect(textOf(html)).toContain("Move from Wed, 15 May 2030, 15:00 to Mon, 20 May 2030, 08:30?");
    const { confirmation_token: confirmationToken = "", post_id: postId, next } = fieldsOf(html);
    expect(postId).toBe(id);
    expect(next).toBe("/dashboard?view=month&date=2030-05-01");
    expect((await readPostRow(id))["scheduled_at"]).toBe(NOW + HOUR);
    await confirmEdit(ctx, { confirmationToken });
    expect((await readPostRow(id))["scheduled_at"]).toBe(Date.UTC(2030, 4, 20, 6, 30));
  });

  test("that is close, and files without a description, are told in plain words", async () => {
    const { browser, userId, workspaceId } = await signInNewUser(service, { timeZone: "Europe/Berlin" });
    const adapters = { bluesky: adapterFor("bluesky") };
    const ctx = createTestContext({ actor: { userId, workspaceId }, adapters });
    const account = await createAccount(ctx, "bluesky");
    const { url } = await createMedia(ctx, "image", "image/jpeg");
    const { id } = await schedulePost(ctx, { accountIds: [account], scheduledAt: NOW + HOUR, mediaUrls: [url] });
    const response = await browser.post(`/dashboard/posts/${id}/move`, { date: "2030-05-15", time: "14:03" });
    const text = textOf(await response.text());
    expect(text).toContain("Press Move before 14:03.");
    expect(text).toContain("File 1 has no description for people who cannot see it");
    expect(text).not.toMatch(/platform_options|media_items|2030-05-15T/i);
  });

  test("leads to the calendar at the new date where the old one would not show it", async () => {
    const { move } = await createPost();
    const { html } = await move({
      date: "2030-07-20",
      time: "08:30",
      next: "/dashboard?view=week&date=2030-05-15&status=paused",
    });
    expect(fieldsOf(html)["next"]).toBe("/dashboard?view=week&date=2030-07-20&status=paused");
  });

  test("across a clock change keeps the time of the clock and says so", async () => {
    const { id, ctx, move } = await createPost("Europe/Berlin", Date.UTC(2030, 9, 26, 7, 0));
    const { html } = await move({ date: "2030-10-28", time: "09:00" });
    expect(textOf(html)).toContain(
      "The clock changes in between: Europe/Berlin (UTC+02:00) before, Europe/Berlin (UTC+01:00) after.",
    );
    await confirmEdit(ctx, { confirmationToken: fieldsOf(html)["confirmation_token"] ?? "" });
    expect((await readPostRow(id))["scheduled_at"]).toBe(Date.UTC(2030, 9, 28, 8, 0));
  });

  test("that occurs twice is asked for once more, with both readings", async () => {
    const { move } = await createPost();
    const { status, html } = await move({ date: "2030-10-27", time: "02:30" });
    expect(status).toBe(400);
    expect(textOf(html)).toContain("02:30, Europe/Berlin (UTC+02:00)");
    expect(textOf(html)).toContain("02:30, Europe/Berlin (UTC+01:00)");
    const later = await move({ date: "2030-10-27", time: "02:30", fold: "later" });
    expect(later.status).toBe(200);
  });

  test("that does not exist is refused with a sentence, and the fields keep their values", async () => {
    const { move } = await createPost();
    const { status, html } = await move({ date: "2031-03-30", time: "02:30" });
    expect(status).toBe(400);
    expect(textOf(html)).toContain("02:30 on Sun, 30 Mar 2031 does not exist");
    expect(html).toContain(`value="2031-03-30"`);
    expect(html).toContain(`value="02:30"`);
  });

  test.each([
    ["in the past", { date: "2030-05-14", time: "10:00" }, "This time has passed."],
    ["too far ahead", { date: "2032-05-14", time: "10:00" }, "Posts can be scheduled at most 365 days ahead."],
    ["that is the old one", { date: "2030-05-15", time: "15:00" }, "The post is planned for this time already."],
    ["without a date", { date: "", time: "10:00" }, "Choose a date."],
  ])("%s is refused with the sentence of the use case", async (_, fields, sentence) => {
    const { move } = await createPost();
    const { status, html } = await move(fields);
    expect(status).toBe(400);
    expect(textOf(html)).toContain(sentence);
  });

  test("of a paused post ends the pause, and the question says so", async () => {
    const { id, move } = await createPost();
    await updatePostRow(id, { status: "paused", paused_reason: "user" });
    expect(textOf((await move({ date: "2030-05-20", time: "10:00" })).html)).toContain("The post is paused now");
  });
});

test("for the dialog only the question is answered", async () => {
  const { browser, path } = await createPost("UTC", NOW + DAY);
  const headers = { origin: service.services.config.origin, "x-fragment": "1" };
  const html = await (await browser.post(path, { date: "2030-05-20", time: "10:00" }, headers)).text();
  expect(html).toMatch(/^<div class="card"><h2 id="dialog-title">Move from/);
});

describe("a drag", () => {
  const drag = (
    browser: Awaited<ReturnType<typeof createPost>>["browser"],
    path: string,
    fields: Record<string, string>,
  ) => browser.post(path, { at_once: "1", next: "/dashboard", ...fields }, { origin: ORIGIN, "x-fragment": "1" });

  /** Of the platform itself, whose defaults an edit does not change. */
  const createDraggedPost = (scheduledAt = NOW + HOUR) =>
    createPost("Europe/Berlin", scheduledAt, { x: adapterFor("x") });

  test("moves at once where the preview has no new warning, and its undo is an edit back to the millisecond", async () => {
    const { browser, id, path } = await createDraggedPost(NOW + HOUR + 1234);
    const moved = await drag(browser, path, { date: "2030-05-20", time: "08:30" });
    expect([moved.status, moved.headers.get("x-moved")]).toEqual([200, "1"]);
    const html = await moved.text();
    expect(textOf(html)).toContain("Moved from Wed, 15 May 2030, 15:00 to Mon, 20 May 2030, 08:30.");
    expect(await readPostRow(id)).toMatchObject({ scheduled_at: Date.UTC(2030, 4, 20, 6, 30), version: 2 });
    const [, at = ""] = /name="at" value="(\d+)"/.exec(html) ?? [];
    const undone = await drag(browser, path, { at });
    expect(undone.headers.get("x-moved")).toBe("1");
    expect(await readPostRow(id)).toMatchObject({ scheduled_at: NOW + HOUR + 1234, version: 3 });
  });

  test("like the form in the dialog, which says so on its button", async () => {
    const { browser, path } = await createDraggedPost();
    const form = await (await browser.get(`${path}?next=/dashboard`, { "x-fragment": "1" })).text();
    expect(form).toContain('name="at_once" value="1"');
    expect(form).toContain("<button>Move</button>");
    const page = await (await browser.get(`${path}?next=/dashboard`)).text();
    expect(page).not.toContain("at_once");
    expect(page).toContain("<button>Continue</button>");
  });

  test("moves at once where the post has every warning already", async () => {
    const { browser, userId, workspaceId } = await signInNewUser(service, { timeZone: "Europe/Berlin" });
    const ctx = createTestContext({ actor: { userId, workspaceId }, adapters: { bluesky: adapterFor("bluesky") } });
    const account = await createAccount(ctx, "bluesky");
    const { url } = await createMedia(ctx, "image", "image/jpeg");
    const { id } = await schedulePost(ctx, { accountIds: [account], scheduledAt: NOW + HOUR, mediaUrls: [url] });
    const moved = await drag(browser, `/dashboard/posts/${id}/move`, { date: "2030-05-20", time: "08:30" });
    expect(moved.headers.get("x-moved")).toBe("1");
    expect((await readPostRow(id))["version"]).toBe(2);
  });

  test("asks where something is new, and shows only that", async () => {
    const { browser, userId, workspaceId } = await signInNewUser(service, { timeZone: "Europe/Berlin" });
    const ctx = createTestContext({ actor: { userId, workspaceId }, adapters: { bluesky: adapterFor("bluesky") } });
    const account = await createAccount(ctx, "bluesky");
    const { url } = await createMedia(ctx, "image", "image/jpeg");
    const { id } = await schedulePost(ctx, { accountIds: [account], scheduledAt: NOW + HOUR, mediaUrls: [url] });
    const asked = await drag(browser, `/dashboard/posts/${id}/move`, { date: "2030-05-15", time: "14:03" });
    expect([asked.status, asked.headers.get("x-moved")]).toEqual([200, null]);
    const text = textOf(await asked.text());
    expect(text).toContain("Press Move before 14:03.");
    expect(text).not.toContain("no description");
    expect((await readPostRow(id))["version"]).toBe(1);
  });

  test("asks where the post comes near another one with the same text", async () => {
    const { browser, ctx, id, path } = await createDraggedPost();
    const { targets } = await getPost(ctx, { id });
    const accountIds = targets.map(({ accountId }) => accountId);
    await schedulePost(ctx, { accountIds, scheduledAt: NOW + 40 * DAY, caption: "Soup & <bread>" });
    await schedulePost(ctx, { accountIds, scheduledAt: NOW + 20 * DAY, caption: "Something else" });
    const asked = await drag(browser, path, { date: "2030-06-24", time: "15:00" });
    expect(asked.headers.get("x-moved")).toBeNull();
    expect(textOf(await asked.text())).toContain("same text");
    expect((await readPostRow(id))["version"]).toBe(1);
  });

  test("asks before it ends a pause", async () => {
    const { browser, id, path } = await createDraggedPost();
    await updatePostRow(id, { status: "paused", paused_reason: "user" });
    const asked = await drag(browser, path, { date: "2030-05-20", time: "08:30" });
    expect(asked.headers.get("x-moved")).toBeNull();
    expect(textOf(await asked.text())).toContain("The post is paused now");
    expect((await readPostRow(id))["status"]).toBe("paused");
  });

  test("and seven others at the same time: each moves the post or says that it changed", async () => {
    const { browser, id, path } = await createDraggedPost();
    const responses = await Promise.all(
      [10, 11, 12, 13, 14, 15, 16, 17].map((hour) => drag(browser, path, { date: "2030-05-20", time: `${hour}:30` })),
    );
    const moved = responses.filter(({ headers }) => headers.has("x-moved"));
    expect(moved.length).toBeGreaterThan(0);
    for (const response of responses.filter(({ headers }) => !headers.has("x-moved"))) {
      expect(response.status).toBe(400);
      expect(textOf(await response.text())).toContain("was changed, or began to be published, just now");
    }
    expect((await readPostRow(id))["version"]).toBe(1 + moved.length);
  });

  test("without a script leads back to the calendar", async () => {
    const { browser, path } = await createDraggedPost();
    const response = await browser.post(path, { date: "2030-05-20", time: "08:30", at_once: "1", next: "/dashboard" });
    expect([response.status, response.headers.get("location")]).toEqual([303, "/dashboard?done=saved"]);
  });
});

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { withSandboxCredentials } from "#sandbox/index.ts";
import { createAccount, createMedia, createTestContext, schedulePost } from "../posts/test-context.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { createServiceFixture, formBody, ORIGIN, signInNewUser } from "../auth/service-fixture.ts";

const NOW = Date.UTC(2030, 4, 15, 12, 0);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

const settings = { ...withSandboxCredentials(env) };
const service = createServiceFixture(settings);

interface Check {
  readonly general: readonly string[];
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly warnings: readonly string[];
  readonly accounts: Readonly<
    Record<
      string,
      { length: number; limit: number; count: string; left: string; warnings: string[]; likeness_html: string }
    >
  >;
}

type Fields = Parameters<typeof formBody>[0];

async function createWriter(input: Parameters<typeof signInNewUser>[1] = {}) {
  const user = await signInNewUser(service, input);
  const ctx = createTestContext({ actor: { userId: user.userId, workspaceId: user.workspaceId } });
  const check = async (fields: Fields): Promise<Check> => {
    const response = await user.browser.post("/dashboard/posts/check", fields);
    expect(response.status).toBe(200);
    return response.json();
  };
  return { ...user, ctx, check, x: await createAccount(ctx, "x"), youtube: await createAccount(ctx, "youtube") };
}

const LATER = { date: "2030-05-16", time: "09:30" };

describe("POST /dashboard/posts/check", () => {
  test("tells length, limit and unit of each account, and how the post will look there", async () => {
    const { check, x, ctx } = await createWriter();
    const image = await createMedia(ctx, "image", "image/jpeg");
    const text = "See https://example.com/a/very/long/address/that/counts/as/twenty-three and #news";
    const { general, fields, warnings, accounts } = await check({
      ...LATER,
      caption: text,
      account: x,
      media: image.url,
    });
    expect({ general, fields, warnings }).toEqual({ general: [], fields: {}, warnings: [] });
    expect(accounts[x]).toMatchObject({
      length: 37,
      limit: 280,
      count: "37 of 280 characters (a link counts as 23, an emoji as two)",
    });
    expect(accounts[x]?.warnings[0]).toMatch(/^The text contains a URL/);
    expect(accounts[x]?.likeness_html).toContain('aria-label="Likeness of the post on X"');
    expect(accounts[x]?.likeness_html).toContain(`src="${image.url}"`);
    expect(accounts[x]?.likeness_html).toContain('<span class="likeness-mark">#news</span>');
  });

  test("puts every problem beside the form's field, in the API's sentences", async () => {
    const { check, x, youtube } = await createWriter();
    const { fields, accounts } = await check({
      caption: "Good morning",
      date: "2030-05-14",
      time: "09:30",
      account: [x, youtube],
      [`caption.${x}`]: "y".repeat(281),
      [`option.${youtube}.title`]: "a <b> title",
      media_url: "http://example.com/a.jpg",
    });
    expect(fields).toMatchObject({
      date: ["This time has passed."],
      [`caption.${x}`]: ["The text has 281 weighted characters of at most 280."],
      [`option.${youtube}.title`]: [expect.stringContaining("must not contain < or >")],
      "media.0": ["Only https:// URLs are fetched, this one is http://."],
    });
    expect(accounts[x]).toMatchObject({ length: 281, limit: 280 });
    expect(accounts[youtube]?.likeness_html).toContain("a &lt;b&gt; title");
  });

  test("a form that was just opened has an answer too", async () => {
    const { check, x } = await createWriter();
    const { fields, accounts } = await check({ caption: "", date: "", time: "", account: x });
    expect(fields).toMatchObject({ date: ["Choose a day."], time: ["Choose a time."] });
    expect(fields["caption"]).toContain("The text must not be empty.");
    expect(accounts[x]).toMatchObject({ length: 0, limit: 280 });
    expect(Object.keys((await check({})).fields)).toContain("account");
  });

  test("reads the time in the person's zone, and asks which one of a repeated hour is meant", async () => {
    const { check, x } = await createWriter({ timeZone: "Europe/Berlin" });
    const form = { caption: "Hi", account: x, date: "2030-10-27", time: "02:30" };
    expect((await check(form)).fields["fold"]?.[0]).toContain("02:30 occurs twice");
    expect((await check({ ...form, fold: "later" })).fields).toEqual({});
  });

  test("a file that one platform refuses says so beside that platform at once", async () => {
    const { check, x, ctx } = await createWriter();
    const bluesky = await createAccount(ctx, "bluesky");
    const long = await createMedia(ctx, "video", "video/mp4");
    await ctx.db.d1.prepare("UPDATE media SET duration_ms = 170000 WHERE id = ?").bind(long.id).run();
    const { fields, accounts } = await check({ ...LATER, caption: "Hi", account: [x, bluesky], media: long.url });
    const sentence = expect.stringMatching(/140 seconds|170/) as string;
    expect(fields[`account.${x}`]).toEqual([sentence]);
    expect(accounts[x]).toMatchObject({ left: "1 problem" });
    expect(fields[`account.${bluesky}`]).toBeUndefined();
    expect(accounts[bluesky]).toMatchObject({ left: "298 left" });
    expect(fields["media.0"]).toEqual([expect.stringMatching(/^X \S+: Duration/)]);
  });

  test("the parts of a thread are judged and shown with their media", async () => {
    const { check, x, ctx } = await createWriter();
    const image = await createMedia(ctx, "image", "image/jpeg");
    const withMedia = (...media: readonly string[]) => ({
      ...LATER,
      caption: "One",
      account: x,
      [`option.${x}.thread`]: ["", "Three"],
      [`option.${x}.thread.media`]: media.map((url) => (url === "" ? "" : JSON.stringify([{ url }]))),
    });
    const good = await check(withMedia(image.url, ""));
    expect(good.fields).toEqual({});
    expect(good.accounts[x]?.likeness_html).toContain(`src="${image.url}"`);
    const missing = await check(withMedia("", image.url.replace(image.id, crypto.randomUUID())));
    expect(missing.fields[`part_media.${x}.thread.1.0`]).toEqual([expect.stringContaining("no such media item")]);
    expect(Object.keys((await check(withMedia("", ""))).fields)).toEqual([`option.${x}.thread.0`]);
  });

  test("a post that is due at once is told by the person's clock, one whose time has passed is not", async () => {
    const { check, x } = await createWriter({ timeZone: "Europe/Berlin" });
    const form = { caption: "Hi", account: x, date: "2030-05-15" };
    expect((await check({ ...form, time: "14:02" })).warnings).toEqual(["Press Schedule before 14:02."]);
    expect(await check({ ...form, time: "13:59" })).toMatchObject({
      warnings: [],
      fields: { date: ["This time has passed."] },
    });
  });

  test("two round trips with the session, and nothing is written", async () => {
    const { browser, x, youtube, ctx } = await createWriter();
    const image = await createMedia(ctx, "image", "image/jpeg");
    const counting = countingD1(env.DB);
    const counted = createServiceFixture({ ...settings, DB: counting.d1 });
    const keys = async () => (await env.TOKENS.list()).keys.length;
    const before = await keys();
    counting.reset();
    const response = await counted.fetch("/dashboard/posts/check", {
      method: "POST",
      headers: { cookie: `__Host-session=${browser.session}`, origin: ORIGIN },
      body: formBody({ ...LATER, caption: "Hi", account: [x, youtube], media: [image.url, image.url] }),
    });
    expect(response.status).toBe(200);
    expect(counting.count).toMatchObject({ roundTrips: 2, rowsWritten: 0 });
    expect(await keys()).toBe(before);
  });

  test("an edited post is not a duplicate of itself, and its own time may have passed", async () => {
    const { check, x, ctx } = await createWriter();
    const post = await schedulePost(ctx, { accountIds: [x], scheduledAt: Date.parse("2030-05-16T09:30Z") });
    const form = { ...LATER, caption: "Hello", account: x };
    const warningsOf = ({ accounts }: Check) => accounts[x]?.warnings.join(" ") ?? "";
    expect(warningsOf(await check(form))).toContain("the same text");
    const edited = await check({ ...form, date: "2030-05-14", post_id: post.id });
    expect(edited).toMatchObject({ general: [], fields: {} });
    expect(warningsOf(await check({ ...form, post_id: post.id }))).not.toContain("the same text");
  });

  test("hostile text stays text", async () => {
    const { check, x } = await createWriter();
    const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>"'`;
    const { accounts } = await check({ ...LATER, caption: hostile, account: x });
    expect(accounts[x]?.likeness_html).toContain("&lt;img src=x");
    expect(accounts[x]?.likeness_html).not.toMatch(/<script|<img src=x/);
  });

  test("another user's account and media look like ones that do not exist", async () => {
    const owner = await createWriter();
    const image = await createMedia(owner.ctx, "image", "image/jpeg");
    const { check } = await createWriter();
    const theirs = await check({ ...LATER, caption: "Hi", account: owner.x, media: image.url });
    const id = crypto.randomUUID();
    const missing = await check({ ...LATER, caption: "Hi", account: id, media: image.url.replace(image.id, id) });
    expect(theirs.accounts).toEqual({});
    expect(JSON.stringify(theirs).replaceAll(owner.x, id)).toBe(JSON.stringify(missing));
    expect(JSON.stringify(theirs)).not.toContain(image.id);
  });

  test("needs a session and the own origin, and a person's checks are limited", async () => {
    const { browser, userId } = await createWriter();
    expect((await browser.post("/dashboard/posts/check", {}, { origin: "https://evil.example" })).status).toBe(403);
    const anonymous = await service.fetch("/dashboard/posts/check", { method: "POST", headers: { origin: ORIGIN } });
    expect(anonymous.headers.get("location")).toMatch(/^\/login/);
    const keys: string[] = [];
    const limiter = { limit: ({ key }: { key: string }) => (keys.push(key), Promise.resolve({ success: false })) };
    const limited = createServiceFixture({ ...settings, LIMIT_USER_STARTER: limiter });
    const response = await limited.fetch("/dashboard/posts/check", {
      method: "POST",
      headers: { cookie: `__Host-session=${browser.session}`, origin: ORIGIN },
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ general: [expect.stringContaining("Too many checks")] });
    expect(keys).toEqual([`check:${userId}`]);
  });
});

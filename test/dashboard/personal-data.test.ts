import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createServices } from "#context.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { deleteUsers } from "#sync/delete-users.ts";
import { BrowserClient, createServiceFixture, signInNewUser, type ServiceFixture } from "../auth/service-fixture.ts";
import { unreachableOutbound } from "../auth/test-context.ts";
import { callApi } from "../support/call-api.ts";
import { connectOneAccount, scheduleTextPost } from "../support/api-workflows.ts";
import { createCaller } from "../support/create-caller.ts";
import { startSession } from "#auth/index.ts";

/* The download of a person's data and the deletion of the account, on the pages below the profile. */

interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const sent: Email[] = [];
const MAIL = {
  EMAIL: { send: (email: Email) => Promise.resolve(void sent.push(email)) },
  MAIL_FROM: "almanac@example.com",
};
const service = createServiceFixture(MAIL);
const DATA = "/dashboard/profile/data";
const DELETION = "/dashboard/profile/deletion";

afterEach(() => {
  vi.useRealTimers();
  sent.length = 0;
});

/** Everybody has somebody else beside them here, unless a test says otherwise. */
async function signIn(of: ServiceFixture = service) {
  await signInNewUser(of);
  const user = await signInNewUser(of);
  const email =
    (await env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(user.userId).first<string>("email")) ?? "";
  return { ...user, email };
}

const makeOld = async (userId: string) =>
  await env.DB.prepare("UPDATE sessions SET authenticated_at = 0 WHERE user_id = ?").bind(userId).run();

const linksOf = (html: string) =>
  [...html.matchAll(/href="(\/dashboard\/profile\/data\/[^"]+)"/g)].map(([, path]) => path ?? "");

async function runCronAt(instant: number, settings: object = MAIL): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: instant });
  const deferred: Promise<unknown>[] = [];
  await deleteUsers(createServices({ ...env, ...settings }, unreachableOutbound, (work) => void deferred.push(work)));
  await Promise.allSettled(deferred);
}

describe("the download of a person's data", () => {
  test("is made after a fresh sign-in, and its link works in that browser only, for a day", async () => {
    const { browser, userId } = await signIn();
    expect(await (await browser.get("/dashboard/profile")).text()).toContain(`href="${DATA}"`);
    expect(linksOf(await (await browser.get(DATA)).text())).toEqual([]);
    expect((await browser.post(DATA)).headers.get("location")).toBe(DATA);
    const [link = ""] = linksOf(await (await browser.get(DATA)).text());
    const file = await browser.get(link);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-type")).toBe("application/zip");
    expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="almanac-data-[\d-]{10}\.zip"$/);
    expect(file.headers.get("cache-control")).toContain("no-store");
    const bytes = new Uint8Array(await file.arrayBuffer());
    expect(Array.from(bytes.slice(0, 4))).toEqual([0x50, 0x4b, 3, 4]);

    const other = new BrowserClient(service);
    other.session = await startSession(service.services, { userId });
    expect((await other.get(link)).status).toBe(404);
    expect((await (await signIn()).browser.get(link)).status).toBe(404);
    expect((await new BrowserClient(service).get(link)).headers.get("location")).toContain("/login");
    expect((await browser.get(link.replace(/1$/, "2"))).status).toBe(404);
    await env.DB.prepare("UPDATE data_exports SET expires_at = ? WHERE user_id = ?").bind(Date.now(), userId).run();
    expect((await browser.get(link)).status).toBe(404);
    expect(linksOf(await (await browser.get(DATA)).text())).toEqual([]);
  });

  test("is refused long after the last sign-in", async () => {
    const { browser, userId } = await signIn();
    await makeOld(userId);
    const refused = await browser.post(DATA);
    expect(refused.status).toBe(400);
    expect(linksOf(await refused.text())).toEqual([]);
    expect(await env.DB.prepare("SELECT 1 FROM data_exports WHERE user_id = ?").bind(userId).first()).toBeNull();
  });
});

describe("the deletion of an account", () => {
  test("needs a fresh sign-in and the typed address", async () => {
    const { browser, email, userId } = await signIn();
    const wrong = await browser.post(DELETION, { typed_email: "somebody@else.example" });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain("Type your e-mail address as it stands above.");
    await makeOld(userId);
    const old = await browser.post(DELETION, { typed_email: email });
    expect([old.status, await old.text()]).toEqual([400, expect.stringContaining("confirm that it is you")]);
    expect(await env.DB.prepare("SELECT 1 FROM user_deletions WHERE user_id = ?").bind(userId).first()).toBeNull();
  });

  test("says what would end, ends it at once, and can be withdrawn with one button", async () => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const posts = [await scheduleTextPost(caller, account.id), await scheduleTextPost(caller, account.id)];
    const { userId } = caller;
    const browser = new BrowserClient(service);
    browser.session = await startSession(service.services, { userId });
    const elsewhere = new BrowserClient(service);
    elsewhere.session = await startSession(service.services, { userId });
    await browser.post("/dashboard/profile/feeds");
    await env.DB.prepare(
      `INSERT INTO webhooks (id, user_id, workspace_id, url, description, types, sealed_secret, start_after, created_at, updated_at)
       VALUES (?1, ?1, ?2, 'https://hooks.example', '', '["*"]', 's', 0, 1, 1)`,
    )
      .bind(userId, caller.workspaceId)
      .run();
    expect(await (await browser.get(DELETION)).text()).toContain("2 posts that wait for their time are cancelled.");
    const email =
      (await env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(userId).first<string>("email")) ?? "";
    const requested = await browser.post(DELETION, { typed_email: ` ${email.toUpperCase()} ` });
    expect([requested.status, requested.headers.get("location")]).toEqual([303, DELETION]);

    for (const { id } of posts) {
      const row = await env.DB.prepare("SELECT status FROM posts WHERE id = ?").bind(id).first();
      expect(row).toEqual({ status: "cancelled" });
    }
    expect((await callApi(caller, { method: "GET", path: "/posts" })).status).toBe(401);
    expect((await elsewhere.get("/dashboard")).headers.get("location")).toContain("/login");
    const ended = await env.DB.prepare(
      `SELECT (SELECT count(*) FROM accounts WHERE user_id = ?1 AND disconnected_at IS NULL) AS accounts,
         (SELECT count(*) FROM connections WHERE user_id = ?1 AND sealed_tokens IS NOT NULL) AS logins,
         (SELECT count(*) FROM webhooks WHERE user_id = ?1 AND disabled_at IS NULL) AS webhooks,
         (SELECT count(*) FROM calendar_feeds WHERE user_id = ?1) AS feeds`,
    )
      .bind(userId)
      .first();
    expect(ended).toEqual({ accounts: 0, logins: 0, webhooks: 0, feeds: 0 });
    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([[email, "Your Almanac account will be deleted"]]);

    // Whoever signs in meanwhile sees it on every page.
    const back = new BrowserClient(service);
    back.session = await startSession(service.services, { userId });
    expect(await (await back.get("/dashboard")).text()).toContain("will be deleted on");
    expect(await (await back.get(DELETION)).text()).toContain("Keep my account");
    expect((await back.post(`${DELETION}/withdraw`)).headers.get("location")).toBe("/dashboard/profile?done=kept");
    expect(await (await back.get("/dashboard/profile?done=kept")).text()).toContain("Your account is kept.");
    expect(await (await back.get("/dashboard")).text()).not.toContain("will be deleted on");
    expect((await back.post(`${DELETION}/withdraw`)).status).toBe(400);
    await runCronAt(Date.now() + 9 * DAY);
    expect(await env.DB.prepare("SELECT 1 FROM users WHERE id = ?").bind(userId).first()).not.toBeNull();
  });

  test("mails a day before and at the end, then the person is gone", async () => {
    const { browser, email, userId } = await signIn();
    const start = Date.now();
    await browser.post(DELETION, { typed_email: email });
    await runCronAt(start + 5 * DAY);
    expect(sent).toHaveLength(1);
    await runCronAt(start + 6 * DAY + HOUR);
    await runCronAt(start + 6 * DAY + 2 * HOUR);
    expect(sent.map(({ subject }) => subject)).toEqual([
      "Your Almanac account will be deleted",
      "Your Almanac account will be deleted tomorrow",
    ]);
    await runCronAt(start + 7 * DAY + MINUTE);
    expect(sent.slice(2)).toMatchObject([{ to: email, subject: "Your Almanac account is deleted" }]);
    vi.useRealTimers();
    expect((await browser.get("/dashboard")).headers.get("location")).toContain("/login");
    await runCronAt(start + 7 * DAY + HOUR);
    expect(await env.DB.prepare("SELECT 1 FROM user_deletions WHERE user_id = ?").bind(userId).first()).toBeNull();
    expect(sent).toHaveLength(3);
  });

  test("goes on by the cron where the request ended early, and where a mail could not be sent", async () => {
    const failing = { ...MAIL, EMAIL: { send: () => Promise.reject(new Error("no mail today")) } };
    const { browser, email, userId } = await signIn(createServiceFixture(failing));
    const start = Date.now();
    await browser.post(DELETION, { typed_email: email });
    const row = () =>
      env.DB.prepare("SELECT stopped_at IS NOT NULL AS stopped FROM user_deletions WHERE user_id = ?")
        .bind(userId)
        .first();
    expect(await row()).toEqual({ stopped: 0 });
    await runCronAt(start + 11 * MINUTE);
    expect(sent.map(({ subject }) => subject)).toEqual(["Your Almanac account will be deleted"]);
    expect(await row()).toEqual({ stopped: 1 });
  });

  test("of the last user or operator needs a mark that what follows was read", async () => {
    const { browser, userId } = await signIn();
    await env.DB.batch([
      env.DB.prepare("UPDATE users SET role = NULL"),
      env.DB.prepare("UPDATE users SET role = 'operator' WHERE id = ?").bind(userId),
    ]);
    const email =
      (await env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(userId).first<string>("email")) ?? "";
    expect(await (await browser.get(DELETION)).text()).toContain("the only operator of this service");
    expect((await browser.post(DELETION, { typed_email: email })).status).toBe(400);
    await env.DB.prepare("DELETE FROM users WHERE id <> ?").bind(userId).run();
    expect(await (await browser.get(DELETION)).text()).toContain("the only user of this service");
    expect((await browser.post(DELETION, { typed_email: email })).status).toBe(400);
    expect((await browser.post(DELETION, { typed_email: email, accepts_last: "yes" })).status).toBe(303);
  });

  test("ends a paid plan: not renewed from the request on, renewed again when it is withdrawn, ended with the data", async () => {
    const calls: string[] = [];
    const settings = {
      STRIPE_SECRET_KEY: "sk_test_of_this_test",
      STRIPE_WEBHOOK_SECRET: "whsec",
      STRIPE_PRICE_STARTER: "a",
      STRIPE_PRICE_GROWTH: "b",
      STRIPE_PRICE_SCALE: "c",
    };
    const outbound = {
      ...unreachableOutbound,
      publicFetch: async (request: Request) => {
        calls.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
        return Response.json({ id: "sub_1", object: "subscription" });
      },
    };
    const { browser, email, userId } = await signIn(createServiceFixture(settings, outbound));
    await env.DB.prepare(
      "UPDATE subscriptions SET status = 'active', stripe_subscription_id = 'sub_1' WHERE user_id = ?",
    )
      .bind(userId)
      .run();
    expect(await (await browser.get(DELETION)).text()).toContain("Your plan is not renewed.");
    const start = Date.now();
    await browser.post(DELETION, { typed_email: email });
    await browser.post(`${DELETION}/withdraw`);
    await browser.post(DELETION, { typed_email: email });
    vi.useFakeTimers({ toFake: ["Date"], now: start + 8 * DAY });
    const services = createServices({ ...env, ...settings }, outbound, () => {});
    await deleteUsers(services);
    expect(calls).toEqual([
      "POST /v1/subscriptions/sub_1 cancel_at_period_end=true",
      "POST /v1/subscriptions/sub_1 cancel_at_period_end=false",
      "POST /v1/subscriptions/sub_1 cancel_at_period_end=true",
      expect.stringMatching(/^DELETE \/v1\/subscriptions\/sub_1/),
    ]);
  });
});

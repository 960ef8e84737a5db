import { env } from "cloudflare:workers";
import { scryptSync } from "node:crypto";
import { afterEach, describe, test, vi } from "vitest";
import { createKey, createUser, signIn } from "#auth/index.ts";
import { checkPassword, DECOY_HASH, hashPassword } from "#auth/password.ts";
import { MINUTE } from "#core/clock.ts";
import { house } from "./test-context.ts";
import { api, authorizePath, Browser, letIn, ORIGIN, proof, registerApp, signedIn, stage } from "./stage.ts";

const on = stage();
const { services } = on;
const PASSWORD = "correct horse battery staple";

afterEach(() => {
  vi.useRealTimers();
});

async function member(password = PASSWORD) {
  const email = `${crypto.randomUUID()}@example.com`;
  return { email, ...(await createUser(services, { email, password, plan: "growth" })) };
}

function stored(userId: string): Promise<{ hash: string } | null> {
  return env.DB.prepare("SELECT password_hash AS hash FROM users WHERE id = ?").bind(userId).first<{ hash: string }>();
}

describe("G. Sign-in", { timeout: 30_000 }, () => {
  test("G66 an unknown e-mail and a wrong password have the same status and the same body", async ({ expect }) => {
    const { email } = await member();
    const say = async (tried: string) => {
      const answer = await new Browser(on).post("/login", { email: tried, password: "wrong horse battery" });
      return { status: answer.status, body: (await answer.text()).replaceAll(tried, "…") };
    };
    const wrong = await say(email);
    const unknown = await say("nobody-at-all@example.com");
    expect(wrong.status).toBe(400);
    expect(unknown).toEqual(wrong);
  });

  test("G66 both cost one and the same key derivation", async ({ expect }) => {
    const { userId, email } = await member();
    const [scheme, ...cost] = (await stored(userId))!.hash.split("$");
    expect(DECOY_HASH.split("$").slice(0, 4)).toEqual([scheme, ...cost.slice(0, 3)]);
    const took = async (tried: string) => {
      const times: number[] = [];
      for (let count = 0; count < 5; count++) {
        const started = performance.now();
        await signIn(services, { email: tried, password: "wrong horse battery" });
        times.push(performance.now() - started);
      }
      return Math.min(...times);
    };
    const [known, unknown] = [await took(email), await took("nobody@example.com")];
    expect(unknown).toBeGreaterThan(known / 2);
    expect(known).toBeGreaterThan(unknown / 2);
  });

  test("G66 a user without a password cannot be signed in with any", async ({ expect }) => {
    const email = `${crypto.randomUUID()}@example.com`;
    await createUser(services, { email, password: null, plan: "growth" });
    expect(await signIn(services, { email, password: "" })).toBeNull();
    expect(await signIn(services, { email, password: PASSWORD })).toBeNull();
  });

  test("G67 a form from another origin is refused", async ({ expect }) => {
    const { email } = await member();
    for (const headers of [
      { origin: "https://evil.example" },
      {},
      { "sec-fetch-site": "cross-site", origin: ORIGIN },
    ]) {
      const browser = new Browser(on);
      const answer = await browser.post("/login", { email, password: PASSWORD }, headers as Record<string, string>);
      expect(answer.status).toBe(403);
      expect(browser.session).toBeUndefined();
    }
  });

  test("G67 next leads only to our own paths", async ({ expect }) => {
    const { email } = await member();
    const land = async (next: string) =>
      (await new Browser(on).post("/login", { email, password: PASSWORD, next })).headers.get("location");
    for (const next of [
      "//evil.example",
      "/\\evil.example",
      "/a\\..\\evil",
      "https://evil.example/",
      "javascript:alert(1)",
      "evil.example",
      "/\tx",
      "/\n/evil.example",
      "",
    ]) {
      expect(await land(next), JSON.stringify(next)).toBe("/dashboard");
    }
    expect(await land("/dashboard/keys?x=1&y=%2F")).toBe("/dashboard/keys?x=1&y=%2F");
  });

  test("G68 after ten failures one attempt a minute; the right password works within it and starts the count over", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { email } = await member();
    const tries = (password: string) => signIn(services, { email, password });
    for (let count = 0; count < 9; count++) {
      expect(await tries("wrong horse battery")).toBeNull();
    }
    expect(await tries(PASSWORD)).not.toBeNull();
    for (let count = 0; count < 10; count++) {
      expect(await tries("wrong horse battery")).toBeNull();
    }
    expect(await tries(PASSWORD)).toBeNull();
    vi.setSystemTime(start + MINUTE - 1);
    expect(await tries(PASSWORD)).toBeNull();
    vi.setSystemTime(start + MINUTE);
    expect(await tries("wrong horse battery")).toBeNull();
    expect(await tries(PASSWORD)).toBeNull();
    vi.setSystemTime(start + 2 * MINUTE);
    expect(await tries(PASSWORD)).not.toBeNull();
    expect(await tries("wrong horse battery")).toBeNull();
    expect(await tries(PASSWORD)).not.toBeNull();
  });

  test("G68 parallel guesses do not share one attempt", async ({ expect }) => {
    const { email } = await member();
    await env.DB.prepare("UPDATE users SET failed_logins = 50 WHERE email = ?").bind(email).run();
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(services, { email, password: "wrong" })));
    expect(answers).toEqual([null, null, null, null]);
    const { failed } = (await env.DB.prepare("SELECT failed_logins AS failed FROM users WHERE email = ?")
      .bind(email)
      .first<{ failed: number }>())!;
    expect(failed).toBe(51);
  });

  test("G68 one address may guess ten times a minute at one e-mail", async ({ expect }) => {
    const browser = new Browser(on);
    const guess = async () => (await browser.post("/login", { email: "victim@example.com", password: "x" })).status;
    // More than two windows hold, in case one ends on the way.
    let last = await guess();
    for (let count = 0; count < 21 && last === 400; count++) {
      last = await guess();
    }
    expect(last).toBe(429);
    expect((await new Browser(on).post("/login", { email: "victim@example.com", password: "x" })).status).toBe(400);
  });

  test("G69 the cookie is __Host-, HttpOnly, Secure, Lax, for the whole host, for 30 days", async ({ expect }) => {
    const { email } = await member();
    const answer = await new Browser(on).post("/login", { email, password: PASSWORD });
    const [pair = "", ...attributes] = (answer.headers.get("set-cookie") ?? "").split("; ");
    expect(pair).toMatch(/^__Host-session=als_[0-9A-Za-z]{49}$/);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"]);
  });

  test("G69 every sign-in makes a new token and ends the one that was there", async ({ expect }) => {
    const { email } = await member();
    const browser = new Browser(on);
    await browser.post("/login", { email, password: PASSWORD });
    const first = browser.session;
    await browser.post("/login", { email, password: PASSWORD });
    expect(browser.session).not.toBe(first);
    const planted = new Browser(on);
    planted.session = first;
    expect((await planted.get("/dashboard")).status).toBe(303);
    expect((await browser.get("/dashboard")).status).toBe(200);
  });

  test("G69 sign-out ends the session, not the agents", async ({ expect }) => {
    const { browser, tokens } = await letIn(on);
    const { session } = browser;
    expect((await browser.post("/logout")).status).toBe(303);
    browser.session = session;
    expect((await browser.get("/dashboard")).status).toBe(303);
    expect((await api(on, tokens.access_token)).status).toBe(200);
    const elsewhere = await browser.post("/logout", { next: "/oauth/authorize?client_id=1" });
    expect(elsewhere.headers.get("location")).toBe("/login?next=%2Foauth%2Fauthorize%3Fclient_id%3D1");
    const outside = await browser.post("/logout", { next: "//evil.example" });
    expect(outside.headers.get("location")).toBe("/login?next=%2Fdashboard");
  });

  test("G69 a new password ends every other session, and on request every key and app", async ({ expect }) => {
    const { email, userId } = await member();
    const [here, there] = [new Browser(on), new Browser(on)];
    for (const browser of [here, there]) {
      await browser.post("/login", { email, password: PASSWORD });
    }
    const { key } = await createKey(services, { userId, name: "k", scopes: ["posts:read"], expiresInDays: 1 });
    const change = (fields: Record<string, string>) => here.post("/dashboard/profile/password", fields);
    expect((await change({ current_password: "wrong", new_password: "another long password" })).status).toBe(400);
    expect((await change({ current_password: PASSWORD, new_password: "short" })).status).toBe(400);
    expect((await there.get("/dashboard")).status).toBe(200);
    expect((await change({ current_password: PASSWORD, new_password: "another long password" })).status).toBe(303);
    expect((await here.get("/dashboard")).status).toBe(200);
    expect((await there.get("/dashboard")).status).toBe(303);
    expect((await api(on, key)).status).toBe(200);
    expect(await signIn(services, { email, password: PASSWORD })).toBeNull();
    const again = { current_password: "another long password", new_password: PASSWORD, revoke_all: "yes" };
    expect((await change(again)).status).toBe(303);
    expect((await api(on, key)).status).toBe(401);
  });

  test("G70 parameters are read from the stored text; an old hash still verifies and is replaced", async ({
    expect,
  }) => {
    const { email, userId } = await member();
    const salt = Buffer.from("0123456789abcdef");
    const key = scryptSync(PASSWORD.normalize("NFKC"), salt, 32, { N: 1024, r: 8, p: 1 });
    const old = `scrypt$1024$8$1$${salt.toString("base64")}$${key.toString("base64")}`;
    await env.DB.prepare("UPDATE users SET password_hash = ? WHERE id = ?").bind(old, userId).run();
    expect(await signIn(services, { email, password: "wrong horse battery" })).toBeNull();
    expect((await stored(userId))?.hash).toBe(old);
    expect(await signIn(services, { email, password: PASSWORD })).not.toBeNull();
    const fresh = (await stored(userId))!.hash;
    expect(fresh).toMatch(/^scrypt\$16384\$8\$5\$/);
    expect(await signIn(services, { email, password: PASSWORD })).not.toBeNull();
    expect((await stored(userId))?.hash).toBe(fresh);
  });

  test("the same password typed on two keyboards is the same password", async ({ expect }) => {
    const hash = await hashPassword(services.ids, "caf\u00e9 and some more");
    expect(await checkPassword("cafe\u0301 and some more", hash)).toEqual({ matches: true, outdated: false });
    expect((await checkPassword("cafe and some more", hash)).matches).toBe(false);
  });
});

describe("sign-up", () => {
  const given = { password: PASSWORD, plan: "starter", time_zone: "Europe/Berlin" };

  test("makes user, trial and workspace, signs in, and goes on to where the person wanted", async ({ expect }) => {
    const app = await registerApp(on);
    const next = authorizePath(app.id, proof().challenge);
    const browser = new Browser(on);
    const email = ` ${crypto.randomUUID()}@Example.COM `;
    const answer = await browser.post("/signup", { ...given, email, next });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, next]);
    expect((await browser.get(next)).status).toBe(200);
    const row = await env.DB.prepare(
      `SELECT u.email, u.time_zone, s.plan, s.status, s.current_period_end - u.created_at AS trial, w.name
       FROM users u JOIN subscriptions s ON s.user_id = u.id JOIN workspaces w ON w.id = u.active_workspace_id WHERE u.email = ?`,
    )
      .bind(email.trim().toLowerCase())
      .first();
    expect(row).toEqual({
      email: email.trim().toLowerCase(),
      time_zone: "Europe/Berlin",
      plan: "starter",
      status: "trialing",
      trial: 7 * 24 * 60 * MINUTE,
      name: "My workspace",
    });
  });

  test.for<[string, Record<string, string>]>([
    ["no e-mail", { email: "" }],
    ["an e-mail without a dot", { email: "a@b" }],
    ["two at signs", { email: "a@b@c.de" }],
    ["a NUL in the e-mail", { email: "a\u0000@b.de b" }],
    ["11 characters of password", { password: "12345678901" }],
    ["257 characters of password", { password: "x".repeat(257) }],
    ["an unknown time zone", { time_zone: "Mars/Olympus" }],
    ["an offset as time zone", { time_zone: "+02:00" }],
  ])("%s is refused in words at its field", async ([, wrong], { expect }) => {
    const browser = new Browser(on);
    const answer = await browser.post("/signup", { ...given, email: `${crypto.randomUUID()}@example.com`, ...wrong });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('role="alert"');
    expect(browser.session).toBeUndefined();
  });

  test("an e-mail can be taken once, however many try at the same time", async ({ expect }) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => new Browser(on).post("/signup", { ...given, email })),
    );
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([303, 400, 400, 400]);
    const { results } = await env.DB.prepare(
      "SELECT w.id FROM workspaces w JOIN users u ON u.id = w.user_id WHERE u.email = ?",
    )
      .bind(email)
      .all();
    expect(results).toHaveLength(1);
  });

  test("SIGNUP=closed lets nobody in", async ({ expect }) => {
    const closed = stage({ SIGNUP: "closed" });
    const browser = new Browser(closed);
    expect((await browser.get("/signup")).status).toBe(403);
    expect((await browser.post("/signup", { ...given, email: "late@example.com" })).status).toBe(400);
    expect(await (await browser.get("/login")).text()).not.toContain("/signup");
  });

  test("SIGNUP=first lets exactly one in", async ({ expect }) => {
    const first = stage({ SIGNUP: "first" });
    for (const table of ["users", "subscriptions", "workspaces"]) {
      await env.DB.prepare(`DELETE FROM ${table}`).run();
    }
    expect((await new Browser(first).get("/signup")).status).toBe(200);
    const answers = await Promise.all(
      [1, 2, 3].map((count) => new Browser(first).post("/signup", { ...given, email: `first-${count}@example.com` })),
    );
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([303, 400, 400]);
    expect((await new Browser(first).get("/signup")).status).toBe(403);
    expect(house({ SIGNUP: "first" }).config.signup).toBe("first");
  });
});

describe("the dashboard's door", () => {
  test("sends a stranger to sign in and back, whatever the page", async ({ expect }) => {
    const stranger = new Browser(on);
    for (const path of [
      "/dashboard",
      "/dashboard/keys",
      "/dashboard/apps",
      "/dashboard/profile",
      "/dashboard/plan",
      "/dashboard/workspaces",
    ]) {
      const answer = await stranger.get(path);
      expect(answer.headers.get("location")).toBe(`/login?next=${encodeURIComponent(path)}`);
    }
  });

  test("nothing of another person can be touched or told from nothing", async ({ expect }) => {
    const { browser } = await signedIn(on);
    const other = await letIn(on);
    const grant = await env.DB.prepare("SELECT id FROM oauth_grants WHERE user_id = ?")
      .bind(other.userId)
      .first<{ id: string }>();
    for (const path of [
      `/dashboard/apps/${grant?.id}/revoke`,
      `/dashboard/passkeys/${crypto.randomUUID()}/remove`,
      "/dashboard/apps/%00/revoke",
      "/dashboard/keys/%ED%A0%80/revoke",
    ]) {
      expect((await browser.post(path)).status, path).toBe(404);
    }
    expect((await browser.post(`/dashboard/workspaces/${other.workspaceId}/activate`)).status).toBe(400);
    expect((await api(on, other.tokens.access_token)).status).toBe(200);
  });

  test("keys and apps can also be ended by DELETE", async ({ expect }) => {
    const { browser, userId } = await letIn(on);
    const { id } = await createKey(services, { userId, name: "k", scopes: ["posts:read"], expiresInDays: 1 });
    const remove = (path: string) =>
      on.fetch(path, { method: "DELETE", headers: { cookie: `__Host-session=${browser.session}`, origin: ORIGIN } });
    expect((await remove(`/dashboard/keys/${id}`)).status).toBe(303);
    expect((await remove(`/dashboard/keys/${crypto.randomUUID()}`)).status).toBe(404);
  });
});

import { env } from "cloudflare:workers";
import { scryptSync } from "node:crypto";
import { afterEach, describe, test, vi } from "vitest";
import { createKey, createUser, signIn } from "#auth/index.ts";
import { checkPassword, DUMMY_HASH, hashPassword } from "#auth/passwords/password-hash.ts";
import { passwordQueue } from "#auth/passwords/password-queue.ts";
import { HOUR, MINUTE } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { createTestContext, STRANGER } from "./test-context.ts";
import {
  callApi,
  authorizePath,
  BrowserClient,
  obtainTokens,
  ORIGIN,
  createPkcePair,
  registerClient,
  signInNewUser,
  createServiceFixture,
  formBody,
  uniqueIpAddress,
} from "./service-fixture.ts";
import { sendUntilLimited } from "../support/send-until-limited.ts";

const service = createServiceFixture();
const { services } = service;
const PASSWORD = "correct horse battery staple";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function createUserWithPassword(password = PASSWORD) {
  const email = `${crypto.randomUUID()}@example.com`;
  return { email, ...(await createUser(services, { email, password, plan: "growth" })) };
}

/** Makes an address look as after this many wrong passwords of the stranger, the last one long ago. */
async function setFailures(email: string, failures: number): Promise<void> {
  await env.DB.prepare(
    "INSERT INTO sign_in_attempts (email_hash, client_hash, failures, updated_at) VALUES (?, ?, ?, ?)",
  )
    .bind(await sha256Hex(email), await sha256Hex(STRANGER.id), failures, Date.now())
    .run();
}

function storedHash(userId: string): Promise<{ hash: string } | null> {
  return env.DB.prepare("SELECT password_hash AS hash FROM users WHERE id = ?").bind(userId).first<{ hash: string }>();
}

describe("G. Sign-in", { timeout: 60_000 }, () => {
  test("G66 an unknown e-mail and a wrong password have the same status and body", async ({ expect }) => {
    const { email } = await createUserWithPassword();
    const attempt = async (tried: string) => {
      const response = await new BrowserClient(service).post("/login", {
        email: tried,
        password: "wrong horse battery",
      });
      return { status: response.status, body: (await response.text()).replaceAll(tried, "…") };
    };
    const wrong = await attempt(email);
    const unknown = await attempt("nobody-at-all@example.com");
    expect(wrong.status).toBe(400);
    expect(unknown).toEqual(wrong);
  });

  test("G66 both compute one key derivation with the same parameters", async ({ expect }) => {
    const { userId, email } = await createUserWithPassword();
    const [scheme, ...cost] = (await storedHash(userId))!.hash.split("$");
    expect(DUMMY_HASH.split("$").slice(0, 4)).toEqual([scheme, ...cost.slice(0, 3)]);
    const derivations = vi.spyOn(passwordQueue, "run");
    for (const tried of [email, "nobody@example.com"]) {
      derivations.mockClear();
      expect(await signIn(services, { client: STRANGER, email: tried, password: "wrong horse battery" })).toBeNull();
      expect(derivations, tried).toHaveBeenCalledTimes(1);
    }
  });

  test("G66 an unknown e-mail is throttled like a known one, and a throttled attempt computes nothing", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { email } = await createUserWithPassword();
    const derivations = vi.spyOn(passwordQueue, "run");
    for (const tried of [email, `${crypto.randomUUID()}@example.com`]) {
      vi.setSystemTime(start);
      await setFailures(tried, 9);
      const computed = async () => {
        derivations.mockClear();
        expect(await signIn(services, { client: STRANGER, email: tried, password: "wrong horse battery" })).toBeNull();
        return derivations.mock.calls.length;
      };
      expect([await computed(), await computed()], tried).toEqual([1, 0]);
      vi.setSystemTime(start + MINUTE - 1);
      expect(await computed(), tried).toBe(0);
      vi.setSystemTime(start + MINUTE);
      expect([await computed(), await computed()], tried).toEqual([1, 0]);
      vi.setSystemTime(start + 3 * MINUTE - 1);
      expect(await computed(), tried).toBe(0);
    }
  });

  test("G66 a user without a password cannot sign in with any password", async ({ expect }) => {
    const email = `${crypto.randomUUID()}@example.com`;
    await createUser(services, { email, password: null, plan: "growth" });
    expect(await signIn(services, { client: STRANGER, email, password: "" })).toBeNull();
    expect(await signIn(services, { client: STRANGER, email, password: PASSWORD })).toBeNull();
  });

  test("G67 a form from another origin is refused", async ({ expect }) => {
    const { email } = await createUserWithPassword();
    for (const headers of [
      { origin: "https://evil.example" },
      {},
      { "sec-fetch-site": "cross-site", origin: ORIGIN },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
    ]) {
      const browser = new BrowserClient(service);
      const response = await browser.post("/login", { email, password: PASSWORD }, headers as Record<string, string>);
      expect(response.status).toBe(403);
      expect(browser.session).toBeUndefined();
    }
  });

  test("G67 the origin of a form is compared with the configured origin, not with the host of the request", async ({
    expect,
  }) => {
    const { email } = await createUserWithPassword();
    const send = (url: string, origin: string) =>
      service.fetch(url, {
        method: "POST",
        headers: { origin, "sec-fetch-site": "same-origin", "cf-connecting-ip": uniqueIpAddress() },
        body: formBody({ email, password: PASSWORD }),
      });
    // A name of somebody else that leads to this service (DNS rebinding).
    expect((await send("https://rebound.example/login", "https://rebound.example")).status).toBe(403);
    expect((await send("https://rebound.example/login", ORIGIN)).status).toBe(303);
    expect((await send("/login", ORIGIN)).status).toBe(303);
  });

  test("G67 next leads only to our own paths", async ({ expect }) => {
    const { email } = await createUserWithPassword();
    const redirectAfterLogin = async (next: string) =>
      (await new BrowserClient(service).post("/login", { email, password: PASSWORD, next })).headers.get("location");
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
      expect(await redirectAfterLogin(next), JSON.stringify(next)).toBe("/dashboard");
    }
    expect(await redirectAfterLogin("/dashboard/keys?x=1&y=%2F")).toBe("/dashboard/keys?x=1&y=%2F");
  });

  test("G68 after ten failures a client waits a minute, then longer; the correct password resets the count", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { email } = await createUserWithPassword();
    const trySignIn = (password: string) => signIn(services, { client: STRANGER, email, password });
    await setFailures(email, 8);
    expect(await trySignIn("wrong horse battery")).toBeNull();
    expect(await trySignIn(PASSWORD)).not.toBeNull();
    for (let count = 0; count < 10; count++) {
      expect(await trySignIn("wrong horse battery")).toBeNull();
    }
    expect(await trySignIn(PASSWORD)).toBeNull();
    vi.setSystemTime(start + MINUTE - 1);
    expect(await trySignIn(PASSWORD)).toBeNull();
    vi.setSystemTime(start + MINUTE);
    expect(await trySignIn("wrong horse battery")).toBeNull();
    expect(await trySignIn(PASSWORD)).toBeNull();
    vi.setSystemTime(start + 3 * MINUTE - 1);
    expect(await trySignIn(PASSWORD)).toBeNull();
    vi.setSystemTime(start + 3 * MINUTE);
    expect(await trySignIn(PASSWORD)).not.toBeNull();
    expect(await trySignIn("wrong horse battery")).toBeNull();
    expect(await trySignIn(PASSWORD)).not.toBeNull();
  });

  test("G68 the longest wait is an hour", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { email } = await createUserWithPassword();
    const trySignIn = (password: string) => signIn(services, { client: STRANGER, email, password });
    await setFailures(email, 500);
    expect(await trySignIn("wrong horse battery")).toBeNull();
    vi.setSystemTime(start + HOUR - 1);
    expect(await trySignIn(PASSWORD)).toBeNull();
    vi.setSystemTime(start + HOUR);
    expect(await trySignIn(PASSWORD)).not.toBeNull();
  });

  describe("G68 while strangers in forty networks try wrong passwords", () => {
    async function underAttack() {
      const { email } = await createUserWithPassword();
      const known = new BrowserClient(service);
      const signedIn = await known.post("/login", { email, password: PASSWORD });
      const cookie = signedIn.headers.getSetCookie()[1]?.split(";", 1)[0] ?? "";
      await env.DB.prepare(
        `INSERT INTO sign_in_attempts (email_hash, client_hash, failures, next_attempt_at, updated_at)
         SELECT ?1, value, 30, ?2, ?3 FROM json_each(?4)`,
      )
        .bind(
          await sha256Hex(email),
          Date.now() + HOUR,
          Date.now(),
          JSON.stringify(
            await Promise.all(Array.from({ length: 40 }, (_, net) => sha256Hex(`network:2001:db8:${net}::/48`))),
          ),
        )
        .run();
      const login = (headers: Record<string, string>, address: string) =>
        service.fetch("/login", {
          method: "POST",
          headers: { origin: ORIGIN, "cf-connecting-ip": address, ...headers },
          body: formBody({ email, password: PASSWORD }),
        });
      return { email, cookie, login };
    }

    test("the right password works in a new browser elsewhere, and in no network that they use", async ({ expect }) => {
      const { login } = await underAttack();
      expect((await login({}, uniqueIpAddress())).status).toBe(303);
      expect((await login({}, "2001:db8:77:1::1")).status).toBe(303);
      expect((await login({}, "2001:db8:7:1::1")).status).toBe(400);
    });

    test("it works in a browser that has signed in before, even in their network", async ({ expect }) => {
      const { cookie, login } = await underAttack();
      expect((await login({ cookie }, "2001:db8:7:1::1")).status).toBe(303);
    });

    test("the cookie of another address, a changed one and a made-up one are a stranger's", async ({ expect }) => {
      const { cookie, login } = await underAttack();
      const other = await underAttack();
      const [name = "", value = ""] = cookie.split("=");
      const forged = [
        other.cookie,
        `${name}=A${value.slice(1)}`,
        `${name}=${value.slice(0, 22)}.${"A".repeat(43)}`,
        `${name}=${value.slice(0, 22)}`,
        `${name}=`,
      ].filter((candidate) => candidate !== cookie);
      for (const tried of forged) {
        expect((await login({ cookie: tried }, "2001:db8:7:1::1")).status, tried).toBe(400);
      }
    });

    test("a known browser has its own ten attempts, and neither shares those of its network nor uses them up", async ({
      expect,
    }) => {
      const { email, cookie, login } = await underAttack();
      const browser = `browser:${cookie.split(/[=.]/)[1]}`;
      await env.DB.prepare(
        "INSERT INTO sign_in_attempts (email_hash, client_hash, failures, next_attempt_at, updated_at) VALUES (?, ?, 30, ?, ?)",
      )
        .bind(await sha256Hex(email), await sha256Hex(browser), Date.now() + HOUR, Date.now())
        .run();
      const address = uniqueIpAddress();
      expect((await login({ cookie }, address)).status).toBe(400);
      expect((await login({}, address)).status).toBe(303);
    });
  });

  test("G68 parallel guesses do not share one allowed attempt", async ({ expect }) => {
    const { email } = await createUserWithPassword();
    await setFailures(email, 50);
    const derivations = vi.spyOn(passwordQueue, "run");
    const passwords = [...Array.from({ length: 7 }, () => "wrong horse battery"), PASSWORD];
    const responses = await Promise.all(
      passwords.map((password) => signIn(services, { client: STRANGER, email, password })),
    );
    expect(responses).toEqual(passwords.map(() => null));
    expect(derivations).toHaveBeenCalledTimes(1);
    const failures = await env.DB.prepare("SELECT failures FROM sign_in_attempts WHERE email_hash = ?")
      .bind(await sha256Hex(email))
      .first<number>("failures");
    expect(failures).toBe(51);
  });

  test("G68 one IP address may try one e-mail ten times per minute", async ({ expect }) => {
    const browser = new BrowserClient(service);
    const guesses = await sendUntilLimited(10, () =>
      browser.post("/login", { email: "victim@example.com", password: "x" }),
    );
    expect([guesses[0].status, guesses.at(-1)?.status]).toEqual([400, 429]);
    expect(
      (await new BrowserClient(service).post("/login", { email: "victim@example.com", password: "x" })).status,
    ).toBe(400);
  });

  test("G69 the cookie is __Host-, HttpOnly, Secure, SameSite=Lax, with path /, for 30 days", async ({ expect }) => {
    const { email } = await createUserWithPassword();
    const response = await new BrowserClient(service).post("/login", { email, password: PASSWORD });
    const [session = "", known = ""] = response.headers.getSetCookie();
    const [pair = "", ...attributes] = session.split("; ");
    expect(pair).toMatch(/^__Host-session=als_[0-9A-Za-z]{49}$/);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"]);
    expect(known).toMatch(
      /^__Host-known-browser=[\w-]{22}\.[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  test("G69 every sign-in creates a new token and ends the previous session", async ({ expect }) => {
    const { email } = await createUserWithPassword();
    const browser = new BrowserClient(service);
    await browser.post("/login", { email, password: PASSWORD });
    const first = browser.session;
    await browser.post("/login", { email, password: PASSWORD });
    expect(browser.session).not.toBe(first);
    const otherBrowser = new BrowserClient(service);
    otherBrowser.session = first;
    expect((await otherBrowser.get("/dashboard")).status).toBe(303);
    expect((await browser.get("/dashboard")).status).toBe(200);
  });

  test("G69 sign-out ends the session, not the access of connected apps", async ({ expect }) => {
    const { browser, tokens } = await obtainTokens(service);
    const { session } = browser;
    expect((await browser.post("/logout")).status).toBe(303);
    browser.session = session;
    expect((await browser.get("/dashboard")).status).toBe(303);
    expect((await callApi(service, tokens.access_token)).status).toBe(200);
    const localNext = await browser.post("/logout", { next: "/oauth/authorize?client_id=1" });
    expect(localNext.headers.get("location")).toBe("/login?next=%2Foauth%2Fauthorize%3Fclient_id%3D1");
    const foreignNext = await browser.post("/logout", { next: "//evil.example" });
    expect(foreignNext.headers.get("location")).toBe("/login?next=%2Fdashboard");
  });

  test("G69 a new password ends all other sessions, and if requested revokes all keys and apps", async ({ expect }) => {
    const { email, userId } = await createUserWithPassword();
    const [browser, otherBrowser] = [new BrowserClient(service), new BrowserClient(service)];
    for (const each of [browser, otherBrowser]) {
      await each.post("/login", { email, password: PASSWORD });
    }
    const { key } = await createKey(services, { userId, name: "k", scopes: ["posts:read"], expiresInDays: 1 });
    const change = (fields: Record<string, string>) => browser.post("/dashboard/profile/password", fields);
    expect((await change({ current_password: "wrong", new_password: "another long password" })).status).toBe(400);
    expect((await change({ current_password: PASSWORD, new_password: "short" })).status).toBe(400);
    expect((await otherBrowser.get("/dashboard")).status).toBe(200);
    expect((await change({ current_password: PASSWORD, new_password: "another long password" })).status).toBe(303);
    expect((await browser.get("/dashboard")).status).toBe(200);
    expect((await otherBrowser.get("/dashboard")).status).toBe(303);
    expect((await callApi(service, key)).status).toBe(200);
    expect(await signIn(services, { client: STRANGER, email, password: PASSWORD })).toBeNull();
    const withRevokeAll = { current_password: "another long password", new_password: PASSWORD, revoke_all: "yes" };
    expect((await change(withRevokeAll)).status).toBe(303);
    expect((await callApi(service, key)).status).toBe(401);
  });

  test("G70 parameters are read from the stored hash; an outdated hash still verifies and is replaced", async ({
    expect,
  }) => {
    const { email, userId } = await createUserWithPassword();
    const salt = Buffer.from("0123456789abcdef");
    const key = scryptSync(PASSWORD.normalize("NFKC"), salt, 32, { N: 1024, r: 8, p: 1 });
    const old = `scrypt$1024$8$1$${salt.toString("base64")}$${key.toString("base64")}`;
    await env.DB.prepare("UPDATE users SET password_hash = ? WHERE id = ?").bind(old, userId).run();
    expect(await signIn(services, { client: STRANGER, email, password: "wrong horse battery" })).toBeNull();
    expect((await storedHash(userId))?.hash).toBe(old);
    expect(await signIn(services, { client: STRANGER, email, password: PASSWORD })).not.toBeNull();
    const fresh = (await storedHash(userId))!.hash;
    expect(fresh.split("$").slice(0, 4)).toEqual(DUMMY_HASH.split("$").slice(0, 4));
    expect(await signIn(services, { client: STRANGER, email, password: PASSWORD })).not.toBeNull();
    expect((await storedHash(userId))?.hash).toBe(fresh);
  });

  test("passwords that differ only in Unicode composition are the same", async ({ expect }) => {
    const hash = await hashPassword(services.ids, "caf\u00e9 and some more");
    expect(await checkPassword("cafe\u0301 and some more", hash)).toEqual({ matches: true, outdated: false });
    expect((await checkPassword("cafe and some more", hash)).matches).toBe(false);
  });
});

describe("sign-up", () => {
  const formValues = { password: PASSWORD, plan: "starter", time_zone: "Europe/Berlin" };

  test("creates user, trial and workspace, signs in, and redirects to the next path", async ({ expect }) => {
    const app = await registerClient(service);
    const next = authorizePath(app.id, createPkcePair().challenge);
    const browser = new BrowserClient(service);
    const email = ` ${crypto.randomUUID()}@Example.COM `;
    const response = await browser.post("/signup", { ...formValues, email, next });
    expect([response.status, response.headers.get("location")]).toEqual([303, next]);
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
  ])("%s is refused with an error message at the field", async ([, wrong], { expect }) => {
    const browser = new BrowserClient(service);
    const response = await browser.post("/signup", {
      ...formValues,
      email: `${crypto.randomUUID()}@example.com`,
      ...wrong,
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('role="alert"');
    expect(browser.session).toBeUndefined();
  });

  test("an e-mail can be used once, even with concurrent sign-ups", async ({ expect }) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => new BrowserClient(service).post("/signup", { ...formValues, email })),
    );
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([303, 400, 400, 400]);
    const { results } = await env.DB.prepare(
      "SELECT w.id FROM workspaces w JOIN users u ON u.id = w.user_id WHERE u.email = ?",
    )
      .bind(email)
      .all();
    expect(results).toHaveLength(1);
  });

  test("SIGNUP=closed refuses every sign-up", async ({ expect }) => {
    const closed = createServiceFixture({ SIGNUP: "closed" });
    const browser = new BrowserClient(closed);
    expect((await browser.get("/signup")).status).toBe(403);
    expect((await browser.post("/signup", { ...formValues, email: "late@example.com" })).status).toBe(400);
    expect(await (await browser.get("/login")).text()).not.toContain("/signup");
  });

  test("SIGNUP=first allows exactly one sign-up", async ({ expect }) => {
    const first = createServiceFixture({ SIGNUP: "first" });
    for (const table of ["users", "subscriptions", "workspaces"]) {
      await env.DB.prepare(`DELETE FROM ${table}`).run();
    }
    expect((await new BrowserClient(first).get("/signup")).status).toBe(200);
    const responses = await Promise.all(
      [1, 2, 3].map((count) =>
        new BrowserClient(first).post("/signup", { ...formValues, email: `first-${count}@example.com` }),
      ),
    );
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([303, 400, 400]);
    expect((await new BrowserClient(first).get("/signup")).status).toBe(403);
    expect(createTestContext({ SIGNUP: "first" }).config.signup).toBe("first");
  });
});

describe("dashboard access", () => {
  test("redirects an unauthenticated user to sign in and back, for every page", async ({ expect }) => {
    const visitor = new BrowserClient(service);
    for (const path of [
      "/dashboard",
      "/dashboard/keys",
      "/dashboard/apps",
      "/dashboard/profile",
      "/dashboard/plan",
      "/dashboard/workspaces",
    ]) {
      const response = await visitor.get(path);
      expect(response.headers.get("location")).toBe(`/login?next=${encodeURIComponent(path)}`);
    }
  });

  test("another user's resources cannot be changed and look like missing ones", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    const other = await obtainTokens(service);
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
    expect((await callApi(service, other.tokens.access_token)).status).toBe(200);
  });

  test("keys and apps can also be revoked with DELETE", async ({ expect }) => {
    const { browser, userId } = await obtainTokens(service);
    const { id } = await createKey(services, { userId, name: "k", scopes: ["posts:read"], expiresInDays: 1 });
    const remove = (path: string) =>
      service.fetch(path, {
        method: "DELETE",
        headers: { cookie: `__Host-session=${browser.session}`, origin: ORIGIN },
      });
    expect((await remove(`/dashboard/keys/${id}`)).status).toBe(303);
    expect((await remove(`/dashboard/keys/${crypto.randomUUID()}`)).status).toBe(404);
  });
});

import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { createUser, signIn, startSession } from "#auth/index.ts";
import { passwordQueue } from "#auth/passwords/password-queue.ts";
import { MINUTE } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { BrowserClient, createServiceFixture, ORIGIN, signInNewUser } from "./service-fixture.ts";
import { STRANGER } from "./test-context.ts";
import { SoftwareAuthenticator } from "./software-authenticator.ts";

const service = createServiceFixture();
const { services } = service;
const PASSWORD = "correct horse battery staple";
const KEY_FORM = { name: "nightly import", scope: "posts:read", expires_in_days: "30" };

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A user with a password, signed in now; the time stands still from here on. */
async function signInWithPassword() {
  vi.useFakeTimers({ toFake: ["Date"] });
  const email = `${crypto.randomUUID()}@example.com`;
  const user = await createUser(services, { email, password: PASSWORD, plan: "growth" });
  const browser = new BrowserClient(service);
  browser.session = await startSession(services, { userId: user.userId });
  const letMinutesPass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE);
  return { ...user, email, browser, letMinutesPass };
}

async function postJson<T>(browser: BrowserClient, path: string, body: unknown = {}) {
  const response = await service.fetch(path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin: ORIGIN,
      "cf-connecting-ip": browser.address,
      cookie: `__Host-session=${browser.session}`,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json<T>() };
}

interface CeremonyOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly rpId: string;
  readonly allowCredentials: readonly { readonly id: string }[];
}

async function addPasskey(browser: BrowserClient, fields: Record<string, string> = {}) {
  const device = new SoftwareAuthenticator();
  const options = await postJson<CeremonyOptions & { error: string }>(browser, "/dashboard/passkeys/options", fields);
  if (options.status !== 200) {
    return { device, ...options };
  }
  const response = device.create(options.body, ORIGIN);
  return {
    device,
    ...(await postJson<{ error: string }>(browser, "/dashboard/passkeys", { response, name: "Laptop" })),
  };
}

async function confirmWithPasskey(browser: BrowserClient, device: SoftwareAuthenticator): Promise<number> {
  const { body } = await postJson<CeremonyOptions>(browser, "/dashboard/passkeys/confirm/options");
  return (await postJson(browser, "/dashboard/passkeys/confirm", { response: device.get(body, ORIGIN) })).status;
}

async function setFailures(email: string, failures: number): Promise<void> {
  await env.DB.prepare("UPDATE sign_in_attempts SET failures = ? WHERE email_hash = ?")
    .bind(failures, await sha256Hex(email))
    .run();
}

async function failuresOf(email: string): Promise<number | null> {
  return env.DB.prepare("SELECT failures FROM sign_in_attempts WHERE email_hash = ?")
    .bind(await sha256Hex(email))
    .first<number>("failures");
}

async function countKeys(userId: string): Promise<number | null> {
  return env.DB.prepare("SELECT count(*) AS n FROM api_keys WHERE user_id = ?").bind(userId).first<number>("n");
}

describe("creating a key", { timeout: 60_000 }, () => {
  test("sign-in suffices until the last millisecond of ten minutes, then the password is asked for", async ({
    expect,
  }) => {
    const { browser, userId, letMinutesPass } = await signInWithPassword();
    letMinutesPass(10);
    vi.setSystemTime(Date.now() - 1);
    expect(await (await browser.get("/dashboard/keys")).text()).not.toContain("current_password");
    expect((await browser.post("/dashboard/keys", KEY_FORM)).status).toBe(200);
    vi.setSystemTime(Date.now() + 1);
    expect(await (await browser.get("/dashboard/keys")).text()).toContain('name="current_password"');
    const refused = await browser.post("/dashboard/keys", KEY_FORM);
    expect(refused.status).toBe(400);
    const page = await refused.text();
    expect(page).toContain("You signed in more than 10 minutes ago");
    expect(page).toContain('value="nightly import"');
    expect(await countKeys(userId)).toBe(1);
  });

  test("the right password creates the key and counts for ten more minutes in this session only", async ({
    expect,
  }) => {
    const { browser, userId, letMinutesPass } = await signInWithPassword();
    const otherBrowser = new BrowserClient(service);
    otherBrowser.session = await startSession(services, { userId });
    letMinutesPass(10);
    expect((await browser.post("/dashboard/keys", { ...KEY_FORM, current_password: PASSWORD })).status).toBe(200);
    letMinutesPass(9);
    expect((await browser.post("/dashboard/keys", KEY_FORM)).status).toBe(200);
    expect((await otherBrowser.post("/dashboard/keys", KEY_FORM)).status).toBe(400);
    letMinutesPass(1);
    expect((await browser.post("/dashboard/keys", KEY_FORM)).status).toBe(400);
    expect(await countKeys(userId)).toBe(2);
  });

  test("a wrong password creates nothing and rotates nothing", async ({ expect }) => {
    const { browser, userId, letMinutesPass } = await signInWithPassword();
    await browser.post("/dashboard/keys", KEY_FORM);
    const id = await env.DB.prepare("SELECT id FROM api_keys WHERE user_id = ?").bind(userId).first<string>("id");
    letMinutesPass(10);
    const wrong = { current_password: "wrong horse battery" };
    const refused = await browser.post("/dashboard/keys", { ...KEY_FORM, ...wrong });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("The current password is wrong."),
    ]);
    for (const fields of [{}, wrong]) {
      expect((await browser.post(`/dashboard/keys/${id}/rotate`, fields)).status).toBe(400);
    }
    expect(await countKeys(userId)).toBe(1);
    const rotated = await browser.post(`/dashboard/keys/${id}/rotate`, { current_password: PASSWORD });
    expect(rotated.status).toBe(200);
    expect(await countKeys(userId)).toBe(2);
  });

  test("guesses count as sign-in attempts of this session: after ten it waits, and nobody else does", async ({
    expect,
  }) => {
    const { browser, userId, email, letMinutesPass } = await signInWithPassword();
    letMinutesPass(10);
    const guess = (password: string) => browser.post("/dashboard/keys", { ...KEY_FORM, current_password: password });
    await guess("wrong horse battery");
    expect(await failuresOf(email)).toBe(1);
    await setFailures(email, 9);
    await guess("wrong horse battery");
    const derivations = vi.spyOn(passwordQueue, "run");
    const throttled = await guess(PASSWORD);
    expect([throttled.status, await throttled.text()]).toEqual([
      400,
      expect.stringContaining("Too many wrong passwords: wait a minute, then try again."),
    ]);
    expect(derivations).not.toHaveBeenCalled();
    expect(await signIn(services, { client: STRANGER, email, password: PASSWORD })).not.toBeNull();
    expect(await countKeys(userId)).toBe(0);
    letMinutesPass(1);
    expect((await guess(PASSWORD)).status).toBe(200);
    expect(await signIn(services, { client: STRANGER, email, password: PASSWORD })).not.toBeNull();
  });

  test("of eight parallel guesses with one attempt left only one is checked", async ({ expect }) => {
    const { browser, userId, email, letMinutesPass } = await signInWithPassword();
    letMinutesPass(10);
    const guess = (password: string) => browser.post("/dashboard/keys", { ...KEY_FORM, current_password: password });
    await guess("wrong horse battery");
    await setFailures(email, 9);
    const derivations = vi.spyOn(passwordQueue, "run");
    // The eighth knows the password, but the attempts are counted before any is checked.
    const guesses = [...Array.from({ length: 7 }, (_, index) => `wrong horse battery ${index}`), PASSWORD];
    const statuses = await Promise.all(guesses.map(async (password) => (await guess(password)).status));
    expect(derivations).toHaveBeenCalledTimes(1);
    expect(statuses.filter((status) => status === 200).length).toBe(await countKeys(userId));
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(7);
  });
});

describe("a new password", { timeout: 60_000 }, () => {
  test("needs the current one even right after sign-in, unless there is a passkey", async ({ expect }) => {
    const { browser, email, letMinutesPass } = await signInWithPassword();
    const change = (fields: Record<string, string>) =>
      browser.post("/dashboard/profile/password", { new_password: "another long password", ...fields });
    expect((await change({})).status).toBe(400);
    const { device, status } = await addPasskey(browser);
    expect(status).toBe(200);
    letMinutesPass(10);
    expect((await change({})).status).toBe(400);
    expect(await confirmWithPasskey(browser, device)).toBe(200);
    expect((await change({})).status).toBe(303);
    expect(await signIn(services, { client: STRANGER, email, password: "another long password" })).not.toBeNull();
  });

  test("a user without a password sets one only shortly after authenticating", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { browser } = await signInNewUser(service);
    const set = () => browser.post("/dashboard/profile/password", { new_password: PASSWORD });
    vi.setSystemTime(Date.now() + 10 * MINUTE);
    expect((await set()).status).toBe(400);
    vi.setSystemTime(Date.now() - 1);
    expect((await set()).status).toBe(303);
  });
});

describe("adding a passkey", { timeout: 60_000 }, () => {
  test("asks for the password again, in the same request that begins the ceremony", async ({ expect }) => {
    const { browser, letMinutesPass } = await signInWithPassword();
    letMinutesPass(10);
    expect(await addPasskey(browser)).toMatchObject({ status: 400, body: { error: /more than 10 minutes ago/ } });
    expect(await addPasskey(browser, { current_password: "wrong" })).toMatchObject({
      status: 400,
      body: { error: "the current password is wrong" },
    });
    expect((await addPasskey(browser, { current_password: PASSWORD })).status).toBe(200);
  });

  test("a passkey confirms its owner only, once, and not with a challenge for sign-in", async ({ expect }) => {
    const { browser, letMinutesPass } = await signInWithPassword();
    const { device } = await addPasskey(browser);
    const other = await signInNewUser(service);
    const { device: otherDevice } = await addPasskey(other.browser);
    letMinutesPass(10);
    const confirm = (response: unknown) => postJson(browser, "/dashboard/passkeys/confirm", { response });
    const options = async () => (await postJson<CeremonyOptions>(browser, "/dashboard/passkeys/confirm/options")).body;
    expect((await options()).allowCredentials).toMatchObject([{ id: device.id.toString("base64url") }]);
    expect((await confirm(otherDevice.get(await options(), ORIGIN))).status).toBe(400);
    const othersOptions = await postJson<CeremonyOptions>(other.browser, "/dashboard/passkeys/confirm/options");
    expect((await confirm(device.get(othersOptions.body, ORIGIN))).status).toBe(400);
    const signInOptions = await postJson<CeremonyOptions>(browser, "/login/passkey/options");
    expect((await confirm(device.get(signInOptions.body, ORIGIN))).status).toBe(400);
    expect((await browser.post("/dashboard/keys", KEY_FORM)).status).toBe(400);
    const response = device.get(await options(), ORIGIN);
    expect((await confirm(response)).status).toBe(200);
    expect((await confirm(response)).status).toBe(400);
    expect((await browser.post("/dashboard/keys", KEY_FORM)).status).toBe(200);
  });

  test.for(["", "{", "[]", '{"current_password":7}'])(
    "a malformed body (%s) is 400, never 500",
    async (body, { expect }) => {
      const { browser, letMinutesPass } = await signInWithPassword();
      letMinutesPass(10);
      for (const path of ["/dashboard/passkeys/options", "/dashboard/passkeys/confirm"]) {
        const headers = { origin: ORIGIN, cookie: `__Host-session=${browser.session}` };
        expect((await service.fetch(path, { method: "POST", headers, body })).status, path).toBe(400);
      }
    },
  );
});

import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { createKey, signIn, startSession } from "#auth/index.ts";
import { passwordQueue, PasswordQueueFullError } from "#auth/passwords/password-queue.ts";
import { BrowserClient, callApi, createServiceFixture, obtainTokens, ORIGIN } from "./service-fixture.ts";
import { STRANGER } from "./test-context.ts";
import { SoftwareAuthenticator } from "./software-authenticator.ts";

const sentTexts: string[] = [];
const EMAIL = {
  send(email: { text: string }) {
    sentTexts.push(email.text);
    return Promise.resolve();
  },
};
const service = createServiceFixture({ EMAIL, MAIL_FROM: "almanac@example.com" });
const { services } = service;
const NEW_PASSWORD = "another long password";

afterEach(() => {
  vi.restoreAllMocks();
  sentTexts.length = 0;
});

async function postJson<T>(browser: BrowserClient, path: string, body: unknown): Promise<T> {
  const headers = {
    "content-type": "application/json",
    origin: ORIGIN,
    "cf-connecting-ip": browser.address,
    cookie: `__Host-session=${browser.session}`,
  };
  return (await service.fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json<T>();
}

/** A user with a session, a key, a connected app, a passkey, a webhook and a calendar address, who asked for a reset link. */
async function requestReset() {
  const owner = await obtainTokens(service);
  const { browser, userId, email, tokens } = owner;
  const { id: keyId, key } = await createKey(services, {
    userId,
    name: "nightly import",
    scopes: ["posts:read"],
    expiresInDays: 1,
  });
  const device = new SoftwareAuthenticator();
  const options = await postJson<Parameters<typeof device.create>[0]>(browser, "/dashboard/passkeys/options", {});
  await postJson(browser, "/dashboard/passkeys", { response: device.create(options, ORIGIN), name: "Laptop" });
  const feedPath =
    /\/calendar\/[\w-]{22}\.ics/.exec(await (await browser.post("/dashboard/profile/feeds")).text())?.[0] ?? "";
  const webhookId = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO webhooks (id, user_id, workspace_id, url, description, types, sealed_secret, start_after, created_at, updated_at)
     VALUES (?, ?, ?, 'https://receiver.example/hook', '', '["*"]', '', 0, 1, 1)`,
  )
    .bind(webhookId, userId, owner.workspaceId)
    .run();
  await new BrowserClient(service).post("/password/forgot", { email });
  const token = /token=([\w-]{43})$/m.exec(sentTexts.at(-1) ?? "")?.[1] ?? "";

  const visitor = new BrowserClient(service);
  const readPage = async () => (await visitor.get(`/password/reset?token=${token}`)).text();
  const reset = (fields: Record<string, string | string[]> = {}) =>
    visitor.post("/password/reset", { token, new_password: NEW_PASSWORD, ...fields });
  const signInWithPasskey = async () => {
    const guest = new BrowserClient(service);
    const { challenge } = await postJson<{ challenge: string }>(guest, "/login/passkey/options", {});
    const response = device.get({ challenge, rpId: "localhost" }, ORIGIN);
    return (await postJson<{ location?: string }>(guest, "/login/passkey", { response })).location !== undefined;
  };
  /** What still opens the account. */
  const works = async () => ({
    session: (await browser.get("/dashboard")).status === 200,
    key: (await callApi(service, key)).status === 200,
    app: (await callApi(service, tokens.access_token)).status === 200,
    passkey: await signInWithPasskey(),
    webhook:
      (await env.DB.prepare("SELECT disabled_at FROM webhooks WHERE id = ?").bind(webhookId).first("disabled_at")) ===
      null,
    feed: (await service.fetch(feedPath, { headers: { "cf-connecting-ip": browser.address } })).status === 200,
  });
  return { browser, userId, email, keyId, token, device, readPage, reset, works };
}

const NOTHING = { session: false, key: false, app: false, passkey: false, webhook: false, feed: false };
const EVERYTHING = { session: true, key: true, app: true, passkey: true, webhook: true, feed: true };
const KINDS = ["session", "key", "app", "passkey", "webhook", "feed"] as const;

const boxesOf = (page: string) =>
  [...page.matchAll(/<input type="checkbox" name="end" value="([^"]+)" checked=""/g)].map(([, value]) => value ?? "");
const listedOf = (page: string) =>
  [...page.matchAll(/<input type="hidden" name="listed" value="([^"]+)"/g)].map(([, value]) => value ?? "");

describe("the page of a reset link", { timeout: 60_000 }, () => {
  test("lists what gives access by name, all ticked, and needs no script", async ({ expect }) => {
    const { browser, readPage, works } = await requestReset();
    const page = await readPage();
    for (const name of [
      "Browser signed in",
      "nightly import",
      "An agent",
      "Laptop",
      "https://receiver.example/hook",
      "My workspace",
    ]) {
      expect(page).toContain(name);
    }
    expect(boxesOf(page).map((value) => value.split(":")[0])).toEqual(KINDS);
    expect(listedOf(page)).toEqual(boxesOf(page));
    expect(page).not.toContain(browser.session ?? "");
    // A mail scanner that opens the link changes nothing.
    expect(await works()).toEqual(EVERYTHING);
  });

  test("without a valid link it lists nothing and offers a new link", async ({ expect }) => {
    const { token, reset } = await requestReset();
    await reset();
    for (const invalid of ["", "x", "%00", token]) {
      const response = await new BrowserClient(service).get(`/password/reset?token=${invalid}`);
      expect(response.status).toBe(400);
      const page = await response.text();
      expect(page).toContain("/password/forgot");
      expect(page).not.toContain("nightly import");
    }
  });

  test("an invalid password keeps the link and what was unticked", async ({ expect }) => {
    const { reset, readPage } = await requestReset();
    const listed = listedOf(await readPage());
    const end = listed.filter((value) => !value.startsWith("key:"));
    const refused = await reset({ new_password: "short", listed, end });
    expect(refused.status).toBe(400);
    const page = await refused.text();
    expect(boxesOf(page)).toEqual(end);
    expect(listedOf(page)).toEqual(listed);
    expect((await reset({ listed, end })).status).toBe(303);
  });
});

describe("a password reset", { timeout: 60_000 }, () => {
  test("ends everything that is ticked", async ({ expect }) => {
    const { reset, readPage, works } = await requestReset();
    const page = await readPage();
    expect((await reset({ listed: listedOf(page), end: boxesOf(page) })).status).toBe(303);
    expect(await works()).toEqual(NOTHING);
  });

  test("without any box it ends everything too", async ({ expect }) => {
    const { reset, works } = await requestReset();
    expect((await reset()).status).toBe(303);
    expect(await works()).toEqual(NOTHING);
  });

  test.for(KINDS)("keeps an unticked %s and nothing else", async (kind, { expect }) => {
    const { reset, readPage, works } = await requestReset();
    const listed = listedOf(await readPage());
    const end = listed.filter((value) => !value.startsWith(`${kind}:`));
    expect((await reset({ listed, end })).status).toBe(303);
    expect(await works()).toEqual({ ...NOTHING, [kind]: true });
  });

  test("ends what was added after the page was opened", async ({ expect }) => {
    const { reset, readPage, works, userId } = await requestReset();
    const listed = listedOf(await readPage());
    const { key } = await createKey(services, { userId, name: "later", scopes: ["posts:read"], expiresInDays: 1 });
    const later = new BrowserClient(service);
    later.session = await startSession(services, { userId });
    await reset({ listed });
    expect((await callApi(service, key)).status).toBe(401);
    expect((await later.get("/dashboard")).status).toBe(303);
    expect(await works()).toEqual(EVERYTHING);
  });

  test("a passkey registration that was under way cannot be finished afterwards", async ({ expect }) => {
    const { reset, readPage, browser } = await requestReset();
    const device = new SoftwareAuthenticator();
    const options = await postJson<Parameters<typeof device.create>[0]>(browser, "/dashboard/passkeys/options", {});
    await reset({ listed: listedOf(await readPage()) });
    expect((await browser.get("/dashboard")).status).toBe(200);
    const response = device.create(options, ORIGIN);
    expect(await postJson(browser, "/dashboard/passkeys", { response, name: "x" })).toMatchObject({
      error: expect.any(String),
    });
  });

  test("forged boxes with the ids of another user change nothing for anybody", async ({ expect }) => {
    const victim = await requestReset();
    const listed = listedOf(await victim.readPage());
    const attacker = await requestReset();
    const forged = [...listed, "session:", "key:%", "app:' OR 1=1 --", "user:1", ":", ""];
    expect((await attacker.reset({ listed: forged, end: [] })).status).toBe(303);
    expect(await attacker.works()).toEqual(NOTHING);
    expect(await victim.works()).toEqual(EVERYTHING);
    const another = await requestReset();
    expect((await another.reset({ listed: forged, end: forged })).status).toBe(303);
    expect(await victim.works()).toEqual(EVERYTHING);
  });

  test("a link works once, also in parallel, and an invalid one computes nothing", async ({ expect }) => {
    const { reset, email } = await requestReset();
    const statuses = await Promise.all([1, 2, 3].map(async () => (await reset()).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([303, 400, 400]);
    const derivations = vi.spyOn(passwordQueue, "run");
    expect((await reset({ new_password: "a third long password" })).status).toBe(400);
    expect(derivations).not.toHaveBeenCalled();
    expect(await signIn(services, { client: STRANGER, email, password: NEW_PASSWORD })).not.toBeNull();
  });

  test("a full queue answers 503 and does not use the link", async ({ expect }) => {
    const { reset, works } = await requestReset();
    vi.spyOn(passwordQueue, "assertNotFull").mockImplementation(() => {
      throw new PasswordQueueFullError(2);
    });
    expect((await reset()).status).toBe(503);
    expect(await works()).toEqual(EVERYTHING);
    vi.restoreAllMocks();
    expect((await reset()).status).toBe(303);
  });
});

import { afterEach, describe, test, vi } from "vitest";
import { MINUTE } from "#core/clock.ts";
import { Browser, ORIGIN, signedIn, stage } from "./stage.ts";
import { SoftAuthenticator } from "./soft-authenticator.ts";

const on = stage();

afterEach(() => {
  vi.useRealTimers();
});

async function send<T>(browser: Browser, path: string, body: unknown = {}): Promise<{ status: number; body: T }> {
  const response = await on.fetch(path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin: ORIGIN,
      "cf-connecting-ip": browser.address,
      ...(browser.session === undefined ? {} : { cookie: `__Host-session=${browser.session}` }),
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  browser.session = /als_[0-9A-Za-z]+/.exec(response.headers.get("set-cookie") ?? "")?.[0] ?? browser.session;
  return { status: response.status, body: await response.json<T>() };
}

interface Creation {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly name: string };
  readonly excludeCredentials: readonly { readonly id: string }[];
}

const creation = (browser: Browser) => send<Creation>(browser, "/dashboard/passkeys/options");
const request = (browser: Browser) => send<{ challenge: string; rpId: string }>(browser, "/login/passkey/options");

async function withPasskey() {
  const owner = await signedIn(on);
  const device = new SoftAuthenticator();
  const options = await creation(owner.browser);
  const added = await send(owner.browser, "/dashboard/passkeys", {
    response: device.create(options.body, ORIGIN),
    name: "Laptop",
  });
  return { ...owner, device, options: options.body, added };
}

describe("passkeys", { timeout: 30_000 }, () => {
  test("a device that was added signs its owner in", async ({ expect }) => {
    const { device, added, email, options } = await withPasskey();
    expect(added).toEqual({ status: 200, body: { location: "/dashboard/profile?done=passkey-added" } });
    expect(options).toMatchObject({ rp: { id: "localhost" }, user: { name: email } });
    const elsewhere = new Browser(on);
    const { body } = await request(elsewhere);
    const answer = await send(elsewhere, "/login/passkey", {
      response: device.get(body, ORIGIN),
      next: "/dashboard/keys",
    });
    expect(answer).toEqual({ status: 200, body: { location: "/dashboard/keys" } });
    expect(await (await elsewhere.get("/dashboard/profile")).text()).toContain(email);
  });

  test("a challenge works once, for five minutes, and only for the ceremony it was made for", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { device, browser } = await withPasskey();
    const stranger = new Browser(on);
    const { body } = await request(stranger);
    const answer = device.get(body, ORIGIN);
    expect((await send(stranger, "/login/passkey", { response: answer })).status).toBe(200);
    expect((await send(new Browser(on), "/login/passkey", { response: answer })).status).toBe(400);
    const late = (await request(stranger)).body;
    vi.setSystemTime(start + 5 * MINUTE);
    expect((await send(stranger, "/login/passkey", { response: device.get(late, ORIGIN) })).status).toBe(400);
    const registration = (await creation(browser)).body;
    const misused = device.get({ challenge: registration.challenge, rpId: "localhost" }, ORIGIN);
    expect((await send(new Browser(on), "/login/passkey", { response: misused })).status).toBe(400);
  });

  test("another origin, another site, another device and an old counter are refused", async ({ expect }) => {
    const { device } = await withPasskey();
    const visitor = new Browser(on);
    const answers = [
      device.get((await request(visitor)).body, "https://evil.example"),
      device.get({ ...(await request(visitor)).body, rpId: "evil.example" }, ORIGIN),
      { ...new SoftAuthenticator().get((await request(visitor)).body, ORIGIN), id: device.id.toString("base64url") },
      new SoftAuthenticator().get((await request(visitor)).body, ORIGIN),
    ];
    device.counter = -1;
    answers.push(device.get((await request(visitor)).body, ORIGIN));
    for (const response of answers) {
      expect((await send(visitor, "/login/passkey", { response })).status).toBe(400);
    }
    expect(visitor.session).toBeUndefined();
  });

  test("a challenge of one user does not add a device to another", async ({ expect }) => {
    const [one, two] = [await signedIn(on), await signedIn(on)];
    const options = (await creation(one.browser)).body;
    const response = new SoftAuthenticator().create(options, ORIGIN);
    expect((await send(two.browser, "/dashboard/passkeys", { response, name: "x" })).status).toBe(400);
    expect(await (await two.browser.get("/dashboard/profile")).text()).not.toContain("Never used");
  });

  test("the same device cannot be added twice, and is named as known", async ({ expect }) => {
    const { device, browser } = await withPasskey();
    const options = (await creation(browser)).body;
    expect(options.excludeCredentials).toMatchObject([{ id: device.id.toString("base64url") }]);
    const again = await send(browser, "/dashboard/passkeys", { response: device.create(options, ORIGIN), name: "x" });
    expect(again).toEqual({ status: 400, body: { error: "this passkey is already registered" } });
  });

  test("a removed passkey opens nothing; another user's cannot be removed", async ({ expect }) => {
    const { device, browser } = await withPasskey();
    const path = `/dashboard/passkeys/${device.id.toString("base64url")}/remove`;
    expect((await (await signedIn(on)).browser.post(path)).status).toBe(404);
    expect((await browser.post(path)).status).toBe(303);
    const visitor = new Browser(on);
    const { body } = await request(visitor);
    expect((await send(visitor, "/login/passkey", { response: device.get(body, ORIGIN) })).status).toBe(400);
  });

  test.for([
    "",
    "{",
    "null",
    "[]",
    "7",
    '{"response":null}',
    '{"response":{}}',
    '{"response":{"id":7}}',
    '{"response":{"id":"x"}}',
    '{"response":{"id":"x","response":{"clientDataJSON":"!"}}}',
  ])("junk (%s) is 400, never a fault", async (body, { expect }) => {
    const { browser, device } = await withPasskey();
    expect((await send(browser, "/dashboard/passkeys", body)).status).toBe(400);
    expect((await send(new Browser(on), "/login/passkey", body)).status).toBe(400);
    const known = body.replace('"x"', `"${device.id.toString("base64url")}"`);
    expect((await send(new Browser(on), "/login/passkey", known)).status).toBe(400);
  });
});

import { afterEach, describe, test, vi } from "vitest";
import { MINUTE } from "#core/clock.ts";
import { BrowserClient, ORIGIN, signInNewUser, createServiceFixture } from "./service-fixture.ts";
import { SoftwareAuthenticator } from "./software-authenticator.ts";

const service = createServiceFixture();

afterEach(() => {
  vi.useRealTimers();
});

async function postJson<T>(
  browser: BrowserClient,
  path: string,
  body: unknown = {},
): Promise<{ status: number; body: T }> {
  const response = await service.fetch(path, {
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

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly name: string };
  readonly excludeCredentials: readonly { readonly id: string }[];
}

const requestCreationOptions = (browser: BrowserClient) =>
  postJson<CreationOptions>(browser, "/dashboard/passkeys/options");
const requestSignInOptions = (browser: BrowserClient) =>
  postJson<{ challenge: string; rpId: string }>(browser, "/login/passkey/options");

async function createUserWithPasskey() {
  const owner = await signInNewUser(service);
  const device = new SoftwareAuthenticator();
  const options = await requestCreationOptions(owner.browser);
  const added = await postJson(owner.browser, "/dashboard/passkeys", {
    response: device.create(options.body, ORIGIN),
    name: "Laptop",
  });
  return { ...owner, device, options: options.body, added };
}

describe("passkeys", { timeout: 30_000 }, () => {
  test("a registered passkey signs its owner in", async ({ expect }) => {
    const { device, added, email, options } = await createUserWithPasskey();
    expect(added).toEqual({ status: 200, body: { location: "/dashboard/profile?done=passkey-added" } });
    expect(options).toMatchObject({ rp: { id: "localhost" }, user: { name: email } });
    const otherBrowser = new BrowserClient(service);
    const { body } = await requestSignInOptions(otherBrowser);
    const response = await postJson(otherBrowser, "/login/passkey", {
      response: device.get(body, ORIGIN),
      next: "/dashboard/keys",
    });
    expect(response).toEqual({ status: 200, body: { location: "/dashboard/keys" } });
    expect(await (await otherBrowser.get("/dashboard/profile")).text()).toContain(email);
  });

  test("a challenge works once, for five minutes, and only for its own ceremony", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const { device, browser } = await createUserWithPasskey();
    const visitor = new BrowserClient(service);
    const { body } = await requestSignInOptions(visitor);
    const response = device.get(body, ORIGIN);
    expect((await postJson(visitor, "/login/passkey", { response: response })).status).toBe(200);
    expect((await postJson(new BrowserClient(service), "/login/passkey", { response: response })).status).toBe(400);
    const late = (await requestSignInOptions(visitor)).body;
    vi.setSystemTime(start + 5 * MINUTE);
    expect((await postJson(visitor, "/login/passkey", { response: device.get(late, ORIGIN) })).status).toBe(400);
    const registration = (await requestCreationOptions(browser)).body;
    const misused = device.get({ challenge: registration.challenge, rpId: "localhost" }, ORIGIN);
    expect((await postJson(new BrowserClient(service), "/login/passkey", { response: misused })).status).toBe(400);
  });

  test("another origin, another site, another device and an old counter are refused", async ({ expect }) => {
    const { device } = await createUserWithPasskey();
    const visitor = new BrowserClient(service);
    const responses = [
      device.get((await requestSignInOptions(visitor)).body, "https://evil.example"),
      device.get({ ...(await requestSignInOptions(visitor)).body, rpId: "evil.example" }, ORIGIN),
      {
        ...new SoftwareAuthenticator().get((await requestSignInOptions(visitor)).body, ORIGIN),
        id: device.id.toString("base64url"),
      },
      new SoftwareAuthenticator().get((await requestSignInOptions(visitor)).body, ORIGIN),
    ];
    device.counter = -1;
    responses.push(device.get((await requestSignInOptions(visitor)).body, ORIGIN));
    for (const response of responses) {
      expect((await postJson(visitor, "/login/passkey", { response })).status).toBe(400);
    }
    expect(visitor.session).toBeUndefined();
  });

  test("a challenge of one user does not add a passkey to another", async ({ expect }) => {
    const [owner, otherUser] = [await signInNewUser(service), await signInNewUser(service)];
    const options = (await requestCreationOptions(owner.browser)).body;
    const response = new SoftwareAuthenticator().create(options, ORIGIN);
    expect((await postJson(otherUser.browser, "/dashboard/passkeys", { response, name: "x" })).status).toBe(400);
    expect(await (await otherUser.browser.get("/dashboard/profile")).text()).not.toContain("Never used");
  });

  test("the same passkey cannot be added twice, and is listed in excludeCredentials", async ({ expect }) => {
    const { device, browser } = await createUserWithPasskey();
    const options = (await requestCreationOptions(browser)).body;
    expect(options.excludeCredentials).toMatchObject([{ id: device.id.toString("base64url") }]);
    const again = await postJson(browser, "/dashboard/passkeys", {
      response: device.create(options, ORIGIN),
      name: "x",
    });
    expect(again).toEqual({ status: 400, body: { error: "this passkey is already registered" } });
  });

  test("a removed passkey cannot sign in; another user's passkey cannot be removed", async ({ expect }) => {
    const { device, browser } = await createUserWithPasskey();
    const path = `/dashboard/passkeys/${device.id.toString("base64url")}/remove`;
    expect((await (await signInNewUser(service)).browser.post(path)).status).toBe(404);
    expect((await browser.post(path)).status).toBe(303);
    const visitor = new BrowserClient(service);
    const { body } = await requestSignInOptions(visitor);
    expect((await postJson(visitor, "/login/passkey", { response: device.get(body, ORIGIN) })).status).toBe(400);
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
  ])("a malformed body (%s) is 400, never 500", async (body, { expect }) => {
    const { browser, device } = await createUserWithPasskey();
    expect((await postJson(browser, "/dashboard/passkeys", body)).status).toBe(400);
    expect((await postJson(new BrowserClient(service), "/login/passkey", body)).status).toBe(400);
    const known = body.replace('"x"', `"${device.id.toString("base64url")}"`);
    expect((await postJson(new BrowserClient(service), "/login/passkey", known)).status).toBe(400);
  });
});

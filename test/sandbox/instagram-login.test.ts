import { describe, test, vi } from "vitest";
import { changeSettings } from "./sandbox-api.ts";
import {
  APP,
  authorize,
  callGraph,
  requestCode,
  codeGrantForm,
  get,
  requestLongToken,
  errorCodeOf,
  createClient,
  REDIRECT,
  SCOPES,
  requestShortToken,
  requestToken,
  getWithToken,
} from "./instagram-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });

const HOUR = 3600;
const DAY = 24 * HOUR;
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const readMe = (token: string, version = "v25.0") => getWithToken(`/${version}/me`, token);

describe("authorize", () => {
  test("redirects with a code, the state and the fragment #_", async ({ expect }) => {
    const response = await authorize();
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toMatch(
      /^http:\/\/localhost:8787\/connect\/instagram\/callback\?code=AQB[\w-]+&state=s1#_$/,
    );
  });

  test("redirects with error, reason and description when the user cancels", async ({ expect }) => {
    const redirect = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(redirect.searchParams)).toMatchObject({
      error: "access_denied",
      error_reason: "user_denied",
      state: "s1",
    });
  });

  test.for<[what: string, overrides: Record<string, string>]>([
    ["another client", { client_id: "1" }],
    ["no redirect_uri", { redirect_uri: "" }],
    ["another response_type", { response_type: "token" }],
    ["no scope", { scope: "" }],
    ["an unknown scope", { scope: "instagram_basic" }],
    ["a scope that the app was not approved for", { scope: `${SCOPES},instagram_business_manage_insights` }],
    ["an unknown parameter", { prompt: "consent" }],
  ])("shows an error page for %s", async ([, overrides], { expect }) => {
    expect((await authorize(overrides)).status).toBe(400);
  });
});

describe("the code", () => {
  test("gives a token wrapped in data, with the id as a number beyond the precision of a double", async ({
    expect,
  }) => {
    const response = await requestToken(codeGrantForm(await requestCode()));
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toMatch(/"user_id":24106780935621847,/);
    expect(JSON.parse(text)).toMatchObject({
      data: [{ access_token: expect.stringMatching(/^IGAA/) as string, permissions: SCOPES }],
    });
  });

  test("gives the flat response with the setting token_shape", async ({ expect }) => {
    await changeSettings("instagram", { token_shape: "flat" });
    const tokenBody = await (await requestToken(codeGrantForm(await requestCode()))).json();
    expect(tokenBody).toMatchObject({ access_token: expect.any(String) as string, permissions: SCOPES.split(",") });
    await changeSettings("instagram", { token_shape: null });
  });

  test("is valid once and for an hour", async ({ expect }) => {
    const [used, expired] = [await requestCode(), await requestCode()];
    expect((await requestToken(codeGrantForm(used))).status).toBe(200);
    const again = await requestToken(codeGrantForm(used));
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({
      error_type: "OAuthException",
      code: 400,
      error_message: expect.any(String) as string,
    });
    advanceSeconds(HOUR);
    expect((await requestToken(codeGrantForm(expired))).status).toBe(400);
  });

  test.for<[what: string, overrides: Record<string, string>, type?: string]>([
    ["another secret", { client_secret: "guess" }],
    ["another redirect_uri", { redirect_uri: `${REDIRECT}?x=1` }],
    ["another grant type", { grant_type: "password" }],
    ["a JSON body", {}, "application/json"],
  ])("is refused with %s", async ([, overrides, type], { expect }) => {
    expect((await requestToken({ ...codeGrantForm(await requestCode()), ...overrides }, type)).status).toBe(400);
  });
});

describe("tokens", () => {
  const exchangeToken = (access_token: string, client_secret = APP.client_secret) =>
    get("/access_token", { grant_type: "ig_exchange_token", client_secret, access_token });
  const refreshToken = (access_token: string) =>
    get("/refresh_access_token", { grant_type: "ig_refresh_token", access_token });

  test("a short-lived one can be exchanged with the secret, until it expires, for one of about 60 days", async ({
    expect,
  }) => {
    const short = await requestShortToken();
    expect(await errorCodeOf(await exchangeToken(short, "guess"))).toBe("101/-");
    const response = await exchangeToken(short);
    const long = await response.json<{ access_token: string }>();
    expect(long).toMatchObject({ token_type: "bearer", expires_in: 5_183_944 });
    advanceSeconds(HOUR);
    expect(await errorCodeOf(await readMe(short))).toBe("190/463");
    expect(await errorCodeOf(await exchangeToken(short))).toBe("190/463");
    expect((await readMe(long.access_token)).status).toBe(200);
  });

  test("a long-lived one can be refreshed after a day and before it expires", async ({ expect }) => {
    const first = await requestLongToken();
    expect((await refreshToken(first)).status).toBe(400);
    advanceSeconds(DAY - 1);
    expect((await refreshToken(first)).status).toBe(400);
    advanceSeconds(1);
    const response = await refreshToken(first);
    expect(response.status).toBe(200);
    const second = await response.json<{ access_token: string }>();
    expect(second).toMatchObject({ token_type: "bearer", expires_in: 5_183_944, permissions: SCOPES });
    expect(second.access_token).not.toBe(first);
    advanceSeconds(59 * DAY);
    expect(await errorCodeOf(await readMe(first))).toBe("190/463");
    expect((await readMe(second.access_token)).status).toBe(200);
    advanceSeconds(DAY);
    expect(await errorCodeOf(await refreshToken(second.access_token))).toBe("190/463");
  });

  test("a short-lived one cannot be refreshed", async ({ expect }) => {
    expect((await refreshToken(await requestShortToken())).status).toBe(400);
  });

  test.for(["", "IGAAinvented"])("%j is not a token", async (token, { expect }) => {
    const response = await readMe(token);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: {
        message: expect.any(String) as string,
        type: "OAuthException",
        code: 190,
        is_transient: false,
        fbtrace_id: expect.stringMatching(/^A/) as string,
      },
    });
  });
});

describe("the profile", () => {
  test.for([
    ["ada", "17841400008460057", "BUSINESS"],
    ["ben", "17841400008460063", "PERSONAL"],
    ["cleo", "17841400008460069", "MEDIA_CREATOR"],
  ] as const)("of %s, by me and by the id", async ([login, userId, accountType], { expect }) => {
    const { request } = await createClient({ login });
    const fields = "id,user_id,username,name,account_type,profile_picture_url,followers_count";
    const me = await (await request("/me", { fields })).json<Record<string, unknown>>();
    expect(me).toMatchObject({ user_id: userId, account_type: accountType });
    expect(me["id"]).not.toBe(userId);
    expect(await (await request(`/${userId}`, { fields })).json()).toEqual(me);
    expect(Object.keys(await (await request("/me", { fields: "username" })).json<object>())).toEqual([
      "id",
      "username",
    ]);
  });

  test("has no other fields", async ({ expect }) => {
    const { request } = await createClient();
    for (const [path, fields] of [
      ["/me", "id,email"],
      ["/me/content_publishing_limit", "quota_usage,quota"],
    ] as const) {
      expect(await errorCodeOf(await request(path, { fields }))).toBe("100/-");
    }
  });

  test("of another user is not visible", async ({ expect }) => {
    const { request } = await createClient();
    expect(await errorCodeOf(await request("/17841400008460063"))).toBe("100/33");
  });

  test("an unsupported version is refused before the token is checked", async ({ expect }) => {
    for (const version of ["v20.0", "v28.0", "v3"]) {
      expect(await errorCodeOf(await get(`/${version}/me`))).toBe("2635/-");
    }
    expect((await readMe(await requestLongToken(), "v21.0")).status).toBe(200);
  });

  test("the sandbox refuses a token in the URL, which ends up in logs", async ({ expect }) => {
    expect(await errorCodeOf(await get("/v25.0/me", { access_token: await requestLongToken() }))).toBe("100/-");
  });

  test("every response has the usage headers", async ({ expect }) => {
    const response = await (await createClient()).request("/me");
    expect(JSON.parse(response.headers.get("x-app-usage") ?? "")).toHaveProperty("call_count");
    expect(JSON.parse(response.headers.get("x-business-use-case-usage") ?? "")).toHaveProperty("17841400008460057");
  });
});

describe("permissions", () => {
  test("a user who declined the publishing scope cannot publish, and the token response shows it", async ({
    expect,
  }) => {
    const overrides = { untick: "instagram_business_content_publish" };
    const response = await requestToken(codeGrantForm(await requestCode(overrides)));
    expect(await response.json()).toMatchObject({ data: [{ permissions: "instagram_business_basic" }] });
    const { request, post } = await createClient(overrides);
    expect((await request("/me")).status).toBe(200);
    const refused = await post("/me/media", { image_url: "http://localhost:8787/sandbox/media/portrait.jpg" });
    expect([refused.status, await errorCodeOf(refused)]).toEqual([403, "10/-"]);
  });

  test("a personal account cannot publish", async ({ expect }) => {
    const { post, request } = await createClient({ login: "ben" });
    expect(
      await errorCodeOf(await post("/me/media", { image_url: "http://localhost:8787/sandbox/media/portrait.jpg" })),
    ).toBe("10/-");
    expect(await errorCodeOf(await request("/me/content_publishing_limit"))).toBe("10/-");
  });

  test("media cannot be deleted with this login", async ({ expect }) => {
    const response = await callGraph("https://graph.instagram.com/v25.0/17920238422030506", {
      method: "DELETE",
      headers: { authorization: `Bearer ${await requestLongToken()}` },
    });
    expect(response.status).toBe(400);
  });
});

test("a call proves that the app knows its secret, unless a setting says otherwise", async ({ expect }) => {
  const { request } = await createClient();
  const wrong = { appsecret_proof: "0".repeat(64) };
  const missing = { appsecret_proof: "" };
  expect((await request("/me")).status).toBe(200);
  expect(await errorCodeOf(await request("/me", wrong))).toBe("100/-");
  expect(await errorCodeOf(await request("/me", missing))).toBe("100/-");
  await changeSettings("instagram", { require_proof: false });
  expect((await request("/me", missing)).status).toBe(200);
  expect(await errorCodeOf(await request("/me", wrong))).toBe("100/-");
  await changeSettings("instagram", { refuse_proof: true });
  expect(await errorCodeOf(await request("/me"))).toBe("100/-");
  expect((await request("/me", missing)).status).toBe(200);
  await changeSettings("instagram", { require_proof: null, refuse_proof: null });
});

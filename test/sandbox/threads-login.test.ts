import { describe, test, vi } from "vitest";
import { postJson, changeSettings } from "./sandbox-api.ts";
import {
  APP,
  authorize,
  callGraph,
  requestCode,
  codeGrantForm,
  exchangeToken,
  get,
  requestLongToken,
  errorCodeOf,
  createClient,
  REDIRECT,
  refreshToken,
  requestShortToken,
  requestToken,
} from "./threads-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const DAY = 86_400;

describe("the authorize page", () => {
  test.for<[what: string, overrides: Record<string, string>]>([
    ["another client", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["scopes without threads_basic", { scope: "threads_content_publish" }],
    ["no redirect_uri", { redirect_uri: "" }],
    ["a scope that does not exist", { scope: "threads_basic,threads_post" }],
    ["a scope that the app was not approved for", { scope: "threads_basic,threads_manage_insights" }],
    ["an unknown parameter", { prompt: "consent" }],
  ])("refuses %s without a redirect", async ([, overrides], { expect }) => {
    const response = await authorize(overrides);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test.for(["threads.net", "www.threads.net", "threads.com", "www.threads.com"])(
    "at %s redirects with code, state and the fragment #_",
    async (host, { expect }) => {
      const redirect = new URL((await authorize({}, host)).headers.get("location") ?? "");
      expect(redirect.origin + redirect.pathname + redirect.hash).toBe(`${REDIRECT}#_`);
      expect(Object.fromEntries(redirect.searchParams)).toEqual({
        code: expect.stringMatching(/^AQB/) as string,
        state: "s1",
      });
    },
  );

  test("redirects with an error when the user declines", async ({ expect }) => {
    const redirect = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(redirect.searchParams)).toMatchObject({
      error: "access_denied",
      error_reason: "user_denied",
    });
  });
});

describe("the short-lived token", () => {
  test("has a user_id that JavaScript rounds", async ({ expect }) => {
    const text = await (await requestToken(codeGrantForm(await requestCode()))).text();
    expect(text).toMatch(/^\{"access_token":"TH[\w-]+","user_id":17841405793187219\}$/);
    expect(String((JSON.parse(text) as { user_id: number }).user_id)).not.toBe("17841405793187219");
  });

  test("is given once for a code, within an hour and with the app's secret", async ({ expect }) => {
    const form = codeGrantForm(await requestCode());
    expect(await errorCodeOf(await requestToken({ ...form, client_secret: "x" }))).toBe("400 101/-");
    expect(await errorCodeOf(await requestToken({ ...form, redirect_uri: "https://example.com/" }))).toBe("400 100/-");
    expect((await requestToken(form)).status).toBe(200);
    expect(await errorCodeOf(await requestToken(form))).toBe("400 100/-");
    const late = codeGrantForm(await requestCode());
    advanceSeconds(3600);
    expect(await errorCodeOf(await requestToken(late))).toBe("400 100/-");
  });

  test("is valid for an hour and cannot be exchanged after that", async ({ expect }) => {
    const token = await requestShortToken();
    expect(await errorCodeOf(await exchangeToken(token, "x"))).toBe("400 101/-");
    expect(await (await exchangeToken(token)).json()).toEqual({
      access_token: expect.any(String) as string,
      token_type: "bearer",
      expires_in: 5_183_944,
    });
    advanceSeconds(3600);
    expect(await errorCodeOf(await exchangeToken(token))).toBe("401 190/463");
  });
});

describe("the long-lived token", () => {
  test("can be refreshed when it is a day old and not expired", async ({ expect }) => {
    const token = await requestLongToken();
    expect(await errorCodeOf(await refreshToken(token))).toBe("400 100/-");
    advanceSeconds(DAY);
    const response = await refreshToken(token);
    expect(await response.json()).toMatchObject({ token_type: "bearer", expires_in: 5_183_944 });
    expect(await errorCodeOf(await refreshToken(await requestShortToken()))).toBe("400 100/-");
    advanceSeconds(5_183_944);
    expect(await errorCodeOf(await refreshToken(token))).toBe("401 190/463");
  });

  test("can be inspected with the token of a tester only", async ({ expect }) => {
    const token = await requestLongToken({ untick: "threads_delete" });
    const debug = (access_token: string) => get("/debug_token", { access_token, input_token: token });
    expect(await errorCodeOf(await debug(token))).toBe("403 10/-");
    await changeSettings("threads", { testers: "ben,ada" });
    expect(await (await debug(token)).json()).toMatchObject({
      data: {
        is_valid: true,
        scopes: ["threads_basic", "threads_content_publish"],
        user_id: "17841405793187219",
        expires_at: Math.floor((Date.now() + 5_183_944_000) / 1000),
      },
    });
    expect(await errorCodeOf(await debug("x"))).toBe("401 190/463");
    await changeSettings("threads", { testers: null });
  });

  test("is revoked when the user revokes the app's access", async ({ expect }) => {
    const ben = await createClient({ login: "ben" });
    await postJson("/sandbox/platforms/threads/revoke", { account: "17841405793187333" });
    expect(await errorCodeOf(await ben.request("/me"))).toBe("401 190/458");
  });
});

describe("a call", () => {
  test("reads the profile at both hosts, by header; a token in the URL is refused; ids are strings", async ({
    expect,
  }) => {
    const ada = await createClient();
    const fields = "id,username,name,threads_profile_picture_url";
    const profile = {
      id: "17841405793187219",
      username: "ada_threads",
      name: "Ada Example",
      threads_profile_picture_url: expect.any(String) as string,
    };
    expect(await (await ada.request("/me", { fields })).json()).toEqual(profile);
    const url = `https://graph.threads.com/v1.0/17841405793187219?fields=${fields}`;
    const fromOtherHost = await callGraph(url, { headers: { authorization: `Bearer ${ada.token}` } });
    expect(await errorCodeOf(await get("/v1.0/me", { access_token: ada.token }))).toBe("400 100/-");
    expect(await fromOtherHost.json()).toEqual(profile);
    expect(fromOtherHost.headers.get("x-app-usage")).toContain("call_count");
    expect(await errorCodeOf(await ada.request("/me", { fields: "id,email" }))).toBe("400 100/-");
  });

  test("needs a token, the version and the scopes", async ({ expect }) => {
    expect(await errorCodeOf(await get("/v1.0/me"))).toBe("401 190/-");
    const ada = await createClient();
    expect(await errorCodeOf(await get("/v2.0/me", { access_token: ada.token }))).toBe("400 2635/-");
    const reader = await createClient({ scope: "threads_basic" });
    expect(await errorCodeOf(await reader.post("/me/threads", { media_type: "TEXT", text: "a" }))).toBe("403 10/-");
    expect(await errorCodeOf(await reader.publishContainer("1"))).toBe("403 10/-");
    expect(await errorCodeOf(await reader.request("/me/threads_publishing_limit"))).toBe("403 10/-");
    expect(await errorCodeOf(await reader.request("/1", {}, "DELETE"))).toBe("403 10/-");
    const { client_id: _id, ...withoutClientId } = APP;
    expect(await errorCodeOf(await requestToken(withoutClientId))).toBe("400 101/-");
  });

  test("is refused after the setting token_lifetime_s", async ({ expect }) => {
    await changeSettings("threads", { token_lifetime_s: 60 });
    const ada = await createClient();
    await changeSettings("threads", { token_lifetime_s: null });
    advanceSeconds(60);
    expect(await errorCodeOf(await ada.request("/me"))).toBe("401 190/463");
  });
});

test("a call proves that the app knows its secret, unless a setting says otherwise", async ({ expect }) => {
  const { request } = await createClient();
  const wrong = { appsecret_proof: "0".repeat(64) };
  const missing = { appsecret_proof: "" };
  expect((await request("/me")).status).toBe(200);
  expect(await errorCodeOf(await request("/me", wrong))).toBe("400 100/-");
  expect(await errorCodeOf(await request("/me", missing))).toBe("400 100/-");
  await changeSettings("threads", { require_proof: false });
  expect((await request("/me", missing)).status).toBe(200);
  expect(await errorCodeOf(await request("/me", wrong))).toBe("400 100/-");
  await changeSettings("threads", { refuse_proof: true });
  expect(await errorCodeOf(await request("/me"))).toBe("400 100/-");
  expect((await request("/me", missing)).status).toBe(200);
  await changeSettings("threads", { require_proof: null, refuse_proof: null });
});

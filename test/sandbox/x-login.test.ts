import { describe, test, vi } from "vitest";
import { changeSettings } from "./sandbox-api.ts";
import { callPlatform } from "./call-platform.ts";
import {
  ALL_SCOPES,
  authorizeUrl,
  BASIC_AUTH,
  s256Challenge,
  requestCode,
  codeGrantForm,
  createClient,
  REDIRECT,
  requestToken,
  type Tokens,
  requestTokens,
  VERIFIER,
} from "./x-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });

const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const readMe = (token: string) =>
  callPlatform("https://api.x.com/2/users/me", { headers: { authorization: `Bearer ${token}` } });

describe("authorize", () => {
  test.for<[what: string, overrides: Record<string, string | null>]>([
    ["another client", { client_id: "someone-else" }],
    ["no redirect_uri", { redirect_uri: null }],
    ["a redirect_uri that is not an http URL", { redirect_uri: "javascript:alert(1)" }],
    ["another response_type", { response_type: "token" }],
    ["an unknown scope", { scope: "tweet.read tweet.fly" }],
    ["no state", { state: null }],
    ["a state over 500 characters", { state: "s".repeat(501) }],
    ["no code_challenge: PKCE is mandatory", { code_challenge: null }],
    ["an unknown challenge method", { code_challenge_method: "S512" }],
  ])("shows an error page for %s", async ([, overrides], { expect }) => {
    const response = await callPlatform(String(await authorizeUrl(overrides)));
    expect(response.status).toBe(400);
    expect(response.headers.get("location")).toBeNull();
  });
});

describe("the code", () => {
  test("gives an access token for two hours and a refresh token", async ({ expect }) => {
    const response = await requestToken(codeGrantForm(await requestCode("ada")));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      token_type: "bearer",
      expires_in: 7200,
      access_token: expect.stringMatching(/^\S{20,}$/) as string,
      refresh_token: expect.stringMatching(/^\S{20,}$/) as string,
      scope: ALL_SCOPES,
    });
  });

  test("is valid for 30 seconds", async ({ expect }) => {
    const [early, late] = [await requestCode("ada"), await requestCode("ada")];
    advanceSeconds(29);
    expect((await requestToken(codeGrantForm(early))).status).toBe(200);
    advanceSeconds(1);
    expect((await requestToken(codeGrantForm(late))).status).toBe(400);
  });

  test("can be used once, also by concurrent calls", async ({ expect }) => {
    const code = await requestCode("ada");
    const responses = await Promise.all([1, 2, 3].map(() => requestToken(codeGrantForm(code))));
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
  });

  test.for<[what: string, overrides: Record<string, string>]>([
    ["another verifier", { code_verifier: "w".repeat(64) }],
    ["a verifier that is too short", { code_verifier: "v".repeat(42) }],
    ["another redirect_uri", { redirect_uri: `${REDIRECT}/` }],
    ["another code", { code: "invented" }],
    ["another grant type", { grant_type: "password" }],
  ])("is refused with %s", async ([, overrides], { expect }) => {
    const response = await requestToken({ ...codeGrantForm(await requestCode("ada")), ...overrides });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: expect.any(String) as string,
      error_description: expect.any(String) as string,
    });
  });

  test("works with a plain challenge", async ({ expect }) => {
    const url = await authorizeUrl({ code_challenge: VERIFIER, code_challenge_method: "plain" });
    const response = await callPlatform(String(url));
    const code = new URL(response.headers.get("location") ?? "").searchParams.get("code") ?? "";
    expect((await requestToken({ ...codeGrantForm(code), code_verifier: await s256Challenge(VERIFIER) })).status).toBe(
      400,
    );
    expect((await requestToken(codeGrantForm(code))).status).toBe(200);
  });

  test("needs client authentication and a form body", async ({ expect }) => {
    const form = codeGrantForm(await requestCode("ada"));
    const anonymous = await requestToken({ ...form, client_id: "sandbox-x" }, null);
    expect([anonymous.status, (await requestToken(form, `Basic ${btoa("sandbox-x:guess")}`)).status]).toEqual([
      401, 401,
    ]);
    expect((await requestToken(form, "Basic !!!")).status).toBe(401);
    const json = await callPlatform("https://api.x.com/2/oauth2/token", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: BASIC_AUTH },
      body: JSON.stringify(form),
    });
    expect(json.status).toBe(400);
    expect((await requestToken(form)).status).toBe(200);
  });
});

describe("tokens", () => {
  test("an access token expires after 7200 seconds or the lifetime in the settings", async ({ expect }) => {
    const { access_token } = await requestTokens("ada");
    advanceSeconds(7199);
    expect((await readMe(access_token)).status).toBe(200);
    advanceSeconds(1);
    const expired = await readMe(access_token);
    expect(expired.status).toBe(401);
    expect(await expired.json()).toEqual({
      title: "Unauthorized",
      type: "about:blank",
      status: 401,
      detail: "Unauthorized",
    });

    await changeSettings("x", { token_lifetime_s: 5 });
    const short = await requestTokens("ada");
    expect(short.expires_in).toBe(5);
    advanceSeconds(5);
    expect((await readMe(short.access_token)).status).toBe(401);
    await changeSettings("x", { token_lifetime_s: null });
  });

  const refresh = (refresh_token: string) => requestToken({ grant_type: "refresh_token", refresh_token });

  test("a refresh gives two new tokens, and the old refresh token is invalid at once", async ({ expect }) => {
    const first = await requestTokens("ada");
    const response = await refresh(first.refresh_token);
    const second = await response.json<Tokens>();
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await readMe(second.access_token)).status).toBe(200);
    const again = await refresh(first.refresh_token);
    expect(again.status).toBe(400);
    expect(await again.json()).toEqual({
      error: "invalid_request",
      error_description: "Value passed for the token was invalid.",
    });
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });

  test("of two concurrent refreshes one succeeds", async ({ expect }) => {
    const { refresh_token } = await requestTokens("ada");
    const responses = await Promise.all([refresh(refresh_token), refresh(refresh_token)]);
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  test("there is no refresh token without offline.access", async ({ expect }) => {
    expect(await requestTokens("ada", "tweet.read users.read")).not.toHaveProperty("refresh_token");
  });

  test("revoking the refresh token revokes its grant and no other", async ({ expect }) => {
    const [first, second] = [await requestTokens("ada"), await requestTokens("ada")];
    const revoked = await callPlatform("https://api.x.com/2/oauth2/revoke", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: BASIC_AUTH },
      body: new URLSearchParams({ token: first.refresh_token, token_type_hint: "refresh_token" }).toString(),
    });
    expect([revoked.status, await revoked.json()]).toEqual([200, { revoked: true }]);
    expect((await readMe(first.access_token)).status).toBe(401);
    expect((await refresh(first.refresh_token)).status).toBe(400);
    expect((await readMe(second.access_token)).status).toBe(200);
  });
});

describe("scopes", () => {
  test.for<[scope: string, method: string, path: string, body?: object]>([
    ["tweet.write users.read tweet.read", "POST", "/2/media/upload", { media: "" }],
    ["tweet.write users.read tweet.read", "POST", "/2/media/upload/initialize", { total_bytes: 1 }],
    ["users.read tweet.read media.write", "POST", "/2/tweets", { text: "x" }],
    ["tweet.read", "GET", "/2/users/me"],
  ])("with %s alone, %s %s is forbidden", async ([scope, method, path, body], { expect }) => {
    const response = await (await createClient("ada", scope)).callApi(method, path, body);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      title: "Forbidden",
      type: "about:blank",
      status: 403,
      detail: "Forbidden",
    });
  });
});

describe("the profile", () => {
  test.for([
    ["ada", "2244994945", "Premium", true],
    ["ben", "2244994946", "None", false],
  ] as const)("of %s", async ([login, id, subscription, verified], { expect }) => {
    const { callApi } = await createClient(login);
    const bare = await callApi("GET", "/2/users/me");
    expect(Object.keys((await bare.json<{ data: object }>()).data)).toEqual(["id", "name", "username"]);
    const full = await callApi("GET", "/2/users/me?user.fields=profile_image_url,verified,subscription_type,protected");
    expect(await full.json()).toEqual({
      data: {
        id,
        name: expect.any(String) as string,
        username: `${login}_example`,
        profile_image_url: expect.stringMatching(/_normal\.jpg$/) as string,
        verified,
        subscription_type: subscription,
        protected: false,
      },
    });
    expect((await callApi("GET", "/2/users/me?user.fields=shoe_size")).status).toBe(400);
  });

  test("can be read 75 times in 15 minutes; every response tells how many calls remain", async ({ expect }) => {
    const { callApi } = await createClient("ben");
    advanceSeconds(3600);
    const first = await callApi("GET", "/2/users/me");
    expect(first.headers.get("x-rate-limit-limit")).toBe("75");
    expect(first.headers.get("x-rate-limit-remaining")).toBe("74");
    const reset = Number(first.headers.get("x-rate-limit-reset"));
    expect(reset - Date.now() / 1000).toBeGreaterThan(890);
    for (let used = 1; used < 75; used += 1) {
      await callApi("GET", "/2/users/me");
    }
    const limited = await callApi("GET", "/2/users/me");
    expect(limited.status).toBe(429);
    expect(limited.headers.get("x-rate-limit-reset")).toBe(String(reset));
    expect(await limited.json()).toMatchObject({ title: "Too Many Requests", status: 429 });
    vi.setSystemTime(reset * 1000);
    expect((await callApi("GET", "/2/users/me")).status).toBe(200);
  });
});

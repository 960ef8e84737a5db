import { describe, test, vi } from "vitest";
import { settings } from "./help.ts";
import { call } from "./outbound.ts";
import {
  ALL_SCOPES,
  authorizeUrl,
  BASIC,
  challengeOf,
  codeFor,
  codeForm,
  person,
  REDIRECT,
  tokenCall,
  type Tokens,
  tokensOf,
  VERIFIER,
} from "./x-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const me = (token: string) => call("https://api.x.com/2/users/me", { headers: { authorization: `Bearer ${token}` } });

describe("authorize", () => {
  test.for<[what: string, change: Record<string, string | null>]>([
    ["another client", { client_id: "someone-else" }],
    ["no redirect_uri", { redirect_uri: null }],
    ["a redirect_uri that is no web address", { redirect_uri: "javascript:alert(1)" }],
    ["another response_type", { response_type: "token" }],
    ["an unknown scope", { scope: "tweet.read tweet.fly" }],
    ["no state", { state: null }],
    ["a state over 500 characters", { state: "s".repeat(501) }],
    ["no code_challenge: PKCE is mandatory", { code_challenge: null }],
    ["an unknown challenge method", { code_challenge_method: "S512" }],
  ])("shows an error page for %s", async ([, change], { expect }) => {
    const answer = await call(String(await authorizeUrl(change)));
    expect(answer.status).toBe(400);
    expect(answer.headers.get("location")).toBeNull();
  });
});

describe("the code", () => {
  test("gives a pair of tokens for two hours", async ({ expect }) => {
    const answer = await tokenCall(codeForm(await codeFor("ada")));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      token_type: "bearer",
      expires_in: 7200,
      access_token: expect.stringMatching(/^\S{20,}$/) as string,
      refresh_token: expect.stringMatching(/^\S{20,}$/) as string,
      scope: ALL_SCOPES,
    });
  });

  test("is good for 30 seconds", async ({ expect }) => {
    const [early, late] = [await codeFor("ada"), await codeFor("ada")];
    pass(29);
    expect((await tokenCall(codeForm(early))).status).toBe(200);
    pass(1);
    expect((await tokenCall(codeForm(late))).status).toBe(400);
  });

  test("is good once, also for callers at the same moment", async ({ expect }) => {
    const code = await codeFor("ada");
    const answers = await Promise.all([1, 2, 3].map(() => tokenCall(codeForm(code))));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
  });

  test.for<[what: string, change: Record<string, string>]>([
    ["another verifier", { code_verifier: "w".repeat(64) }],
    ["a verifier that is too short", { code_verifier: "v".repeat(42) }],
    ["another redirect_uri", { redirect_uri: `${REDIRECT}/` }],
    ["another code", { code: "invented" }],
    ["another grant type", { grant_type: "password" }],
  ])("is refused with %s", async ([, change], { expect }) => {
    const answer = await tokenCall({ ...codeForm(await codeFor("ada")), ...change });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: expect.any(String) as string,
      error_description: expect.any(String) as string,
    });
  });

  test("also works with a plain challenge", async ({ expect }) => {
    const url = await authorizeUrl({ code_challenge: VERIFIER, code_challenge_method: "plain" });
    const answer = await call(String(url));
    const code = new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
    expect((await tokenCall({ ...codeForm(code), code_verifier: await challengeOf(VERIFIER) })).status).toBe(400);
    expect((await tokenCall(codeForm(code))).status).toBe(200);
  });

  test("needs the client to prove itself, as a form", async ({ expect }) => {
    const form = codeForm(await codeFor("ada"));
    const anonymous = await tokenCall({ ...form, client_id: "sandbox-x" }, null);
    expect([anonymous.status, (await tokenCall(form, `Basic ${btoa("sandbox-x:guess")}`)).status]).toEqual([401, 401]);
    expect((await tokenCall(form, "Basic !!!")).status).toBe(401);
    const json = await call("https://api.x.com/2/oauth2/token", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: BASIC },
      body: JSON.stringify(form),
    });
    expect(json.status).toBe(400);
    expect((await tokenCall(form)).status).toBe(200);
  });
});

describe("tokens", () => {
  test("an access token dies after 7200 seconds, or as the settings say", async ({ expect }) => {
    const { access_token } = await tokensOf("ada");
    pass(7199);
    expect((await me(access_token)).status).toBe(200);
    pass(1);
    const dead = await me(access_token);
    expect(dead.status).toBe(401);
    expect(await dead.json()).toEqual({
      title: "Unauthorized",
      type: "about:blank",
      status: 401,
      detail: "Unauthorized",
    });

    await settings("x", { token_lifetime_s: 5 });
    const short = await tokensOf("ada");
    expect(short.expires_in).toBe(5);
    pass(5);
    expect((await me(short.access_token)).status).toBe(401);
    await settings("x", { token_lifetime_s: null });
  });

  const refresh = (refresh_token: string) => tokenCall({ grant_type: "refresh_token", refresh_token });

  test("a refresh gives a new pair, and the old refresh token is spent at once", async ({ expect }) => {
    const first = await tokensOf("ada");
    const answer = await refresh(first.refresh_token);
    const second = await answer.json<Tokens>();
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await me(second.access_token)).status).toBe(200);
    const again = await refresh(first.refresh_token);
    expect(again.status).toBe(400);
    expect(await again.json()).toEqual({
      error: "invalid_request",
      error_description: "Value passed for the token was invalid.",
    });
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });

  test("of two refreshes at the same moment one wins", async ({ expect }) => {
    const { refresh_token } = await tokensOf("ada");
    const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token)]);
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  test("there is no refresh token without offline.access", async ({ expect }) => {
    expect(await tokensOf("ada", "tweet.read users.read")).not.toHaveProperty("refresh_token");
  });

  test("revoking the refresh token ends the grant and no other", async ({ expect }) => {
    const [mine, other] = [await tokensOf("ada"), await tokensOf("ada")];
    const revoked = await call("https://api.x.com/2/oauth2/revoke", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: BASIC },
      body: new URLSearchParams({ token: mine.refresh_token, token_type_hint: "refresh_token" }).toString(),
    });
    expect([revoked.status, await revoked.json()]).toEqual([200, { revoked: true }]);
    expect((await me(mine.access_token)).status).toBe(401);
    expect((await refresh(mine.refresh_token)).status).toBe(400);
    expect((await me(other.access_token)).status).toBe(200);
  });
});

describe("scopes", () => {
  test.for<[scope: string, method: string, path: string]>([
    ["tweet.write users.read tweet.read", "POST", "/2/media/upload"],
    ["tweet.write users.read tweet.read", "POST", "/2/media/upload/initialize"],
    ["users.read tweet.read media.write", "POST", "/2/tweets"],
    ["tweet.read", "GET", "/2/users/me"],
  ])("with %s alone, %s %s is forbidden", async ([scope, method, path], { expect }) => {
    const answer = await (await person("ada", scope)).api(method, path, method === "POST" ? { text: "x" } : undefined);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ title: "Forbidden", type: "about:blank", status: 403, detail: "Forbidden" });
  });
});

describe("the profile", () => {
  test.for([
    ["ada", "2244994945", "Premium", true],
    ["ben", "2244994946", "None", false],
  ] as const)("of %s", async ([login, id, subscription, verified], { expect }) => {
    const { api } = await person(login);
    const bare = await api("GET", "/2/users/me");
    expect(Object.keys((await bare.json<{ data: object }>()).data)).toEqual(["id", "name", "username"]);
    const full = await api("GET", "/2/users/me?user.fields=profile_image_url,verified,subscription_type,protected");
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
    expect((await api("GET", "/2/users/me?user.fields=shoe_size")).status).toBe(400);
  });

  test("can be read 75 times in a quarter of an hour; every answer says what is left", async ({ expect }) => {
    const { api } = await person("ben");
    pass(3600);
    const first = await api("GET", "/2/users/me");
    expect(first.headers.get("x-rate-limit-limit")).toBe("75");
    expect(first.headers.get("x-rate-limit-remaining")).toBe("74");
    const reset = Number(first.headers.get("x-rate-limit-reset"));
    expect(reset - Date.now() / 1000).toBeGreaterThan(890);
    for (let used = 1; used < 75; used += 1) {
      await api("GET", "/2/users/me");
    }
    const spent = await api("GET", "/2/users/me");
    expect(spent.status).toBe(429);
    expect(spent.headers.get("x-rate-limit-reset")).toBe(String(reset));
    expect(await spent.json()).toMatchObject({ title: "Too Many Requests", status: 429 });
    vi.setSystemTime(reset * 1000);
    expect((await api("GET", "/2/users/me")).status).toBe(200);
  });
});

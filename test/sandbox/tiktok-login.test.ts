import { afterEach, describe, test, vi } from "vitest";
import { postJson, changeSettings } from "./sandbox-api.ts";
import {
  APP,
  authorize,
  requestCode,
  codeGrantForm,
  postForm,
  createClient,
  REDIRECT,
  refreshGrantForm,
  SCOPES,
  requestToken,
  type Tokens,
  requestTokens,
  errorCodeOf,
} from "./tiktok-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

const INFO = "/v2/user/info/?fields=open_id,display_name,avatar_url";
const errorOf = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.json<{ error: string }>()).error}`;

describe("the authorize page", () => {
  test.for<[what: string, overrides: Record<string, string>]>([
    ["another app", { client_key: "somebody" }],
    ["client_id instead of client_key", { client_key: "", client_id: APP.client_key }],
    ["another response type", { response_type: "token" }],
    ["a redirect_uri with a query", { redirect_uri: `${REDIRECT}?a=1` }],
    ["a redirect_uri with a fragment", { redirect_uri: `${REDIRECT}#a` }],
    ["no redirect_uri", { redirect_uri: "" }],
  ])("refuses %s without a redirect", async ([, overrides], { expect }) => {
    const response = await authorize(overrides);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test("redirects with code, scopes and state", async ({ expect }) => {
    const response = await authorize();
    const back = new URL(response.headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/[*!]/) as string,
      scopes: SCOPES,
      state: "s1",
    });
  });

  test("redirects with access_denied", async ({ expect }) => {
    const back = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: "s1" });
  });
});

describe("a scope that the app is not approved for", () => {
  afterEach(() => changeSettings("tiktok", { approved_scopes: SCOPES, scope_refusal: null }));
  const scopesBack = async (scope: string, login = "ada") =>
    Object.fromEntries(new URL((await authorize({ scope, login })).headers.get("location") ?? "").searchParams);

  test("refuses the whole login, before the user is asked", async ({ expect }) => {
    await changeSettings("tiktok", { approved_scopes: null });
    const refused = { error: "invalid_scope", error_type: "scope", state: "s1" };
    expect(await scopesBack("user.info.basic,video.publish")).toMatchObject({
      scopes: "user.info.basic,video.publish",
    });
    for (const scope of ["video.upload", "video.list", "user.info.profile", "user.info.stats"]) {
      expect(await scopesBack(`user.info.basic,video.publish,${scope}`, "-"), scope).toEqual(refused);
    }
    expect(await scopesBack("")).toEqual(refused);
  });

  test("may leave the user on TikTok's own page", async ({ expect }) => {
    await changeSettings("tiktok", { approved_scopes: "user.info.basic", scope_refusal: "page" });
    const response = await authorize();
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining("error=invalid_scope&error_type=scope") as string,
    ]);
  });
});

describe("the token endpoint", () => {
  test("gives tokens for two hours and 180 days, with commas between the scopes", async ({ expect }) => {
    expect(await requestTokens()).toEqual({
      open_id: "_000ada",
      scope: SCOPES,
      access_token: expect.stringMatching(/^act\./) as string,
      expires_in: 7200,
      refresh_token: expect.stringMatching(/^rft\./) as string,
      refresh_expires_in: 15_552_000,
      token_type: "Bearer",
    });
  });

  test("leaves out the scopes that the user deselected", async ({ expect }) => {
    expect((await requestTokens({ untick: "video.list,video.upload" })).scope).toBe("user.info.basic,video.publish");
  });

  test("accepts a code once, within ten minutes, with the same redirect_uri and the app's secret", async ({
    expect,
  }) => {
    const code = await requestCode();
    expect(await errorOf(await requestToken({ ...codeGrantForm(code), client_secret: "x" }))).toBe(
      "401 invalid_client",
    );
    expect(await errorOf(await requestToken({ ...codeGrantForm(code), redirect_uri: "http://localhost:8787/b" }))).toBe(
      "400 invalid_grant",
    );
    expect((await requestToken(codeGrantForm(code))).status).toBe(200);
    expect(await errorOf(await requestToken(codeGrantForm(code)))).toBe("400 invalid_grant");
    const old = await requestCode();
    advanceSeconds(600);
    expect(await errorOf(await requestToken(codeGrantForm(old)))).toBe("400 invalid_grant");
  });

  test("accepts only a form, and only the two grant types", async ({ expect }) => {
    expect(await errorOf(await requestToken(codeGrantForm(await requestCode()), "application/json"))).toBe(
      "400 invalid_request",
    );
    expect(await errorOf(await requestToken({ ...APP, grant_type: "password" }))).toBe("400 unsupported_grant_type");
  });

  test("rotates: the old refresh token is invalid at once, also for concurrent calls", async ({ expect }) => {
    const first = await requestTokens();
    const second = await (await requestToken(refreshGrantForm(first.refresh_token))).json<Tokens>();
    expect(second).toMatchObject({ open_id: "_000ada", scope: SCOPES });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await errorOf(await requestToken(refreshGrantForm(first.refresh_token)))).toBe("400 invalid_grant");
    const both = await Promise.all([1, 2].map(() => requestToken(refreshGrantForm(second.refresh_token))));
    expect(both.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  test("can answer errors with status 200", async ({ expect }) => {
    await changeSettings("tiktok", { errors_as_200: true });
    expect(await errorOf(await requestToken(refreshGrantForm("rft.nobody")))).toBe("200 invalid_grant");
    await changeSettings("tiktok", { errors_as_200: false });
  });

  test("can use the lifetimes that were documented before November 2026", async ({ expect }) => {
    await changeSettings("tiktok", { old_lifetimes: true });
    expect(await requestTokens()).toMatchObject({ expires_in: 86_400, refresh_expires_in: 31_536_000 });
    await changeSettings("tiktok", { old_lifetimes: false });
  });
});

describe("a token", () => {
  test("reads its user, only the requested fields", async ({ expect }) => {
    const ada = await createClient();
    expect(await (await ada.get(INFO)).json()).toEqual({
      data: { user: { open_id: "_000ada", display_name: "Ada", avatar_url: expect.any(String) as string } },
      error: { code: "ok", message: "", log_id: expect.stringMatching(/^\d+$/) as string },
    });
    expect(await errorCodeOf(await ada.get("/v2/user/info/"))).toBe("400 invalid_params");
    expect(await errorCodeOf(await ada.get("/v2/user/info/?fields=username"))).toBe("401 scope_not_authorized");
    await changeSettings("tiktok", { approved_scopes: `${SCOPES},user.info.profile` });
    const withProfile = await createClient({ scope: `${SCOPES},user.info.profile` });
    await changeSettings("tiktok", { approved_scopes: SCOPES });
    expect(await (await withProfile.get("/v2/user/info/?fields=username")).json()).toMatchObject({
      data: { user: { username: "ada_moves" } },
    });
  });

  test("is valid for two hours", async ({ expect }) => {
    const ada = await createClient();
    advanceSeconds(7199);
    expect((await ada.get(INFO)).status).toBe(200);
    advanceSeconds(1);
    expect(await errorCodeOf(await ada.get(INFO))).toBe("401 access_token_invalid");
  });

  test("is revoked together with its refresh token", async ({ expect }) => {
    const ada = await createClient();
    const token = ada.tokens.access_token;
    expect(await errorOf(await postForm("/v2/oauth/revoke/", { ...APP, client_secret: "x", token }))).toBe(
      "401 invalid_client",
    );
    const response = await postForm("/v2/oauth/revoke/", { ...APP, token });
    expect([response.status, await response.json()]).toEqual([200, {}]);
    expect(await errorCodeOf(await ada.get(INFO))).toBe("401 access_token_invalid");
    expect(await errorOf(await requestToken(refreshGrantForm(ada.tokens.refresh_token)))).toBe("400 invalid_grant");
  });

  test("is invalid once the user revokes access", async ({ expect }) => {
    const ben = await createClient({ login: "ben" });
    await postJson("/sandbox/platforms/tiktok/revoke", { account: "_000ben" });
    expect(await errorCodeOf(await ben.get(INFO))).toBe("401 access_token_invalid");
  });

  test.for<[path: string, scope: string]>([
    ["/v2/post/publish/creator_info/query/", "video.publish"],
    ["/v2/post/publish/video/init/", "video.publish"],
    ["/v2/post/publish/inbox/video/init/", "video.upload"],
    ["/v2/video/list/?fields=id", "video.list"],
    ["/v2/video/query/?fields=id", "video.list"],
  ])("without its scope is refused at %s", async ([path, scope], { expect }) => {
    const ada = await createClient({ untick: scope });
    expect(await errorCodeOf(await ada.post(path))).toBe("401 scope_not_authorized");
  });
});

import { describe, test, vi } from "vitest";
import { post as control, settings } from "./help.ts";
import {
  APP,
  authorize,
  codeFor,
  codeForm,
  form,
  person,
  REDIRECT,
  refreshForm,
  SCOPES,
  tokenCall,
  type Tokens,
  tokensOf,
  wordOf,
} from "./tiktok-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

const INFO = "/v2/user/info/?fields=open_id,display_name,avatar_url";
const errorOf = async (answer: Response): Promise<string> =>
  `${answer.status} ${(await answer.json<{ error: string }>()).error}`;

describe("the authorize page", () => {
  test.for<[what: string, change: Record<string, string>]>([
    ["another app", { client_key: "somebody" }],
    ["client_id instead of client_key", { client_key: "", client_id: APP.client_key }],
    ["another response type", { response_type: "token" }],
    ["an address to go back to with a query", { redirect_uri: `${REDIRECT}?a=1` }],
    ["an address to go back to with a fragment", { redirect_uri: `${REDIRECT}#a` }],
    ["no address to go back to", { redirect_uri: "" }],
  ])("refuses %s without sending anybody back", async ([, change], { expect }) => {
    const answer = await authorize(change);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test("lists who one can be; gives code, scopes and state", async ({ expect }) => {
    const answer = await authorize();
    const back = new URL(answer.headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/[*!]/) as string,
      scopes: SCOPES,
      state: "s1",
    });
  });

  test("sends back who says no", async ({ expect }) => {
    const back = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: "s1" });
  });
});

describe("the token endpoint", () => {
  test("gives two hours and 180 days, flat, with commas between the scopes", async ({ expect }) => {
    expect(await tokensOf()).toEqual({
      open_id: "_000ada",
      scope: SCOPES,
      access_token: expect.stringMatching(/^act\./) as string,
      expires_in: 7200,
      refresh_token: expect.stringMatching(/^rft\./) as string,
      refresh_expires_in: 15_552_000,
      token_type: "Bearer",
    });
  });

  test("leaves out the scopes that were not ticked", async ({ expect }) => {
    expect((await tokensOf({ untick: "video.list,video.upload" })).scope).toBe("user.info.basic,video.publish");
  });

  test("takes a code once, within ten minutes, with the same address and the app's secret", async ({ expect }) => {
    const code = await codeFor();
    expect(await errorOf(await tokenCall({ ...codeForm(code), client_secret: "x" }))).toBe("401 invalid_client");
    expect(await errorOf(await tokenCall({ ...codeForm(code), redirect_uri: "http://localhost:8787/b" }))).toBe(
      "400 invalid_grant",
    );
    expect((await tokenCall(codeForm(code))).status).toBe(200);
    expect(await errorOf(await tokenCall(codeForm(code)))).toBe("400 invalid_grant");
    const old = await codeFor();
    pass(600);
    expect(await errorOf(await tokenCall(codeForm(old)))).toBe("400 invalid_grant");
  });

  test("takes a form and no JSON, and only the two grants", async ({ expect }) => {
    expect(await errorOf(await tokenCall(codeForm(await codeFor()), "application/json"))).toBe("400 invalid_request");
    expect(await errorOf(await tokenCall({ ...APP, grant_type: "password" }))).toBe("400 unsupported_grant_type");
  });

  test("rotates: the old refresh token is dead at once, also of two at the same moment", async ({ expect }) => {
    const first = await tokensOf();
    const second = await (await tokenCall(refreshForm(first.refresh_token))).json<Tokens>();
    expect(second).toMatchObject({ open_id: "_000ada", scope: SCOPES });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await errorOf(await tokenCall(refreshForm(first.refresh_token)))).toBe("400 invalid_grant");
    const both = await Promise.all([1, 2].map(() => tokenCall(refreshForm(second.refresh_token))));
    expect(both.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  test("may say no with the status of a success", async ({ expect }) => {
    await settings("tiktok", { errors_as_200: true });
    expect(await errorOf(await tokenCall(refreshForm("rft.nobody")))).toBe("200 invalid_grant");
    await settings("tiktok", { errors_as_200: false });
  });

  test("can give what older documents promised", async ({ expect }) => {
    await settings("tiktok", { old_lifetimes: true });
    expect(await tokensOf()).toMatchObject({ expires_in: 86_400, refresh_expires_in: 31_536_000 });
    await settings("tiktok", { old_lifetimes: false });
  });
});

describe("a token", () => {
  test("tells who it is, only the fields that were asked for", async ({ expect }) => {
    const ada = await person();
    expect(await (await ada.get(INFO)).json()).toEqual({
      data: { user: { open_id: "_000ada", display_name: "Ada", avatar_url: expect.any(String) as string } },
      error: { code: "ok", message: "", log_id: expect.stringMatching(/^\d+$/) as string },
    });
    expect(await wordOf(await ada.get("/v2/user/info/"))).toBe("400 invalid_params");
    expect(await wordOf(await ada.get("/v2/user/info/?fields=username"))).toBe("401 scope_not_authorized");
    const known = await person({ scope: `${SCOPES},user.info.profile` });
    expect(await (await known.get("/v2/user/info/?fields=username")).json()).toMatchObject({
      data: { user: { username: "ada_moves" } },
    });
  });

  test("lives two hours", async ({ expect }) => {
    const ada = await person();
    pass(7199);
    expect((await ada.get(INFO)).status).toBe(200);
    pass(1);
    expect(await wordOf(await ada.get(INFO))).toBe("401 access_token_invalid");
  });

  test("dies with its whole family when it is revoked", async ({ expect }) => {
    const ada = await person();
    const token = ada.tokens.access_token;
    expect(await errorOf(await form("/v2/oauth/revoke/", { ...APP, client_secret: "x", token }))).toBe(
      "401 invalid_client",
    );
    const answer = await form("/v2/oauth/revoke/", { ...APP, token });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect(await wordOf(await ada.get(INFO))).toBe("401 access_token_invalid");
    expect(await errorOf(await tokenCall(refreshForm(ada.tokens.refresh_token)))).toBe("400 invalid_grant");
  });

  test("dies when the person withdraws the app", async ({ expect }) => {
    const ben = await person({ login: "ben" });
    await control("/sandbox/platforms/tiktok/revoke", { account: "_000ben" });
    expect(await wordOf(await ben.get(INFO))).toBe("401 access_token_invalid");
  });

  test.for<[path: string, scope: string]>([
    ["/v2/post/publish/creator_info/query/", "video.publish"],
    ["/v2/post/publish/video/init/", "video.publish"],
    ["/v2/post/publish/inbox/video/init/", "video.upload"],
    ["/v2/video/list/?fields=id", "video.list"],
    ["/v2/video/query/?fields=id", "video.list"],
  ])("without its scope is refused at %s", async ([path, scope], { expect }) => {
    const ada = await person({ untick: scope });
    expect(await wordOf(await ada.post(path))).toBe("401 scope_not_authorized");
  });
});

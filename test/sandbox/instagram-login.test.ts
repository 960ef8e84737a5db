import { describe, test, vi } from "vitest";
import { settings } from "./help.ts";
import {
  APP,
  authorize,
  codeFor,
  codeForm,
  get,
  longToken,
  pairOf,
  person,
  REDIRECT,
  SCOPES,
  shortToken,
  tokenCall,
} from "./instagram-person.ts";
import { call } from "./outbound.ts";

vi.useFakeTimers({ toFake: ["Date"] });

const HOUR = 3600;
const DAY = 24 * HOUR;
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const meOf = (access_token: string) => get("/v25.0/me", { access_token });

describe("authorize", () => {
  test("leads back with a code, the state and the fragment browsers keep", async ({ expect }) => {
    const answer = await authorize();
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toMatch(
      /^http:\/\/localhost:8787\/connect\/instagram\/callback\?code=AQB[\w-]+&state=s1#_$/,
    );
  });

  test("leads back with error, reason and description when the person cancels", async ({ expect }) => {
    const back = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: "access_denied",
      error_reason: "user_denied",
      state: "s1",
    });
  });

  test.for<[what: string, change: Record<string, string>]>([
    ["another client", { client_id: "1" }],
    ["no redirect_uri", { redirect_uri: "" }],
    ["another response_type", { response_type: "token" }],
    ["no scope", { scope: "" }],
    ["an unknown scope", { scope: "instagram_basic" }],
  ])("shows an error page for %s", async ([, change], { expect }) => {
    expect((await authorize(change)).status).toBe(400);
  });
});

describe("the code", () => {
  test("gives a token for an hour, wrapped in data; the id is a bare number no double can hold", async ({ expect }) => {
    const answer = await tokenCall(codeForm(await codeFor()));
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toMatch(/"user_id":24106780935621847,/);
    expect(JSON.parse(text)).toMatchObject({
      data: [{ access_token: expect.stringMatching(/^IGAA/) as string, permissions: SCOPES }],
    });
  });

  test("gives the flat shape where the settings ask for it", async ({ expect }) => {
    await settings("instagram", { token_shape: "flat" });
    const flat = await (await tokenCall(codeForm(await codeFor()))).json();
    expect(flat).toMatchObject({ access_token: expect.any(String) as string, permissions: SCOPES.split(",") });
    await settings("instagram", { token_shape: null });
  });

  test("is good once and for an hour", async ({ expect }) => {
    const [used, old] = [await codeFor(), await codeFor()];
    expect((await tokenCall(codeForm(used))).status).toBe(200);
    const again = await tokenCall(codeForm(used));
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({
      error_type: "OAuthException",
      code: 400,
      error_message: expect.any(String) as string,
    });
    pass(HOUR);
    expect((await tokenCall(codeForm(old))).status).toBe(400);
  });

  test.for<[what: string, change: Record<string, string>, type?: string]>([
    ["another secret", { client_secret: "guess" }],
    ["another redirect_uri", { redirect_uri: `${REDIRECT}?x=1` }],
    ["another grant type", { grant_type: "password" }],
    ["a JSON body", {}, "application/json"],
  ])("is refused with %s", async ([, change, type], { expect }) => {
    expect((await tokenCall({ ...codeForm(await codeFor()), ...change }, type)).status).toBe(400);
  });
});

describe("tokens", () => {
  const exchange = (access_token: string, client_secret = APP.client_secret) =>
    get("/access_token", { grant_type: "ig_exchange_token", client_secret, access_token });
  const refresh = (access_token: string) =>
    get("/refresh_access_token", { grant_type: "ig_refresh_token", access_token });

  test("a short one becomes one of about 60 days, with the secret and while it lives", async ({ expect }) => {
    const short = await shortToken();
    expect(await pairOf(await exchange(short, "guess"))).toBe("101/-");
    const answer = await exchange(short);
    const long = await answer.json<{ access_token: string }>();
    expect(long).toMatchObject({ token_type: "bearer", expires_in: 5_183_944 });
    pass(HOUR);
    expect(await pairOf(await meOf(short))).toBe("190/463");
    expect(await pairOf(await exchange(short))).toBe("190/463");
    expect((await meOf(long.access_token)).status).toBe(200);
  });

  test("a long one can be refreshed after a day and before it dies", async ({ expect }) => {
    const first = await longToken();
    expect((await refresh(first)).status).toBe(400);
    pass(DAY - 1);
    expect((await refresh(first)).status).toBe(400);
    pass(1);
    const answer = await refresh(first);
    expect(answer.status).toBe(200);
    const second = await answer.json<{ access_token: string }>();
    expect(second).toMatchObject({ token_type: "bearer", expires_in: 5_183_944, permissions: SCOPES });
    expect(second.access_token).not.toBe(first);
    pass(59 * DAY);
    expect(await pairOf(await meOf(first))).toBe("190/463");
    expect((await meOf(second.access_token)).status).toBe(200);
    pass(DAY);
    expect(await pairOf(await refresh(second.access_token))).toBe("190/463");
  });

  test("a short one cannot be refreshed", async ({ expect }) => {
    expect((await refresh(await shortToken())).status).toBe(400);
  });

  test.for(["", "IGAAinvented"])("%j is not a token", async (token, { expect }) => {
    const answer = await meOf(token);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
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
    const { read } = await person({ login });
    const fields = "id,user_id,username,name,account_type,profile_picture_url,followers_count";
    const me = await (await read("/me", { fields })).json<Record<string, unknown>>();
    expect(me).toMatchObject({ user_id: userId, account_type: accountType });
    expect(me["id"]).not.toBe(userId);
    expect(await (await read(`/${userId}`, { fields })).json()).toEqual(me);
    expect(Object.keys(await (await read("/me", { fields: "username" })).json<object>())).toEqual(["id", "username"]);
  });

  test("of somebody else is not visible", async ({ expect }) => {
    const { read } = await person();
    expect(await pairOf(await read("/17841400008460063"))).toBe("100/33");
  });

  test("a version that is not alive is refused before the token is looked at", async ({ expect }) => {
    for (const version of ["v20.0", "v27.0", "v3"]) {
      expect(await pairOf(await get(`/${version}/me`))).toBe("2635/-");
    }
    expect((await get("/v21.0/me", { access_token: await longToken() })).status).toBe(200);
  });

  test("every answer says how much of the limits is used", async ({ expect }) => {
    const answer = await (await person()).read("/me");
    expect(JSON.parse(answer.headers.get("x-app-usage") ?? "")).toHaveProperty("call_count");
    expect(JSON.parse(answer.headers.get("x-business-use-case-usage") ?? "")).toHaveProperty("17841400008460057");
  });
});

describe("permissions", () => {
  test("who unticked publishing cannot publish, and sees so in the permissions", async ({ expect }) => {
    const change = { untick: "instagram_business_content_publish" };
    const answer = await tokenCall(codeForm(await codeFor(change)));
    expect(await answer.json()).toMatchObject({ data: [{ permissions: "instagram_business_basic" }] });
    const { read, write } = await person(change);
    expect((await read("/me")).status).toBe(200);
    const refused = await write("/me/media", { image_url: "http://localhost:8787/sandbox/media/portrait.jpg" });
    expect([refused.status, await pairOf(refused)]).toEqual([403, "10/-"]);
  });

  test("a personal account cannot publish", async ({ expect }) => {
    const { write, read } = await person({ login: "ben" });
    expect(
      await pairOf(await write("/me/media", { image_url: "http://localhost:8787/sandbox/media/portrait.jpg" })),
    ).toBe("10/-");
    expect(await pairOf(await read("/me/content_publishing_limit"))).toBe("10/-");
  });

  test("media cannot be deleted with this login", async ({ expect }) => {
    const answer = await call("https://graph.instagram.com/v25.0/17920238422030506", {
      method: "DELETE",
      headers: { authorization: `Bearer ${await longToken()}` },
    });
    expect(answer.status).toBe(400);
  });
});

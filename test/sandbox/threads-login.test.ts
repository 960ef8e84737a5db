import { describe, test, vi } from "vitest";
import { post as control, settings } from "./help.ts";
import {
  APP,
  authorize,
  codeFor,
  codeForm,
  exchange,
  get,
  longToken,
  pairOf,
  person,
  REDIRECT,
  refresh,
  shortToken,
  tokenCall,
} from "./threads-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const DAY = 86_400;

describe("the authorize page", () => {
  test.for<[what: string, change: Record<string, string>]>([
    ["another client", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["scopes without the one that all calls need", { scope: "threads_content_publish" }],
    ["no address to go back to", { redirect_uri: "" }],
  ])("refuses %s without sending anybody back", async ([, change], { expect }) => {
    const answer = await authorize(change);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test.for(["threads.net", "www.threads.net", "threads.com", "www.threads.com"])(
    "at %s gives code and state, with a fragment behind them",
    async (host, { expect }) => {
      const back = new URL((await authorize({}, host)).headers.get("location") ?? "");
      expect(back.origin + back.pathname + back.hash).toBe(`${REDIRECT}#_`);
      expect(Object.fromEntries(back.searchParams)).toEqual({
        code: expect.stringMatching(/^AQB/) as string,
        state: "s1",
      });
    },
  );

  test("sends back who says no", async ({ expect }) => {
    const back = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: "access_denied",
      error_reason: "user_denied",
    });
  });
});

describe("the short token", () => {
  test("comes with a number that JavaScript rounds", async ({ expect }) => {
    const text = await (await tokenCall(codeForm(await codeFor()))).text();
    expect(text).toMatch(/^\{"access_token":"TH[\w-]+","user_id":17841405793187219\}$/);
    expect(String((JSON.parse(text) as { user_id: number }).user_id)).not.toBe("17841405793187219");
  });

  test("is given for a code once, within its hour, to the app alone", async ({ expect }) => {
    const form = codeForm(await codeFor());
    expect(await pairOf(await tokenCall({ ...form, client_secret: "x" }))).toBe("400 101/-");
    expect(await pairOf(await tokenCall({ ...form, redirect_uri: "https://example.com/" }))).toBe("400 100/-");
    expect((await tokenCall(form)).status).toBe(200);
    expect(await pairOf(await tokenCall(form))).toBe("400 100/-");
    const late = codeForm(await codeFor());
    pass(3600);
    expect(await pairOf(await tokenCall(late))).toBe("400 100/-");
  });

  test("lives an hour and cannot be exchanged after it", async ({ expect }) => {
    const token = await shortToken();
    expect(await pairOf(await exchange(token, "x"))).toBe("400 101/-");
    expect(await (await exchange(token)).json()).toEqual({
      access_token: expect.any(String) as string,
      token_type: "bearer",
      expires_in: 5_183_944,
    });
    pass(3600);
    expect(await pairOf(await exchange(token))).toBe("401 190/463");
  });
});

describe("the long token", () => {
  test("is renewed when it is a day old and not yet dead", async ({ expect }) => {
    const token = await longToken();
    expect(await pairOf(await refresh(token))).toBe("400 100/-");
    pass(DAY);
    const answer = await refresh(token);
    expect(await answer.json()).toMatchObject({ token_type: "bearer", expires_in: 5_183_944 });
    expect(await pairOf(await refresh(await shortToken()))).toBe("400 100/-");
    pass(5_183_944);
    expect(await pairOf(await refresh(token))).toBe("401 190/463");
  });

  test("can be looked into by one who holds a token", async ({ expect }) => {
    const token = await longToken({ untick: "threads_delete" });
    const look = (access_token: string) => get("/debug_token", { access_token, input_token: token });
    expect(await (await look(token)).json()).toMatchObject({
      data: {
        is_valid: true,
        scopes: ["threads_basic", "threads_content_publish"],
        user_id: "17841405793187219",
        expires_at: Math.floor((Date.now() + 5_183_944_000) / 1000),
      },
    });
    expect(await pairOf(await look("x"))).toBe("401 190/463");
  });

  test("dies when the person withdraws the app", async ({ expect }) => {
    const ben = await person({ login: "ben" });
    await control("/sandbox/platforms/threads/revoke", { account: "17841405793187333" });
    expect(await pairOf(await ben.read("/me"))).toBe("401 190/458");
  });
});

describe("a call", () => {
  test("reads the profile at both hosts, by header or parameter; ids are text", async ({ expect }) => {
    const ada = await person();
    const fields = "id,username,name,threads_profile_picture_url";
    const profile = {
      id: "17841405793187219",
      username: "ada_threads",
      name: "Ada Example",
      threads_profile_picture_url: expect.any(String) as string,
    };
    expect(await (await ada.read("/me", { fields })).json()).toEqual(profile);
    const other = await get(
      "/v1.0/17841405793187219",
      { fields, access_token: ada.token },
      "https://graph.threads.com",
    );
    expect(await other.json()).toEqual(profile);
    expect(other.headers.get("x-app-usage")).toContain("call_count");
    expect(await pairOf(await ada.read("/me", { fields: "id,email" }))).toBe("400 100/-");
  });

  test("needs a token, the version and the scopes", async ({ expect }) => {
    expect(await pairOf(await get("/v1.0/me"))).toBe("401 190/-");
    const ada = await person();
    expect(await pairOf(await get("/v2.0/me", { access_token: ada.token }))).toBe("400 2635/-");
    const reader = await person({ scope: "threads_basic" });
    expect(await pairOf(await reader.write("/me/threads", { media_type: "TEXT", text: "a" }))).toBe("403 10/-");
    expect(await pairOf(await reader.publish("1"))).toBe("403 10/-");
    expect(await pairOf(await reader.read("/1", {}, "DELETE"))).toBe("403 10/-");
    const { client_id: _id, ...nobody } = APP;
    expect(await pairOf(await tokenCall(nobody))).toBe("400 101/-");
  });

  test("lives as long as the settings say", async ({ expect }) => {
    await settings("threads", { token_lifetime_s: 60 });
    const ada = await person();
    await settings("threads", { token_lifetime_s: null });
    pass(60);
    expect(await pairOf(await ada.read("/me"))).toBe("401 190/463");
  });
});

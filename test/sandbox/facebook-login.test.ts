import { afterEach, describe, test, vi } from "vitest";
import { toHex } from "#core/encoding.ts";
import { post as control, settings } from "./help.ts";
import {
  APP,
  authorize,
  codeFor,
  codeQuery,
  exchange,
  get,
  holder,
  longToken,
  pageHolder,
  pagesOf,
  pairOf,
  REDIRECT,
  SCOPES,
  SHOP,
  shortToken,
  tokenCall,
  WORKSHOP,
} from "./facebook-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
afterEach(() => settings("facebook", { require_proof: null }));

const LONG = 5_183_944;
const APP_TOKEN = `${APP.client_id}|${APP.client_secret}`;

describe("the dialog", () => {
  test.for<[what: string, change: Record<string, string>]>([
    ["another app", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["no address to go back to", { redirect_uri: "" }],
  ])("refuses %s without sending anybody back", async ([, change], { expect }) => {
    const answer = await authorize(change);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test("gives code and state, with a fragment behind them; sends back who says no", async ({ expect }) => {
    const back = new URL((await authorize()).headers.get("location") ?? "");
    expect(back.origin + back.pathname + back.hash).toBe(`${REDIRECT}#_=_`);
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String) as string, state: "s1" });
    const denied = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({
      error: "access_denied",
      error_reason: "user_denied",
      state: "s1",
    });
  });

  test("takes a configuration instead of scopes", async ({ expect }) => {
    const token = await longToken({ scope: "", config_id: "1" });
    expect(await pagesOf(token)).toHaveLength(3);
  });
});

describe("tokens", () => {
  test("a code gives a short one, once; that one a long one, while it lives", async ({ expect }) => {
    const query = codeQuery(await codeFor());
    expect(await pairOf(await tokenCall({ ...query, client_secret: "x" }))).toBe("400 1/-");
    expect(await pairOf(await tokenCall({ ...query, redirect_uri: "https://example.com/" }))).toBe("400 100/36009");
    const answer = await tokenCall(query);
    expect(await answer.json()).toEqual({
      access_token: expect.stringMatching(/^EAA/) as string,
      token_type: "bearer",
      expires_in: 5400,
    });
    expect(await pairOf(await tokenCall(query))).toBe("400 100/36009");
    const short = await shortToken();
    expect(await (await exchange(short)).json()).toMatchObject({ expires_in: LONG });
    pass(5400);
    expect(await pairOf(await exchange(short))).toBe("400 190/463");
  });

  test("a long one can be renewed by exchanging it, and is dead after 60 days", async ({ expect }) => {
    const token = await longToken();
    pass(LONG - 1);
    expect(await (await exchange(token)).json()).toMatchObject({ expires_in: LONG });
    pass(1);
    expect(await pairOf(await get("/me", { access_token: token }))).toBe("401 190/463");
  });

  test("of Pages do not expire behind a long one, and die with a short one", async ({ expect }) => {
    const [long] = await pagesOf(await longToken());
    const [short] = await pagesOf(await shortToken());
    pass(5400);
    expect(await pairOf(await get("/me", { access_token: short?.access_token ?? "" }))).toBe("401 190/463");
    pass(10 * LONG);
    expect(await pairOf(await get("/me", { access_token: long?.access_token ?? "" }))).toBe("200");
  });

  test("can be looked into with the app's own one", async ({ expect }) => {
    const app = await (await tokenCall({ grant_type: "client_credentials" })).json<{ access_token: string }>();
    expect(app.access_token).toBe(APP_TOKEN);
    const page = await pageHolder();
    const look = (input_token: string, access_token = APP_TOKEN) => get("/debug_token", { input_token, access_token });
    expect(await (await look(page.token)).json()).toMatchObject({
      data: { app_id: APP.client_id, type: "PAGE", profile_id: SHOP, is_valid: true, expires_at: 0 },
    });
    const user = await longToken();
    expect(await (await look(user)).json()).toMatchObject({
      data: {
        type: "USER",
        is_valid: true,
        expires_at: Math.floor(Date.now() / 1000) + LONG,
        scopes: SCOPES.split(","),
      },
    });
    expect(await (await look("nobody")).json()).toMatchObject({ data: { is_valid: false } });
    expect(await pairOf(await look(user, user))).toBe("400 100/-");
  });

  test("can be proved to come from the app, and must be where it says so", async ({ expect }) => {
    const token = await longToken();
    const bytes = new TextEncoder();
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytes.encode(APP.client_secret), algorithm, false, ["sign"]);
    const proof = toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(token))));
    expect(await pairOf(await get("/me", { access_token: token, appsecret_proof: proof }))).toBe("200");
    expect(await pairOf(await get("/me", { access_token: token, appsecret_proof: "x" }))).toBe("400 100/-");
    await settings("facebook", { require_proof: true });
    expect(await pairOf(await get("/me", { access_token: token }))).toBe("400 100/-");
  });

  test("are refused when unknown, at a dead version, and when the app is withdrawn", async ({ expect }) => {
    const token = await longToken();
    expect(await pairOf(await get("/me"))).toBe("401 190/-");
    expect(await pairOf(await get("/me", { access_token: token }, "https://graph.facebook.com/v20.0"))).toBe(
      "400 2635/-",
    );
    expect(await pairOf(await get("/me", { access_token: token }, "https://graph.facebook.com/v26.0"))).toBe("200");
    await control("/sandbox/platforms/facebook/revoke", { account: WORKSHOP });
    expect(await pairOf(await get("/me", { access_token: token }))).toBe("401 190/458");
  });
});

describe("the person", () => {
  test("has a name, and says what was granted", async ({ expect }) => {
    const ada = holder(await longToken({ untick: "business_management" }));
    expect(await (await ada.read("/me", { fields: "id,name,picture.type(large)" })).json()).toEqual({
      id: "122100000000000001",
      name: "Ada Example",
      picture: { data: { url: expect.any(String) as string } },
    });
    expect(await (await ada.read("/me/permissions")).json()).toEqual({
      data: ["pages_show_list", "pages_read_engagement", "pages_manage_posts"].map((permission) => ({
        permission,
        status: "granted",
      })),
    });
  });

  test("lists Pages with tasks and tokens, page by page", async ({ expect }) => {
    const ada = holder(await longToken());
    const fields = "id,name,username,access_token,tasks,picture.type(large)";
    const answer = await ada.read("/me/accounts", { fields, limit: "2" });
    expect(answer.headers.get("x-app-usage")).toContain("call_count");
    const page = await answer.json<{ data: object[]; paging: { next?: string } }>();
    expect(page.data[0]).toEqual({
      id: SHOP,
      name: "Shop",
      username: "shop",
      access_token: expect.stringMatching(/^EAAPage/) as string,
      tasks: ["ANALYZE", "CREATE_CONTENT", "MODERATE", "MANAGE"],
      picture: { data: { url: expect.any(String) as string } },
    });
    const next = new URL(page.paging.next ?? "");
    expect(next.searchParams.has("access_token")).toBe(false);
    const rest = await ada.read("/me/accounts", Object.fromEntries(next.searchParams));
    expect(await rest.json()).toMatchObject({ data: [{ name: "Read only", tasks: ["ANALYZE"] }] });
    const blind = holder(await longToken({ untick: "pages_show_list" }));
    expect(await pairOf(await blind.read("/me/accounts"))).toBe("403 200/-");
  });

  test("may have Pages that only a business lists", async ({ expect }) => {
    const token = await longToken({ login: "cleo" });
    expect(await pagesOf(token)).toEqual([]);
    const cleo = holder(token);
    const { data } = await (await cleo.read("/me/businesses")).json<{ data: { id: string }[] }>();
    const [business] = data;
    expect(await pagesOf(token, `/${business?.id}/owned_pages`)).toMatchObject([{ id: "110011001100440" }]);
    expect(await pagesOf(token, `/${business?.id}/client_pages`)).toMatchObject([{ id: "110011001100550" }]);
    const blind = holder(await longToken({ login: "cleo", untick: "business_management" }));
    expect(await pairOf(await blind.read("/me/businesses"))).toBe("403 200/-");
    expect(await pairOf(await blind.read(`/${business?.id}/owned_pages`))).toBe("403 200/-");
    expect(await pagesOf(await longToken({ login: "ben" }))).toEqual([]);
  });

  test("withdraws one permission, or everything", async ({ expect }) => {
    const token = await longToken();
    const page = await pageHolder();
    const ada = holder(token);
    expect(await (await ada.read("/me/permissions/pages_manage_posts", {}, "DELETE")).json()).toEqual({
      success: true,
    });
    expect(await pairOf(await page.write(`/${SHOP}/feed`, { message: "a" }))).toBe("403 200/-");
    expect(await (await ada.read("/122100000000000001/permissions", {}, "DELETE")).json()).toEqual({ success: true });
    for (const dead of [token, page.token]) {
      expect(await pairOf(await get("/me", { access_token: dead }))).toBe("401 190/458");
    }
  });
});

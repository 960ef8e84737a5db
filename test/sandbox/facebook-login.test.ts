import { afterEach, describe, test, vi } from "vitest";
import { postJson, changeSettings } from "./sandbox-api.ts";
import {
  APP,
  authorize,
  requestCode,
  codeGrantQuery,
  exchangeToken,
  get,
  createClient,
  requestLongToken,
  createPageClient,
  listPages,
  errorCodeOf,
  proofOf,
  REDIRECT,
  SCOPES,
  SHOP,
  requestShortToken,
  requestToken,
  WORKSHOP,
} from "./facebook-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
afterEach(() => changeSettings("facebook", { require_proof: null, business_management: null }));

const LONG_TOKEN_SECONDS = 5_183_944;
const APP_TOKEN = `${APP.client_id}|${APP.client_secret}`;

describe("the consent dialog", () => {
  test.for<[what: string, overrides: Record<string, string>]>([
    ["another app", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["no redirect_uri", { redirect_uri: "" }],
  ])("refuses %s without a redirect", async ([, overrides], { expect }) => {
    const response = await authorize(overrides);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test("redirects with code, state and a fragment, or with an error when the user declines", async ({ expect }) => {
    const redirect = new URL((await authorize()).headers.get("location") ?? "");
    expect(redirect.origin + redirect.pathname + redirect.hash).toBe(`${REDIRECT}#_=_`);
    expect(Object.fromEntries(redirect.searchParams)).toEqual({ code: expect.any(String) as string, state: "s1" });
    const denied = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({
      error: "access_denied",
      error_reason: "user_denied",
      state: "s1",
    });
  });

  test("accepts a config_id instead of scopes", async ({ expect }) => {
    const token = await requestLongToken({ scope: "", config_id: "1" });
    expect(await listPages(token)).toHaveLength(3);
  });
});

describe("permissions", () => {
  test("one that the app lacks refuses the whole login", async ({ expect }) => {
    const scope = `${SCOPES},business_management`;
    const refusal = await authorize({ scope });
    expect([refusal.status, await refusal.text()]).toEqual([
      400,
      expect.stringMatching(/^Invalid Scopes: business_management\./) as string,
    ]);
    await changeSettings("facebook", { business_management: true });
    expect((await authorize({ scope })).status).toBe(302);
  });

  test("a declined one stays declined until the dialog asks again", async ({ expect }) => {
    const permissions = async (overrides: Record<string, string>) => {
      const dora = createClient(await requestLongToken({ login: "dora", ...overrides }));
      const { data } = await (
        await dora.request("/me/permissions")
      ).json<{ data: { permission: string; status: string }[] }>();
      return data.filter(({ permission }) => permission === "pages_manage_posts").map(({ status }) => status);
    };
    expect(await permissions({ untick: "pages_manage_posts" })).toEqual(["declined"]);
    expect(await permissions({ auth_type: "" })).toEqual(["declined"]);
    expect(await permissions({ auth_type: "rerequest" })).toEqual(["granted"]);
    expect(await permissions({ auth_type: "" })).toEqual(["granted"]);
  });
});

describe("tokens", () => {
  test("a code gives a short-lived one once, which can be exchanged for a long-lived one until it expires", async ({
    expect,
  }) => {
    const query = codeGrantQuery(await requestCode());
    expect(await errorCodeOf(await requestToken({ ...query, client_secret: "x" }))).toBe("400 1/-");
    expect(await errorCodeOf(await requestToken({ ...query, redirect_uri: "https://example.com/" }))).toBe(
      "400 100/36009",
    );
    const response = await requestToken(query);
    expect(await response.json()).toEqual({
      access_token: expect.stringMatching(/^EAA/) as string,
      token_type: "bearer",
      expires_in: 5400,
    });
    expect(await errorCodeOf(await requestToken(query))).toBe("400 100/36009");
    const shortToken = await requestShortToken();
    expect(await (await exchangeToken(shortToken)).json()).toMatchObject({ expires_in: LONG_TOKEN_SECONDS });
    advanceSeconds(5400);
    expect(await errorCodeOf(await exchangeToken(shortToken))).toBe("400 190/463");
  });

  test("a long-lived one can be renewed by exchanging it, and expires after 60 days", async ({ expect }) => {
    const token = await requestLongToken();
    advanceSeconds(LONG_TOKEN_SECONDS - 1);
    expect(await (await exchangeToken(token)).json()).toMatchObject({ expires_in: LONG_TOKEN_SECONDS });
    advanceSeconds(1);
    expect(await errorCodeOf(await get("/me", { access_token: token }))).toBe("401 190/463");
  });

  test("of Pages do not expire when the user token is long-lived, and expire with a short-lived one", async ({
    expect,
  }) => {
    const [permanentPage] = await listPages(await requestLongToken());
    const [expiringPage] = await listPages(await requestShortToken());
    advanceSeconds(5400);
    expect(await errorCodeOf(await get("/me", { access_token: expiringPage?.access_token ?? "" }))).toBe("401 190/463");
    advanceSeconds(10 * LONG_TOKEN_SECONDS);
    expect(await errorCodeOf(await get("/me", { access_token: permanentPage?.access_token ?? "" }))).toBe("200");
  });

  test("can be inspected with the app's token", async ({ expect }) => {
    const appTokenBody = await (
      await requestToken({ grant_type: "client_credentials" })
    ).json<{ access_token: string }>();
    expect(appTokenBody.access_token).toBe(APP_TOKEN);
    const page = await createPageClient();
    const debug = (input_token: string, access_token = APP_TOKEN) => get("/debug_token", { input_token, access_token });
    expect(await (await debug(page.token)).json()).toMatchObject({
      data: { app_id: APP.client_id, type: "PAGE", profile_id: SHOP, is_valid: true, expires_at: 0 },
    });
    const user = await requestLongToken();
    expect(await (await debug(user)).json()).toMatchObject({
      data: {
        type: "USER",
        is_valid: true,
        expires_at: Math.floor(Date.now() / 1000) + LONG_TOKEN_SECONDS,
        scopes: SCOPES.split(","),
      },
    });
    expect(await (await debug("nobody")).json()).toMatchObject({ data: { is_valid: false } });
    expect(await errorCodeOf(await debug(user, user))).toBe("400 100/-");
  });

  test("need a valid appsecret_proof; the setting require_proof: false accepts calls without one", async ({
    expect,
  }) => {
    const token = await requestLongToken();
    const call = async (appsecret_proof: string) =>
      await errorCodeOf(await get("/me", { access_token: token, appsecret_proof }));
    expect(await call(await proofOf(token))).toBe("200");
    expect(await call("x")).toBe("400 100/-");
    expect(await call(await proofOf(`${token}x`))).toBe("400 100/-");
    expect(await call("")).toBe("400 100/-");
    await changeSettings("facebook", { require_proof: false });
    expect(await call("")).toBe("200");
    expect(await call("x")).toBe("400 100/-");
  });

  test("are refused when unknown, at an unsupported version, and after the app's access is revoked", async ({
    expect,
  }) => {
    const token = await requestLongToken();
    expect(await errorCodeOf(await get("/me"))).toBe("401 190/-");
    expect(await errorCodeOf(await get("/me", { access_token: token }, "https://graph.facebook.com/v20.0"))).toBe(
      "400 2635/-",
    );
    expect(await errorCodeOf(await get("/me", { access_token: token }, "https://graph.facebook.com/v26.0"))).toBe(
      "200",
    );
    await postJson("/sandbox/platforms/facebook/revoke", { account: WORKSHOP });
    expect(await errorCodeOf(await get("/me", { access_token: token }))).toBe("401 190/458");
  });
});

describe("the user", () => {
  test("can be read with the granted permissions", async ({ expect }) => {
    const ada = createClient(await requestLongToken({ untick: "pages_manage_posts" }));
    expect(await (await ada.request("/me", { fields: "id,name,picture.type(large)" })).json()).toEqual({
      id: "122100000000000001",
      name: "Ada Example",
      picture: { data: { url: expect.any(String) as string } },
    });
    expect(await (await ada.request("/me/permissions")).json()).toEqual({
      data: [
        { permission: "pages_show_list", status: "granted" },
        { permission: "pages_read_engagement", status: "granted" },
        { permission: "pages_manage_posts", status: "declined" },
      ],
    });
  });

  test("lists Pages with tasks and tokens, paginated", async ({ expect }) => {
    const ada = createClient(await requestLongToken());
    const fields = "id,name,username,access_token,tasks,picture.type(large)";
    const response = await ada.request("/me/accounts", { fields, limit: "2" });
    expect(response.headers.get("x-app-usage")).toContain("call_count");
    const page = await response.json<{ data: object[]; paging: { next?: string } }>();
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
    const nextPage = await ada.request("/me/accounts", Object.fromEntries(next.searchParams));
    expect(await nextPage.json()).toEqual({
      data: [
        { id: "110011001100330", name: "Read only", username: "readonly", tasks: [], picture: expect.any(Object) },
      ],
      paging: expect.any(Object),
    });
    expect((await listPages(ada.token))[1]?.tasks).toEqual([
      "PROFILE_PLUS_ANALYZE",
      "PROFILE_PLUS_CREATE_CONTENT",
      "PROFILE_PLUS_MODERATE",
    ]);
    expect(await errorCodeOf(await ada.request("/me/accounts", { fields: "id,permitted_tasks" }))).toBe("400 100/-");
    const restricted = createClient(await requestLongToken({ untick: "pages_show_list" }));
    expect(await errorCodeOf(await restricted.request("/me/accounts"))).toBe("403 200/-");
  });

  test("without a task that creates content has a token that cannot post", async ({ expect }) => {
    const dora = await createPageClient("110011001100660", { login: "dora" });
    expect(await errorCodeOf(await dora.post("/110011001100660/feed", { message: "a" }))).toBe("403 200/-");
  });

  test("can have Pages that only a business lists", async ({ expect }) => {
    await changeSettings("facebook", { business_management: true });
    const scope = `${SCOPES},business_management`;
    const token = await requestLongToken({ login: "cleo", scope });
    expect(await listPages(token)).toEqual([]);
    const cleo = createClient(token);
    const { data } = await (await cleo.request("/me/businesses")).json<{ data: { id: string }[] }>();
    const [business] = data;
    expect(await listPages(token, `/${business?.id}/owned_pages`)).toMatchObject([{ id: "110011001100440" }]);
    expect(await listPages(token, `/${business?.id}/client_pages`)).toMatchObject([{ id: "110011001100550" }]);
    for (const edge of ["owned_pages", "client_pages"]) {
      expect(await errorCodeOf(await cleo.request(`/${business?.id}/${edge}`, { fields: "id,tasks" }))).toBe(
        "400 100/-",
      );
    }
    const restricted = createClient(await requestLongToken({ login: "cleo", untick: "business_management" }));
    expect(await errorCodeOf(await restricted.request("/me/businesses"))).toBe("403 200/-");
    expect(await errorCodeOf(await restricted.request(`/${business?.id}/owned_pages`))).toBe("403 200/-");
    expect(await listPages(await requestLongToken({ login: "ben" }))).toEqual([]);
  });

  test("revokes one permission, or all of them", async ({ expect }) => {
    const token = await requestLongToken();
    const page = await createPageClient();
    const ada = createClient(token);
    expect(await (await ada.request("/me/permissions/pages_manage_posts", {}, "DELETE")).json()).toEqual({
      success: true,
    });
    expect(await errorCodeOf(await page.post(`/${SHOP}/feed`, { message: "a" }))).toBe("403 200/-");
    expect(await (await ada.request("/122100000000000001/permissions", {}, "DELETE")).json()).toEqual({
      success: true,
    });
    for (const revokedToken of [token, page.token]) {
      expect(await errorCodeOf(await get("/me", { access_token: revokedToken }))).toBe("401 190/458");
    }
  });
});

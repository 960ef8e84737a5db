import { afterEach, describe, test, vi } from "vitest";
import { postJson, changeSettings } from "./sandbox-api.ts";
import {
  authorize,
  BASIC_AUTH,
  requestCode,
  codeGrantForm,
  errorCodeOf,
  createClient,
  SCOPES,
  SECRET_BOARD_SCOPES,
  requestToken,
  type Tokens,
  requestTokens,
} from "./pinterest-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
afterEach(() => changeSettings("pinterest", { access: null, per_minute: null, quota: null }));

describe("the authorize page", () => {
  test.for<[what: string, overrides: Record<string, string>]>([
    ["another client", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["no redirect_uri", { redirect_uri: "" }],
    ["no scope", { scope: "" }],
    ["a scope that does not exist", { scope: `${SCOPES},pins:publish` }],
  ])("refuses %s without a redirect", async ([, overrides], { expect }) => {
    const response = await authorize(overrides);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test("redirects with code and state, or with access_denied", async ({ expect }) => {
    const redirectParams = async (overrides: Record<string, string>) =>
      Object.fromEntries(new URL((await authorize(overrides)).headers.get("location") ?? "").searchParams);
    expect(await redirectParams({})).toEqual({ code: expect.any(String) as string, state: "s1" });
    expect(await redirectParams({ scope: `${SCOPES},msot:write,biz_access:read` })).toMatchObject({ state: "s1" });
    expect(await redirectParams({ login: "-" })).toEqual({ error: "access_denied", state: "s1" });
  });
});

describe("the token endpoint", () => {
  test("gives tokens for 30 and 60 days", async ({ expect }) => {
    expect(await requestTokens()).toEqual({
      response_type: "authorization_code",
      token_type: "bearer",
      access_token: expect.stringMatching(/^pina_/) as string,
      expires_in: 2_592_000,
      refresh_token: expect.stringMatching(/^pinr\./) as string,
      refresh_token_expires_in: 5_184_000,
      refresh_token_expires_at: Math.floor(Date.now() / 1000) + 5_184_000,
      scope: SCOPES.replaceAll(",", " "),
    });
  });

  test("needs Basic authentication and accepts a code once", async ({ expect }) => {
    const form = codeGrantForm(await requestCode());
    const inBody = { ...form, client_id: "sandbox-pinterest", client_secret: "sandbox-pinterest-secret" };
    expect(await errorCodeOf(await requestToken(inBody, null))).toBe("400 1");
    expect(await errorCodeOf(await requestToken(form, null))).toBe("401 2");
    expect(await errorCodeOf(await requestToken(form, `Basic ${btoa("sandbox-pinterest:x")}`))).toBe("401 2");
    expect(await errorCodeOf(await requestToken(form, "Basic %%%"))).toBe("401 2");
    expect(await errorCodeOf(await requestToken({ ...form, redirect_uri: "https://example.com" }))).toBe("401 283");
    expect((await requestToken(form)).status).toBe(200);
    expect(await errorCodeOf(await requestToken(form))).toBe("401 283");
    expect(await errorCodeOf(await requestToken({ grant_type: "password" }, BASIC_AUTH))).toBe("400 1");
  });

  test("rotates both tokens, with the same or fewer scopes but never more", async ({ expect }) => {
    const first = await requestTokens();
    const refresh = (refresh_token: string, more: Record<string, string> = {}) =>
      requestToken({ grant_type: "refresh_token", refresh_token, ...more });
    expect(await errorCodeOf(await refresh(first.refresh_token, { scope: `${SCOPES},${SECRET_BOARD_SCOPES}` }))).toBe(
      "400 1",
    );
    const second = await (await refresh(first.refresh_token, { scope: "pins:read,boards:read" })).json<Tokens>();
    expect(second).toMatchObject({ scope: "pins:read boards:read", expires_in: 2_592_000 });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await errorCodeOf(await refresh(first.refresh_token))).toBe("401 283");
    const both = await Promise.all([1, 2].map(() => refresh(second.refresh_token)));
    expect(both.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  test("does not allow the app to revoke a token", async ({ expect }) => {
    const ada = await createClient();
    expect(await errorCodeOf(await ada.callApi("POST", "/oauth/token/revoke"))).toBe("403 29");
    expect((await ada.callApi("GET", "/user_account")).status).toBe(200);
  });
});

describe("a token", () => {
  test("is valid for 30 days, or until the user revokes access", async ({ expect }) => {
    const ada = await createClient();
    advanceSeconds(2_591_999);
    expect((await ada.callApi("GET", "/user_account")).status).toBe(200);
    advanceSeconds(1);
    expect(await errorCodeOf(await ada.callApi("GET", "/user_account"))).toBe("401 2");
    const ben = await createClient({ login: "ben" });
    await postJson("/sandbox/platforms/pinterest/revoke", { account: "2783136121146311999" });
    expect(await errorCodeOf(await ben.callApi("GET", "/user_account"))).toBe("401 2");
  });

  test("reads its user's account; ids are strings; every response has a request id", async ({ expect }) => {
    const ada = await createClient();
    const response = await ada.callApi("GET", "/user_account");
    expect(response.headers.get("x-pinterest-rid")).toMatch(/^\d+$/);
    expect(await response.json()).toMatchObject({
      id: "2783136121146311751",
      username: "ada_makes",
      account_type: "BUSINESS",
      business_name: "Ada Makes",
    });
    const ben = await createClient({ login: "ben" });
    expect(await (await ben.callApi("GET", "/user_account")).json()).toMatchObject({
      account_type: "PINNER",
      business_name: null,
    });
  });

  test.for<[method: string, path: string, scope: string]>([
    ["GET", "/user_account", "user_accounts:read"],
    ["GET", "/boards", "boards:read"],
    ["GET", "/boards/549755885175/pins", "pins:read"],
    ["GET", "/pins", "pins:read"],
    ["POST", "/media", "pins:write"],
    ["POST", "/pins", "boards:write"],
    ["POST", "/pins", "boards:read"],
  ])("is refused %s %s without %s", async ([method, path, scope], { expect }) => {
    const scopes = SCOPES.split(",").filter((one) => one !== scope);
    const ada = await createClient({ scope: scopes.join(",") });
    expect(await errorCodeOf(await ada.callApi(method, path, method === "POST" ? {} : undefined))).toBe("401 3");
  });
});

describe("the boards", () => {
  interface Boards {
    readonly items: readonly { readonly id: string; readonly name: string; readonly is_ads_only: boolean }[];
    readonly bookmark: string | null;
  }
  const list = async (query: string, overrides: Record<string, string> = {}): Promise<Boards> =>
    (await (await createClient(overrides)).callApi("GET", `/boards${query}`)).json<Boards>();

  test("are listed page by page, including a group board and one for ads", async ({ expect }) => {
    const names: string[] = [];
    let bookmark: string | null = "";
    while (bookmark !== null) {
      const page: Boards = await list(`?page_size=3${bookmark && `&bookmark=${encodeURIComponent(bookmark)}`}`);
      names.push(...page.items.map((board) => board.name));
      ({ bookmark } = page);
    }
    expect(names).toEqual(["Glazes", "Kiln log", "Studio friends", "Promoted"]);
    expect((await list("")).items[0]).toEqual({
      id: "549755885175",
      name: "Glazes",
      description: null,
      privacy: "PUBLIC",
      owner: { username: "ada_makes" },
      pin_count: 5,
      follower_count: 1,
      collaborator_count: 0,
      is_ads_only: false,
      created_at: "2026-01-02T03:04:05",
      board_pins_modified_at: "2026-02-02T03:04:05",
      media: { image_cover_url: null, pin_thumbnail_urls: [] },
    });
  });

  test("include secret ones only with the scope for them", async ({ expect }) => {
    const secretScope = { scope: `${SCOPES},${SECRET_BOARD_SCOPES}` };
    expect((await list("", secretScope)).items.map((board) => board.name)).toContain("Hidden drafts");
    expect((await list("?privacy=SECRET", secretScope)).items).toHaveLength(1);
    expect((await list("?privacy=SECRET")).items).toHaveLength(0);
  });

  test.for(["?page_size=0", "?page_size=251", "?page_size=many", "?bookmark=!!!", "?bookmark=bm9uZQ=="])(
    "refuse %s",
    async (query, { expect }) => {
      const ada = await createClient();
      expect(await errorCodeOf(await ada.callApi("GET", `/boards${query}`))).toBe("400 1");
    },
  );
});

describe("rate limits", () => {
  test("a trial app has a daily limit of calls", async ({ expect }) => {
    await changeSettings("pinterest", { access: "trial", quota: 2 });
    const ada = await createClient();
    const readAccount = async () => errorCodeOf(await ada.callApi("GET", "/user_account"));
    expect([await readAccount(), await readAccount(), await readAccount()]).toEqual(["200", "200", "429 8"]);
    advanceSeconds(86_400);
    expect(await readAccount()).toBe("200");
  });

  test("any other app has the limit per minute that the settings define", async ({ expect }) => {
    await changeSettings("pinterest", { per_minute: 1 });
    const ada = await createClient();
    const readAccount = async () => errorCodeOf(await ada.callApi("GET", "/user_account"));
    advanceSeconds(60);
    expect([await readAccount(), await readAccount()]).toEqual(["200", "429 8"]);
    advanceSeconds(60);
    expect(await readAccount()).toBe("200");
  });
});

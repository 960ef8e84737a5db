import { afterEach, describe, test, vi } from "vitest";
import { post as control, settings } from "./help.ts";
import {
  authorize,
  BASIC,
  codeFor,
  codeForm,
  codeOf,
  person,
  SCOPES,
  SECRET,
  tokenCall,
  type Tokens,
  tokensOf,
} from "./pinterest-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
afterEach(() => settings("pinterest", { access: null, per_minute: null, quota: null }));

describe("the authorize page", () => {
  test.for<[what: string, change: Record<string, string>]>([
    ["another client", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["no address to go back to", { redirect_uri: "" }],
  ])("refuses %s without sending anybody back", async ([, change], { expect }) => {
    const answer = await authorize(change);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test("gives code and state; sends back who says no", async ({ expect }) => {
    const back = async (change: Record<string, string>) =>
      Object.fromEntries(new URL((await authorize(change)).headers.get("location") ?? "").searchParams);
    expect(await back({})).toEqual({ code: expect.any(String) as string, state: "s1" });
    expect(await back({ login: "-" })).toEqual({ error: "access_denied", state: "s1" });
  });
});

describe("the token endpoint", () => {
  test("gives 30 and 60 days", async ({ expect }) => {
    expect(await tokensOf()).toEqual({
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

  test("wants Basic, and a code once", async ({ expect }) => {
    const form = codeForm(await codeFor());
    const inBody = { ...form, client_id: "sandbox-pinterest", client_secret: "sandbox-pinterest-secret" };
    expect(await codeOf(await tokenCall(inBody, null))).toBe("401 2");
    expect(await codeOf(await tokenCall(form, `Basic ${btoa("sandbox-pinterest:x")}`))).toBe("401 2");
    expect(await codeOf(await tokenCall(form, "Basic %%%"))).toBe("401 2");
    expect(await codeOf(await tokenCall({ ...form, redirect_uri: "https://example.com" }))).toBe("400 283");
    expect((await tokenCall(form)).status).toBe(200);
    expect(await codeOf(await tokenCall(form))).toBe("400 283");
    expect(await codeOf(await tokenCall({ grant_type: "password" }, BASIC))).toBe("400 1");
  });

  test("rotates the pair, also to fewer scopes, never to more", async ({ expect }) => {
    const first = await tokensOf();
    const renew = (refresh_token: string, more: Record<string, string> = {}) =>
      tokenCall({ grant_type: "refresh_token", refresh_token, ...more });
    expect(await codeOf(await renew(first.refresh_token, { scope: `${SCOPES},${SECRET}` }))).toBe("400 1");
    const second = await (await renew(first.refresh_token, { scope: "pins:read,boards:read" })).json<Tokens>();
    expect(second).toMatchObject({ scope: "pins:read boards:read", expires_in: 2_592_000 });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await codeOf(await renew(first.refresh_token))).toBe("401 2");
    const both = await Promise.all([1, 2].map(() => renew(second.refresh_token)));
    expect(both.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  test("lets nobody revoke", async ({ expect }) => {
    const ada = await person();
    expect(await codeOf(await ada.api("POST", "/oauth/token/revoke"))).toBe("403 29");
    expect((await ada.api("GET", "/user_account")).status).toBe(200);
  });
});

describe("a token", () => {
  test("lives 30 days, or until the person withdraws the app", async ({ expect }) => {
    const ada = await person();
    pass(2_591_999);
    expect((await ada.api("GET", "/user_account")).status).toBe(200);
    pass(1);
    expect(await codeOf(await ada.api("GET", "/user_account"))).toBe("401 2");
    const ben = await person({ login: "ben" });
    await control("/sandbox/platforms/pinterest/revoke", { account: "2783136121146311999" });
    expect(await codeOf(await ben.api("GET", "/user_account"))).toBe("401 2");
  });

  test("tells whose it is; ids are text; every answer has a request id", async ({ expect }) => {
    const ada = await person();
    const answer = await ada.api("GET", "/user_account");
    expect(answer.headers.get("x-pinterest-rid")).toMatch(/^\d+$/);
    expect(await answer.json()).toMatchObject({
      id: "2783136121146311751",
      username: "ada_makes",
      account_type: "BUSINESS",
      business_name: "Ada Makes",
    });
    const ben = await person({ login: "ben" });
    expect(await (await ben.api("GET", "/user_account")).json()).toMatchObject({
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
    const ada = await person({ scope: scopes.join(",") });
    expect(await codeOf(await ada.api(method, path, method === "POST" ? {} : undefined))).toBe("403 3");
  });
});

describe("the boards", () => {
  interface Boards {
    readonly items: readonly { readonly id: string; readonly name: string; readonly is_ads_only: boolean }[];
    readonly bookmark: string | null;
  }
  const list = async (query: string, change: Record<string, string> = {}): Promise<Boards> =>
    (await (await person(change)).api("GET", `/boards${query}`)).json<Boards>();

  test("come page by page, with a group board and one for ads", async ({ expect }) => {
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

  test("hide the secret ones until the scope for them is there", async ({ expect }) => {
    const open = { scope: `${SCOPES},${SECRET}` };
    expect((await list("", open)).items.map((board) => board.name)).toContain("Hidden drafts");
    expect((await list("?privacy=SECRET", open)).items).toHaveLength(1);
    expect((await list("?privacy=SECRET")).items).toHaveLength(0);
  });

  test.for(["?page_size=0", "?page_size=251", "?page_size=many", "?bookmark=!!!", "?bookmark=bm9uZQ=="])(
    "refuse %s",
    async (query, { expect }) => {
      const ada = await person();
      expect(await codeOf(await ada.api("GET", `/boards${query}`))).toBe("400 1");
    },
  );
});

describe("too often", () => {
  test("a trial app has a thousand calls a day", async ({ expect }) => {
    await settings("pinterest", { access: "trial", quota: 2 });
    const ada = await person();
    const look = async () => codeOf(await ada.api("GET", "/user_account"));
    expect([await look(), await look(), await look()]).toEqual(["200", "200", "429 8"]);
    pass(86_400);
    expect(await look()).toBe("200");
  });

  test("any other as many a minute as the settings say", async ({ expect }) => {
    await settings("pinterest", { per_minute: 1 });
    const ada = await person();
    const look = async () => codeOf(await ada.api("GET", "/user_account"));
    pass(60);
    expect([await look(), await look()]).toEqual(["200", "429 8"]);
    pass(60);
    expect(await look()).toBe("200");
  });
});

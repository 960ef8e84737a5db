import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { adapterFor } from "#platforms/registry.ts";
import type { Adapter } from "#platforms/contract.ts";
import { PLATFORMS, type Platform } from "#core/platform.ts";
import { scriptedClient, parseRequestBody } from "../support/scripted-http-client.ts";
import {
  sandboxCredentials,
  logIn,
  logInAtPlatform,
  unwrap,
  revokeAtPlatform,
  simulatedClient,
} from "../support/drive-simulator.ts";
import { authorizeUrl, exchangeCode, refreshTokens, tokenRefresh } from "../support/call-connector.ts";

let startTime = Date.parse("2033-01-01T00:00:00Z");
beforeEach(() => {
  startTime += 90 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: startTime });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Platforms whose tokens this suite does not refresh, with the reason. */
const REFRESH_LEFT_OUT = {
  linkedin: "only the apps of approved partners get a refresh token; test/platforms/linkedin/connect.test.ts",
  mastodon: "tokens do not expire",
} as const satisfies Partial<Record<Platform, string>>;

function adapterOf(platform: Platform): Adapter {
  const adapter = adapterFor(platform);
  if (!adapter) {
    throw new Error(`${platform} is not registered`);
  }
  return adapter;
}

const DAY_MS = 86_400_000;

describe.each(PLATFORMS)("%s", (platform) => {
  const adapter = adapterOf(platform);
  const app = sandboxCredentials(adapter);

  test("a login has accounts with text ids and all scopes granted", async ({ expect }) => {
    const { tokens, accounts, externalId } = await logIn(adapter, "ada");
    expect(externalId).toMatch(/^\S+$/);
    expect(accounts.length).toBeGreaterThan(0);
    for (const account of accounts) {
      expect(account.platformAccountId).toMatch(/^\S+$/);
      expect(account.username).not.toBe("");
    }
    const listed = unwrap(await adapter.connect.listAccounts(simulatedClient(adapter), app, tokens));
    expect(listed.accounts.flatMap((account) => account.missingScopes)).toEqual([]);
    expect((await logIn(adapter, "ada")).externalId, "of the same user's next login").toBe(externalId);
  });

  test("a login that the user revoked is the fault reconnect", async ({ expect }) => {
    const { tokens, accounts } = await logIn(adapter, "ada");
    const client = simulatedClient(adapter);
    expect(await adapter.connect.listAccounts(client, app, tokens)).toMatchObject({ ok: true });
    await revokeAtPlatform(adapter, accounts[0]?.platformAccountId ?? "");
    expect(await adapter.connect.listAccounts(client, app, tokens)).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
  });

  test("an invalid code and wrong app credentials are faults without the secret", async ({ expect }) => {
    const { params, exchange } = await logInAtPlatform(adapter, "ada");
    expect(await exchange({ ...params, code: "made-up" })).toMatchObject({ ok: false });
    if (adapter.operatorCredentials === "required") {
      const refused = await exchange(params, { ...app, clientSecret: "not-the-secret" });
      expect(refused).toMatchObject({ ok: false });
      expect(JSON.stringify(refused)).not.toContain("not-the-secret");
    }
  });
});

describe.each(PLATFORMS.filter((platform) => !(platform in REFRESH_LEFT_OUT)))("%s", (platform) => {
  const adapter = adapterOf(platform);
  const app = sandboxCredentials(adapter);

  test("a token is refreshed before it expires, and the new one works", async ({ expect }) => {
    const { tokens } = await logIn(adapter, "ada");
    const expiresAt = tokens.expiresAt ?? 0;
    expect(expiresAt).toBeGreaterThan(Date.now());
    vi.setSystemTime(expiresAt - tokenRefresh(adapter.connect).aheadMs);
    const refreshed = unwrap(await refreshTokens(adapter.connect, simulatedClient(adapter), app, tokens, Date.now()));
    expect(refreshed.expiresAt).toBeGreaterThan(expiresAt);
    vi.setSystemTime(expiresAt + 1000);
    expect(await adapter.connect.listAccounts(simulatedClient(adapter), app, refreshed)).toMatchObject({ ok: true });
  });

  test("a token that the user revoked is not refreshed: the fault reconnect", async ({ expect }) => {
    const { tokens, accounts } = await logIn(adapter, "ada");
    // Some platforms refresh a token only once it is a day old.
    vi.setSystemTime(Date.now() + 2 * DAY_MS);
    await revokeAtPlatform(adapter, accounts[0]?.platformAccountId ?? "");
    const refused = await refreshTokens(adapter.connect, simulatedClient(adapter), app, tokens, Date.now());
    expect(refused).toMatchObject({ ok: false, fault: { kind: "reconnect" } });
  });
});

function failNoAccount(): never {
  throw new Error("the login has no account");
}

describe("x", () => {
  const adapter = adapterOf("x");

  test("the X subscription decides the maximum length of a text", async ({ expect }) => {
    const limitOf = async (login: string) => {
      const { accounts } = await logIn(adapter, login);
      const account = accounts[0] ?? failNoAccount();
      return adapter.validate({ caption: "hi", postType: "text", media: [], options: {}, account, settings: {} })
        .captionLimit;
    };
    expect(await limitOf("ada")).toBe(25_000);
    expect(await limitOf("ben")).toBe(280);
  });

  test("revoking ends both tokens", async ({ expect }) => {
    const { tokens } = await logIn(adapter, "ben");
    await adapter.connect.revoke?.(simulatedClient(adapter), sandboxCredentials(adapter), tokens);
    expect(
      await adapter.connect.listAccounts(simulatedClient(adapter), sandboxCredentials(adapter), tokens),
    ).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
    expect(
      await refreshTokens(adapter.connect, simulatedClient(adapter), sandboxCredentials(adapter), tokens, Date.now()),
    ).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
  });
});

describe("instagram", () => {
  const adapter = adapterOf("instagram");

  test("a personal account is unpostable, with a reason", async ({ expect }) => {
    const { accounts, unpostable } = await logIn(adapter, "ben");
    expect(accounts).toEqual([]);
    expect(unpostable).toEqual([expect.objectContaining({ reason: expect.stringContaining("professional") })]);
  });

  test("with the Facebook login every professional account of a Page can be posted to", async ({ expect }) => {
    const page = (id: string, members: object) => ({
      id,
      name: `Page ${id}`,
      access_token: `page-token-${id}`,
      tasks: ["CREATE_CONTENT"],
      ...members,
    });
    const own = { instagram_business_account: { id: "17841400008460057", username: "ada", followers_count: 1200 } };
    const credentials = sandboxCredentials(adapter, { LOGIN_VARIANT: "facebook" });
    const loginUrl = await authorizeUrl(adapter.connect, credentials, {
      redirectUri: "https://a.example.com",
      state: "s",
      codeChallenge: "c",
    });
    expect(loginUrl.href).toMatch(/^https:\/\/www\.facebook\.com\/v25\.0\/dialog\/oauth\?/);
    const client = scriptedClient(
      { json: { access_token: "short", token_type: "bearer", expires_in: 3600 } },
      { json: { access_token: "long", token_type: "bearer", expires_in: 5_183_944 } },
      { json: { id: 102_030_405_060_708, name: "Ada" } },
      {
        json: {
          data: [
            { permission: "instagram_basic", status: "granted" },
            { permission: "instagram_content_publish", status: "declined" },
            { permission: "business_management", status: "granted" },
          ],
        },
      },
      {
        json: {
          data: [page("1", own)],
          paging: { next: "https://graph.facebook.com/next?access_token=x&after=c1", cursors: { after: "c1" } },
        },
      },
      {
        json: {
          data: [
            page("2", {}),
            page("3", { instagram_business_account: { id: "18", username: "eve" }, tasks: [], access_token: null }),
          ],
        },
      },
      { json: { data: [{ id: "900" }] } },
      { json: { data: [page("4", { instagram_business_account: { id: "19", username: "bob" } })] } },
      { status: 403, json: { error: { code: 200, message: "no" } } },
    );
    const login = unwrap(
      await exchangeCode(adapter.connect, client, credentials, {
        redirectUri: "https://a.example.com",
        params: { code: "c#_=_" },
        codeVerifier: "v",
        now: 0,
      }),
    );
    expect(login).toMatchObject({
      externalId: "102030405060708",
      tokens: { accessToken: "long", expiresAt: 5_183_944_000, extra: { login: "page" } },
    });
    expect(client.requests[0]?.url.search).toBe("");
    expect(client.requests[0]?.body).toContain("code=c");
    const { accounts, unpostable } = unwrap(await adapter.connect.listAccounts(client, credentials, login.tokens));
    expect(accounts).toEqual([
      expect.objectContaining({
        platformAccountId: "17841400008460057",
        username: "ada",
        token: "page-token-1",
        capabilities: { login: "page", pageId: "1", followersCount: 1200 },
      }),
      expect.objectContaining({ platformAccountId: "19", token: "page-token-4" }),
    ]);
    expect(accounts[0]?.missingScopes).toEqual([
      "instagram_content_publish",
      "pages_show_list",
      "pages_read_engagement",
    ]);
    expect(unpostable).toEqual([expect.objectContaining({ platformAccountId: "18" })]);
    expect(client.requests[5]?.url.searchParams.get("after")).toBe("c1");
    // `tasks` is a field of the user's own list only, and every call proves the app's secret.
    expect(client.requests.map(({ url }) => (url.searchParams.get("fields") ?? "").includes("tasks"))).toEqual(
      client.requests.map(({ url }) => url.pathname.endsWith("/me/accounts")),
    );
    expect(client.requests.slice(2).every(({ url }) => url.searchParams.has("appsecret_proof"))).toBe(true);
    expect(client.requests.map((request) => request.url.hostname)).toEqual(Array(9).fill("graph.facebook.com"));
  });

  test("both forms of the token response are read, and ids beyond 2^53 stay exact", async ({ expect }) => {
    const long = { json: { access_token: "long", expires_in: 5_183_944 } };
    const me = {
      text: '{"id":24106780935621847,"user_id":17841400008460057,"username":"ada","account_type":"BUSINESS"}',
    };
    for (const short of [
      { text: '{"access_token":"short","user_id":17841400008460059,"permissions":["instagram_business_basic"]}' },
      {
        json: {
          data: [{ access_token: "short", user_id: "17841400008460059", permissions: "instagram_business_basic" }],
        },
      },
    ]) {
      const exchange = { redirectUri: "https://a.example.com", params: { code: "c#_" }, codeVerifier: "v", now: 0 };
      const client = scriptedClient(short, long, me);
      const login = unwrap(await exchangeCode(adapter.connect, client, sandboxCredentials(adapter), exchange));
      expect(login).toMatchObject({
        externalId: "24106780935621847",
        tokens: { scopes: ["instagram_business_basic"] },
      });
      const listed = await adapter.connect.listAccounts(scriptedClient(me), sandboxCredentials(adapter), login.tokens);
      expect(unwrap(listed).accounts).toMatchObject([{ platformAccountId: "17841400008460057" }]);
      expect(parseRequestBody(client.requests[0])).toMatchObject({ code: "c", grant_type: "authorization_code" });
    }
  });
});

describe("facebook", () => {
  const adapter = adapterOf("facebook");

  test("one user has several Pages, each with its own token", async ({ expect }) => {
    const { accounts, tokens } = await logIn(adapter, "ada");
    expect(accounts).toHaveLength(2);
    expect(new Set([tokens.accessToken, ...accounts.map((account) => account.accessToken)]).size).toBe(3);
  });

  test("revoking withdraws the whole grant", async ({ expect }) => {
    const { tokens } = await logIn(adapter, "ada");
    await adapter.connect.revoke?.(simulatedClient(adapter), sandboxCredentials(adapter), tokens);
    expect(
      await adapter.connect.listAccounts(simulatedClient(adapter), sandboxCredentials(adapter), tokens),
    ).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
  });
});

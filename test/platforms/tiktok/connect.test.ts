import { describe, test } from "vitest";
import type { TokenSet } from "#platforms/contract.ts";
import { tiktok } from "#platforms/tiktok/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { accountAccess, NOW } from "../../support/adapter-inputs.ts";
import { unwrap } from "../../support/drive-simulator.ts";
import { authorizeUrl, exchangeCode, refreshTokens } from "../../support/call-connector.ts";

const { connect } = tiktok;
const app = { clientId: "the-key", clientSecret: "the-secret", settings: {} };
const SCOPES = ["user.info.basic", "video.publish", "video.upload", "video.list"];
const LEAST_SCOPES = ["user.info.basic", "video.publish"];
const exchange = {
  redirectUri: "https://a.example.com/back",
  params: { code: "v0.code*1!2", scopes: SCOPES.join(","), state: "s" },
  codeVerifier: "verifier",
  now: NOW,
};
const tokenResponse = (overrides: object = {}): ScriptedResponse => ({
  json: {
    open_id: "_000abc",
    scope: SCOPES.join(","),
    access_token: "act.1",
    expires_in: 7200,
    refresh_token: "rft.1",
    refresh_expires_in: 15_552_000,
    token_type: "Bearer",
    ...overrides,
  },
});
const success = (data: object): ScriptedResponse => ({
  json: { data, error: { code: "ok", message: "", log_id: "2026" } },
});
const apiError = (code: string, status = 200): ScriptedResponse => ({
  status,
  json: { data: {}, error: { code, message: "", log_id: "2026" } },
});
const userResponse = success({
  user: { open_id: "_000abc", union_id: "u", avatar_url: "https://p.example.com/a", display_name: "Ada Moves" },
});
const creatorResponse = (overrides: object = {}) =>
  success({
    creator_username: "ada_moves",
    creator_nickname: "Ada",
    creator_avatar_url: "https://p.example.com/creator",
    privacy_level_options: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"],
    comment_disabled: false,
    duet_disabled: true,
    stitch_disabled: false,
    max_video_post_duration_sec: 300,
    ...overrides,
  });
const tokens: TokenSet = {
  accessToken: "act.1",
  refreshToken: "rft.1",
  expiresAt: NOW,
  refreshExpiresAt: NOW + 1000,
  scopes: SCOPES,
};
const CAPABILITIES = {
  creatorUsername: "ada_moves",
  creatorName: "Ada",
  creatorAvatarUrl: "https://p.example.com/creator",
  privacyLevels: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"],
  commentDisabled: false,
  duetDisabled: true,
  stitchDisabled: false,
  maxVideoSeconds: 300,
  refusal: null,
};

describe("authorizeUrl", () => {
  test("sends the client id as client_key", async ({ expect }) => {
    const url = await authorizeUrl(connect, app, {
      redirectUri: "https://a.example.com/b",
      state: "s",
      codeChallenge: "c",
    });
    expect(url.origin + url.pathname).toBe("https://www.tiktok.com/v2/auth/authorize/");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_key: "the-key",
      scope: LEAST_SCOPES.join(","),
      response_type: "code",
      redirect_uri: "https://a.example.com/b",
      state: "s",
    });
  });

  test.for([
    ["video.upload,video.list", SCOPES.join(",")],
    [" video.list  user.info.basic", "user.info.basic,video.publish,video.list"],
    ["", LEAST_SCOPES.join(",")],
  ] as const)("asks for the scopes of TIKTOK_SCOPES too: %j", async ([setting, scope], { expect }) => {
    const request = { redirectUri: "https://a.example.com/b", state: "s", codeChallenge: "c" };
    const url = await authorizeUrl(connect, { ...app, settings: { SCOPES: setting } }, request);
    expect(url.searchParams.get("scope")).toBe(scope);
  });
});

describe("exchangeCode", () => {
  test("stores both lifetimes from the response", async ({ expect }) => {
    const client = scriptedClient(tokenResponse(), userResponse);
    expect(unwrap(await exchangeCode(connect, client, app, exchange))).toEqual({
      externalId: "_000abc",
      displayName: "Ada Moves",
      tokens: {
        accessToken: "act.1",
        refreshToken: "rft.1",
        expiresAt: NOW + 7_200_000,
        refreshExpiresAt: NOW + 15_552_000_000,
        scopes: SCOPES,
      },
    });
    expect(client.requests[0]?.url.href).toBe("https://open.tiktokapis.com/v2/oauth/token/");
    expect(client.requests[0]?.headers.get("cache-control")).toBe("no-cache");
    expect(parseRequestBody(client.requests[0])).toEqual({
      client_key: "the-key",
      client_secret: "the-secret",
      code: "v0.code*1!2",
      grant_type: "authorization_code",
      redirect_uri: "https://a.example.com/back",
    });
    const longerLifetimes = scriptedClient(
      tokenResponse({ expires_in: 86_400, refresh_expires_in: 31_536_000 }),
      userResponse,
    );
    expect(unwrap(await exchangeCode(connect, longerLifetimes, app, exchange)).tokens.expiresAt).toBe(NOW + 86_400_000);
  });

  test.for([200, 400])("an error body is an error with status %i", async (status, { expect }) => {
    const invalidGrant = {
      error: "invalid_grant",
      error_description: "Authorization code is expired.",
      log_id: "2026",
    };
    expect(await exchangeCode(connect, scriptedClient({ status, json: invalidGrant }), app, exchange)).toMatchObject({
      ok: false,
      fault: { kind: "reconnect", platformCode: "invalid_grant" },
    });
  });
});

describe("a scope that the app lacks", () => {
  const withScopes = { ...app, settings: { SCOPES: "video.upload,video.list" } };
  const fault = { code: "app_misconfigured", whoMustAct: "operator", platformCode: "invalid_scope" };

  test.for<[string, Record<string, string>, string]>([
    ["which TikTok does not name", { error: "invalid_scope", error_type: "scope" }, SCOPES.join(", ")],
    ["which TikTok names", { error: "invalid_scope", error_description: "no access to video.list" }, "(video.list)"],
  ])("is the operator's fault, and the message says which: %s", async ([, params, named], { expect }) => {
    const client = scriptedClient(500);
    expect(
      await exchangeCode(connect, client, withScopes, { ...exchange, params: { ...params, state: "s" } }),
    ).toMatchObject({
      ok: false,
      fault: { ...fault, message: expect.stringContaining(named) as string },
    });
    expect(client.requests).toHaveLength(0);
  });

  test("is the operator's fault at the token endpoint too", async ({ expect }) => {
    const refused = { status: 400, json: { error: "invalid_scope", error_description: "", log_id: "1" } };
    expect(await exchangeCode(connect, scriptedClient(refused), withScopes, exchange)).toMatchObject({
      ok: false,
      fault,
    });
  });
});

describe("listAccounts", () => {
  test("with user.info.profile the user name is read without the creator's settings", async ({ expect }) => {
    const profile = success({ user: { open_id: "_000abc", display_name: "Ada Moves", username: "ada_moves" } });
    const client = scriptedClient(profile, apiError("spam_risk_too_many_posts"));
    const scopes = [...LEAST_SCOPES, "user.info.profile"];
    const { accounts } = unwrap(await connect.listAccounts(client, app, { ...tokens, scopes }));
    expect(accounts[0]).toMatchObject({ username: "ada_moves", profileUrl: "https://www.tiktok.com/@ada_moves" });
    expect(client.requests[0]?.url.searchParams.get("fields")).toBe(
      "open_id,union_id,avatar_url,display_name,username",
    );
  });

  test("a login has one account, with the user name of its profile URL", async ({ expect }) => {
    const client = scriptedClient(userResponse, creatorResponse());
    expect(unwrap(await connect.listAccounts(client, app, tokens))).toEqual({
      accounts: [
        {
          platformAccountId: "_000abc",
          username: "ada_moves",
          displayName: "Ada Moves",
          avatarUrl: "https://p.example.com/a",
          profileUrl: "https://www.tiktok.com/@ada_moves",
          missingScopes: [],
          capabilities: { ...CAPABILITIES, mayDraft: true, mayList: true },
          token: null,
        },
      ],
      unpostable: [],
    });
    expect(client.requests[0]?.url.searchParams.get("fields")).toBe("open_id,union_id,avatar_url,display_name");
  });

  test("a missing posting scope is reported and capabilities are not read", async ({ expect }) => {
    const client = scriptedClient(userResponse, 500);
    const { accounts } = unwrap(await connect.listAccounts(client, app, { ...tokens, scopes: ["user.info.basic"] }));
    expect(accounts[0]).toMatchObject({
      missingScopes: ["video.publish"],
      capabilities: { mayDraft: false },
      profileUrl: null,
    });
    expect(client.requests).toHaveLength(1);
  });

  test("an account that cannot post at the moment is still listed", async ({ expect }) => {
    for (const code of ["spam_risk_too_many_posts", "reached_active_user_cap", "spam_risk_user_banned_from_posting"]) {
      const { accounts } = unwrap(
        await connect.listAccounts(scriptedClient(userResponse, apiError(code)), app, tokens),
      );
      expect(accounts[0]).toMatchObject({ username: "Ada Moves", capabilities: { refusal: expect.any(String) } });
    }
  });

  test.for<[string, ScriptedResponse]>([
    ["throttled", apiError("rate_limit_exceeded", 429)],
    ["overloaded", 503],
    ["cut off", "connection_lost"],
  ])("an account whose creator look is %s is listed with what is known", async ([, response], { expect }) => {
    const { accounts } = unwrap(await connect.listAccounts(scriptedClient(userResponse, response), app, tokens));
    expect(accounts).toEqual([
      expect.objectContaining({
        username: "Ada Moves",
        isPartial: true,
        capabilities: { mayDraft: true, mayList: true },
      }),
    ]);
  });

  test("a failed call is a fault", async ({ expect }) => {
    expect(await connect.listAccounts(scriptedClient(503), app, tokens)).toMatchObject({
      fault: { kind: "temporary" },
    });
    expect(
      await connect.listAccounts(scriptedClient(userResponse, apiError("access_token_invalid", 401)), app, tokens),
    ).toMatchObject({ fault: { kind: "reconnect" } });
    expect(
      await connect.listAccounts(scriptedClient(apiError("access_token_invalid", 401)), app, tokens),
    ).toMatchObject({
      fault: { kind: "reconnect" },
    });
  });
});

describe("refresh", () => {
  test("stores the new refresh token", async ({ expect }) => {
    const client = scriptedClient(tokenResponse({ access_token: "act.2", refresh_token: "rft.2" }));
    expect(unwrap(await refreshTokens(connect, client, app, tokens, NOW))).toMatchObject({
      accessToken: "act.2",
      refreshToken: "rft.2",
      expiresAt: NOW + 7_200_000,
      refreshExpiresAt: NOW + 15_552_000_000,
    });
    expect(parseRequestBody(client.requests[0])).toEqual({
      client_key: "the-key",
      client_secret: "the-secret",
      grant_type: "refresh_token",
      refresh_token: "rft.1",
    });
  });

  test.for([200, 400, 401])(
    "an invalid refresh token requires a new login, with status %i",
    async (status, { expect }) => {
      const invalidGrant = {
        error: "invalid_grant",
        error_description: "Refresh token is invalid or expired.",
        log_id: "2026",
      };
      expect(
        await refreshTokens(connect, scriptedClient({ status, json: invalidGrant }), app, tokens, NOW),
      ).toMatchObject({
        fault: { kind: "reconnect" },
      });
    },
  );

  test("wrong app credentials do not invalidate the login", async ({ expect }) => {
    expect(
      await refreshTokens(
        connect,
        scriptedClient({ status: 200, json: { error: "invalid_client" } }),
        app,
        tokens,
        NOW,
      ),
    ).toMatchObject({ fault: { kind: "temporary", whoMustAct: "operator" } });
  });
});

describe("revoke", () => {
  test("sends the app credentials and the access token", async ({ expect }) => {
    const client = scriptedClient({ json: {} });
    await connect.revoke?.(client, app, tokens);
    expect(client.requests.map((sent) => sent.url.href)).toEqual(["https://open.tiktokapis.com/v2/oauth/revoke/"]);
    expect(parseRequestBody(client.requests[0])).toEqual({
      client_key: "the-key",
      client_secret: "the-secret",
      token: "act.1",
    });
  });
});

describe("fetchCapabilities", () => {
  const account = accountAccess({ capabilities: { mayDraft: true, commentDisabled: true } });

  test("returns what the account may do now and keeps the other capabilities", async ({ expect }) => {
    const client = scriptedClient(creatorResponse());
    expect(unwrap(await tiktok.fetchCapabilities(client, account))).toEqual({ ...CAPABILITIES, mayDraft: true });
    expect(client.requests[0]?.method).toBe("POST");
    expect(client.requests[0]?.url.pathname).toBe("/v2/post/publish/creator_info/query/");
    expect(client.requests[0]?.body).toBeNull();
  });

  test("a refusal with status 200 is returned as a capability", async ({ expect }) => {
    expect(
      unwrap(await tiktok.fetchCapabilities(scriptedClient(apiError("reached_active_user_cap")), account)),
    ).toMatchObject({
      mayDraft: true,
      commentDisabled: true,
      refusal: expect.stringContaining("accounts"),
    });
  });

  test.for<[string, ScriptedResponse]>([
    ["a lost connection", "connection_lost"],
    ["503", 503],
    ["429", apiError("rate_limit_exceeded", 429)],
    ["an unexpected body", success({ creator_username: "ada" })],
  ])("%s is a fault, so the stored capabilities are used", async ([, script], { expect }) => {
    expect(await tiktok.fetchCapabilities(scriptedClient(script), account)).toMatchObject({ ok: false });
  });
});

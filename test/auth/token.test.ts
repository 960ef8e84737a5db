import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { DAY, SECOND } from "#core/clock.ts";
import {
  callApi,
  obtainCode,
  errorCodeOf,
  formBody,
  ORIGIN,
  obtainTokens,
  createPkcePair,
  registerClient,
  createServiceFixture,
  requestToken,
  type TokenResponse,
} from "./service-fixture.ts";

const service = createServiceFixture();

afterEach(() => {
  vi.useRealTimers();
});

function refresh(tokens: Pick<TokenResponse, "refresh_token">, clientId: string, more: Record<string, string> = {}) {
  return requestToken(service, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: tokens.refresh_token,
    ...more,
  });
}

function revoke(fields: Record<string, string | undefined>): Promise<Response> {
  return service.fetch("/oauth/revoke", { method: "POST", body: formBody(fields) });
}

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
});

describe("D. Token, refresh, revoke", () => {
  test("D41 only form-encoded bodies, and no parameter twice", async ({ expect }) => {
    const { tokenRequest } = await obtainCode(service);
    const json = await service.fetch("/oauth/token", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(tokenRequest),
    });
    expect(json.status).toBe(400);
    expect(await errorCodeOf(json)).toBe("invalid_request");
    for (const name of ["code", "client_id", "grant_type", "x"]) {
      const twice = await requestToken(service, { ...tokenRequest, [name]: ["a", "b"] });
      expect([twice.status, await errorCodeOf(twice)]).toEqual([400, "invalid_request"]);
    }
    expect((await requestToken(service, tokenRequest)).status).toBe(200);
  });

  test.for([
    ["verifier", { code_verifier: createPkcePair().verifier }],
    ["verifier that is malformed", { code_verifier: "short" }],
    ["redirect_uri", { redirect_uri: "https://app.example/other" }],
    ["redirect_uri with a NUL", { redirect_uri: "https://app.example/\u0000" }],
  ] as const)("D42 a wrong %s is invalid_grant and the code stays usable", async ([, wrong], { expect }) => {
    const { tokenRequest } = await obtainCode(service);
    const refused = await requestToken(service, { ...tokenRequest, ...wrong });
    expect([refused.status, await errorCodeOf(refused)]).toEqual([400, "invalid_grant"]);
    expect((await requestToken(service, tokenRequest)).status).toBe(200);
  });

  test("D42 redirect_uri may be omitted, the verifier may not", async ({ expect }) => {
    const { tokenRequest } = await obtainCode(service);
    const bare = await requestToken(service, { ...tokenRequest, code_verifier: undefined });
    expect([bare.status, await errorCodeOf(bare)]).toEqual([400, "invalid_request"]);
    expect((await requestToken(service, { ...tokenRequest, redirect_uri: undefined })).status).toBe(200);
  });

  test("D43 eight parallel exchanges of one code: exactly one 200", async ({ expect }) => {
    const { tokenRequest } = await obtainCode(service);
    const responses = await Promise.all(Array.from({ length: 8 }, () => requestToken(service, tokenRequest)));
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([
      200, 400, 400, 400, 400, 400, 400, 400,
    ]);
  });

  test("D44 a valid replay revokes the tokens of the first exchange", async ({ expect }) => {
    const { tokenRequest, tokens } = await obtainTokens(service);
    expect((await callApi(service, tokens.access_token)).status).toBe(200);
    expect((await requestToken(service, tokenRequest)).status).toBe(400);
    expect((await callApi(service, tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens, tokenRequest.client_id)).status).toBe(400);
  });

  test("D44 a replay with a wrong verifier revokes nothing", async ({ expect }) => {
    const { tokenRequest, tokens } = await obtainTokens(service);
    expect((await requestToken(service, { ...tokenRequest, code_verifier: createPkcePair().verifier })).status).toBe(
      400,
    );
    expect((await callApi(service, tokens.access_token)).status).toBe(200);
  });

  test("D45 an expired code and a code of another client are invalid_grant", async ({ expect }) => {
    const foreign = await obtainCode(service);
    const other = await registerClient(service);
    const stolen = await requestToken(service, { ...foreign.tokenRequest, client_id: other.id });
    expect([stolen.status, await errorCodeOf(stolen)]).toEqual([400, "invalid_grant"]);
    expect((await requestToken(service, foreign.tokenRequest)).status).toBe(200);

    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const late = await obtainCode(service);
    vi.setSystemTime(started + 60 * SECOND);
    const expired = await requestToken(service, late.tokenRequest);
    expect([expired.status, await errorCodeOf(expired)]).toEqual([400, "invalid_grant"]);
    vi.setSystemTime(started + 60 * SECOND - 1);
    expect((await requestToken(service, late.tokenRequest)).status).toBe(200);
  });

  test("D46 success and errors are not cacheable; success contains type, lifetime and scope", async ({ expect }) => {
    const { tokenRequest } = await obtainCode(service);
    const refused = await requestToken(service, { ...tokenRequest, code: "x" });
    const good = await requestToken(service, tokenRequest);
    for (const response of [refused, good]) {
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("content-type")).toContain("application/json");
    }
    expect(await good.json()).toEqual({
      access_token: expect.stringMatching(/^ala_/),
      refresh_token: expect.stringMatching(/^alr_/),
      token_type: "Bearer",
      expires_in: 3600,
      scope: "posts:read posts:write",
    });
  });

  test("D47 refresh rotates; reuse after the grace period revokes the grant", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const { app, tokens } = await obtainTokens(service);
    const first = await (await refresh(tokens, app.id)).json<TokenResponse>();
    expect(first.refresh_token).not.toBe(tokens.refresh_token);
    expect((await callApi(service, first.access_token)).status).toBe(200);
    vi.setSystemTime(started + 10 * SECOND);
    const reuse = await refresh(tokens, app.id);
    expect([reuse.status, await errorCodeOf(reuse)]).toEqual([400, "invalid_grant"]);
    expect((await callApi(service, first.access_token)).status).toBe(401);
    expect((await refresh(first, app.id)).status).toBe(400);
  });

  test("D47 eight parallel refreshes within the grace period all succeed", async ({ expect }) => {
    const { app, tokens } = await obtainTokens(service);
    const responses = await Promise.all(Array.from({ length: 8 }, () => refresh(tokens, app.id)));
    expect(responses.map((response) => response.status)).toEqual(Array.from({ length: 8 }, () => 200));
  });

  test("D47 all uses of a refresh token within the grace period get the same pair", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const { app, tokens, userId } = await obtainTokens(service);
    const responses = await Promise.all(Array.from({ length: 8 }, () => refresh(tokens, app.id)));
    const pairs = await Promise.all(responses.map((response) => response.json<TokenResponse>()));
    vi.setSystemTime(started + 9 * SECOND);
    const late = await (await refresh(tokens, app.id)).json<TokenResponse>();
    const first = pairs[0];
    expect(new Set(pairs.map((pair) => JSON.stringify(pair))).size).toBe(1);
    // The pair is as old as its first use.
    expect(late).toEqual({ ...first, expires_in: 3591 });
    const stored = await env.DB.prepare(
      "SELECT count(*) AS n FROM oauth_tokens WHERE grant_id IN (SELECT id FROM oauth_grants WHERE user_id = ?)",
    )
      .bind(userId)
      .first();
    expect(stored).toEqual({ n: 4 });
  });

  test("D47 the same pair is derived with a key of the service: another key gives another pair", async ({ expect }) => {
    const { app, tokens } = await obtainTokens(service);
    const keys = JSON.stringify({ sandbox: btoa("other-other-other-other-other-32") });
    const first = await (await refresh(tokens, app.id)).json<TokenResponse>();
    const otherKey = createServiceFixture({ TOKEN_KEYS: keys });
    const response = await requestToken(otherKey, {
      grant_type: "refresh_token",
      client_id: app.id,
      refresh_token: tokens.refresh_token,
    });
    const second = await response.json<TokenResponse>();
    expect(response.status).toBe(200);
    expect([second.access_token, second.refresh_token]).not.toEqual([first.access_token, first.refresh_token]);
  });

  test("D53 a repeated refresh does not bring a revoked access token back", async ({ expect }) => {
    const { app, tokens } = await obtainTokens(service);
    const next = await (await refresh(tokens, app.id)).json<TokenResponse>();
    await revoke({ client_id: app.id, token: next.access_token });
    const again = await (await refresh(tokens, app.id)).json<TokenResponse>();
    expect(again.access_token).toBe(next.access_token);
    expect((await callApi(service, next.access_token)).status).toBe(401);
  });

  test("D48 a repeated refresh with another scope gets an access token of that scope", async ({ expect }) => {
    const { app, tokens } = await obtainTokens(service);
    const full = await (await refresh(tokens, app.id)).json<TokenResponse>();
    const narrow = await (await refresh(tokens, app.id, { scope: "posts:read" })).json<TokenResponse>();
    expect(narrow.refresh_token).toBe(full.refresh_token);
    expect(narrow.access_token).not.toBe(full.access_token);
    expect([full.scope, narrow.scope]).toEqual(["posts:read posts:write", "posts:read"]);
  });

  test("D47 each refresh extends the lifetime to 30 days, and reuse is detected for days", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const { app, tokens } = await obtainTokens(service);
    vi.setSystemTime(started + 30 * DAY - 1);
    const next = await (await refresh(tokens, app.id)).json<TokenResponse>();
    vi.setSystemTime(started + 60 * DAY - 2);
    const third = await refresh(next, app.id);
    expect(third.status).toBe(200);
    vi.setSystemTime(started + 65 * DAY);
    expect((await refresh(next, app.id)).status).toBe(400);
    expect((await refresh(await third.json<TokenResponse>(), app.id)).status).toBe(400);
  });

  test("D48 scope can be narrowed, not widened, and the refresh token keeps all scopes", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const { app, tokens } = await obtainTokens(service);
    const wide = await refresh(tokens, app.id, { scope: "posts:read accounts:write" });
    expect([wide.status, await errorCodeOf(wide)]).toEqual([400, "invalid_scope"]);
    const foreign = await refresh(tokens, app.id, { resource: "https://api.example" });
    expect([foreign.status, await errorCodeOf(foreign)]).toEqual([400, "invalid_target"]);
    // Refused before rotation: the token still works long after the grace period.
    vi.setSystemTime(started + 60 * SECOND);
    const narrow = await (await refresh(tokens, app.id, { scope: "posts:read" })).json<TokenResponse>();
    expect(narrow.scope).toBe("posts:read");
    expect((await callApi(service, narrow.access_token, "/posts")).status).toBe(200);
    const full = await (await refresh(narrow, app.id)).json<TokenResponse>();
    expect(full.scope).toBe("posts:read posts:write");
  });

  test.for([
    ["the API", "/v1", "/mcp"],
    ["the MCP server", "/mcp", "/v1"],
  ] as const)(
    "D48 a grant for %s is exchanged and refreshed for that resource only",
    async ([, granted, other], { expect }) => {
      const resource = `${ORIGIN}${granted}`;
      const { app, tokenRequest } = await obtainCode(service, { query: { resource } });
      const refused = await requestToken(service, { ...tokenRequest, resource: `${ORIGIN}${other}` });
      expect([refused.status, await errorCodeOf(refused)]).toEqual([400, "invalid_target"]);
      const exchanged = await requestToken(service, { ...tokenRequest, resource: `${resource}/` });
      expect(exchanged.status).toBe(200);
      const tokens = await exchanged.json<TokenResponse>();
      for (const foreign of [`${ORIGIN}${other}`, "https://api.example/"]) {
        const response = await refresh(tokens, app.id, { resource: foreign });
        expect([response.status, await errorCodeOf(response)]).toEqual([400, "invalid_target"]);
      }
      const refreshed = await refresh(tokens, app.id, { resource });
      expect(refreshed.status).toBe(200);
      const { access_token: next } = await refreshed.json<TokenResponse>();
      expect((await callApi(service, next)).status).toBe(granted === "/v1" ? 200 : 401);
    },
  );

  test("D49 a refresh token of another client is invalid_grant and its owner is not affected", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { app, tokens } = await obtainTokens(service);
    const otherClient = await registerClient(service);
    const stolen = await refresh(tokens, otherClient.id);
    expect([stolen.status, await errorCodeOf(stolen)]).toEqual([400, "invalid_grant"]);
    vi.setSystemTime(Date.now() + 60 * SECOND);
    const next = await refresh(tokens, app.id);
    expect(next.status).toBe(200);
    // Rotated now: reuse by another client must not revoke the grant either.
    vi.setSystemTime(Date.now() + 60 * SECOND);
    expect((await refresh(tokens, otherClient.id)).status).toBe(400);
    expect((await refresh(await next.json<TokenResponse>(), app.id)).status).toBe(200);
  });

  test("D50 a confidential client without secret, with a wrong or another client's secret is 401 invalid_client", async ({
    expect,
  }) => {
    const app = await registerClient(service, { token_endpoint_auth_method: "client_secret_basic" });
    const { tokenRequest } = await obtainCode(service, { app });
    const { client_secret: secret, ...bare } = tokenRequest;
    const other = await registerClient(service, { token_endpoint_auth_method: "client_secret_post" });
    for (const response of [
      await requestToken(service, bare),
      await requestToken(service, { ...bare, client_secret: "wrong" }),
      await requestToken(service, { ...bare, client_secret: other.secret }),
      await requestToken(service, { ...bare, client_id: crypto.randomUUID() }),
    ]) {
      expect([response.status, await errorCodeOf(response)]).toEqual([401, "invalid_client"]);
      expect(response.headers.get("www-authenticate")).toBeNull();
    }
    const { client_id: _, ...anonymous } = bare;
    const wrong = await requestToken(service, anonymous, basic(app.id, "wrong"));
    expect([wrong.status, await errorCodeOf(wrong)]).toEqual([401, "invalid_client"]);
    expect(wrong.headers.get("www-authenticate")).toMatch(/^Basic /);
    const both = await requestToken(service, { ...anonymous, client_secret: secret }, basic(app.id, secret!));
    expect([both.status, await errorCodeOf(both)]).toEqual([400, "invalid_request"]);
    expect((await requestToken(service, anonymous, basic(app.id, secret!))).status).toBe(200);
  });

  test("D50 a public client that sends a secret is 401 invalid_client", async ({ expect }) => {
    const { tokenRequest } = await obtainCode(service);
    const response = await requestToken(service, { ...tokenRequest, client_secret: "anything" });
    expect([response.status, await errorCodeOf(response)]).toEqual([401, "invalid_client"]);
    expect((await requestToken(service, tokenRequest)).status).toBe(200);
  });

  test("D51 Basic credentials are form-decoded", async ({ expect }) => {
    const app = await registerClient(service, { token_endpoint_auth_method: "client_secret_basic" });
    const { tokenRequest } = await obtainCode(service, { app });
    const { client_id: _id, client_secret: _secret, ...fields } = tokenRequest;
    const everyCharacter = (text: string) =>
      [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");
    const encoded = btoa(`${everyCharacter(app.id)}:${everyCharacter(app.secret!)}`);
    for (const junk of ["%", "a:b%zz", "Zm9v", "====", "\u00ff"]) {
      const response = await requestToken(service, fields, { authorization: `Basic ${btoa(junk)}` });
      expect([response.status, await errorCodeOf(response)]).toEqual([401, "invalid_client"]);
    }
    expect((await requestToken(service, fields, { authorization: `Basic ${encoded}` })).status).toBe(200);
  });

  test.for(["password", "client_credentials", "implicit", "urn:ietf:params:oauth:grant-type:device_code"])(
    "D52 the grant type %s is unsupported_grant_type",
    async (grantType, { expect }) => {
      const app = await registerClient(service);
      const response = await requestToken(service, { grant_type: grantType, client_id: app.id });
      expect([response.status, await errorCodeOf(response)]).toEqual([400, "unsupported_grant_type"]);
    },
  );

  test("D53 revoking an access token ends only that token, a refresh token the whole grant", async ({ expect }) => {
    const { app, tokens } = await obtainTokens(service);
    const next = await (await refresh(tokens, app.id)).json<TokenResponse>();
    const ended = await revoke({ client_id: app.id, token: tokens.access_token, token_type_hint: "refresh_token" });
    expect([ended.status, await ended.json()]).toEqual([200, {}]);
    expect((await callApi(service, tokens.access_token)).status).toBe(401);
    expect((await callApi(service, next.access_token)).status).toBe(200);
    expect((await revoke({ client_id: app.id, token: next.refresh_token })).status).toBe(200);
    expect((await callApi(service, next.access_token)).status).toBe(401);
    expect((await refresh(next, app.id)).status).toBe(400);
  });

  test("D53 revoking an invalid or another client's token is 200 and changes nothing", async ({ expect }) => {
    const { tokens, app } = await obtainTokens(service);
    const other = await registerClient(service);
    for (const token of ["garbage", "\u0000", tokens.access_token, tokens.refresh_token]) {
      expect((await revoke({ client_id: other.id, token })).status).toBe(200);
    }
    expect((await callApi(service, tokens.access_token)).status).toBe(200);
    expect((await refresh(tokens, app.id)).status).toBe(200);
    expect((await revoke({ client_id: other.id })).status).toBe(400);
    expect((await revoke({ token: tokens.access_token })).status).toBe(401);
  });

  test.for(["/oauth/token", "/oauth/revoke", "/oauth/register", "/.well-known/oauth-authorization-server"])(
    "D54 browsers may call %s from any origin",
    async (path, { expect }) => {
      const preflight = await service.fetch(path, {
        method: "OPTIONS",
        headers: {
          origin: "https://agent.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization, content-type, mcp-protocol-version",
        },
      });
      expect(preflight.ok).toBe(true);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      const allowed = preflight.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
      for (const header of ["authorization", "content-type", "mcp-protocol-version"]) {
        expect(allowed).toContain(header);
      }
      expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    },
  );

  test("D54 /v1 responds to browsers and lets them read the challenge", async ({ expect }) => {
    const response = await service.fetch("/v1/posts", { headers: { origin: "https://agent.example" } });
    expect(response.status).toBe(401);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")?.toLowerCase()).toContain("www-authenticate");
  });

  test("OAuth endpoints accept only POST and say so in Allow", async ({ expect }) => {
    for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/register"]) {
      const response = await service.fetch(path);
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
    const large = await service.fetch("/oauth/token", { method: "POST", body: formBody({ code: "x".repeat(70_000) }) });
    expect(large.status).toBe(413);
  });
});

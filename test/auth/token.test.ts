import { afterEach, describe, test, vi } from "vitest";
import { DAY, SECOND } from "#core/clock.ts";
import { api, consented, errorOf, form, letIn, proof, registerApp, stage, tokenCall, type Tokens } from "./stage.ts";

const on = stage();

afterEach(() => {
  vi.useRealTimers();
});

function refresh(tokens: Pick<Tokens, "refresh_token">, clientId: string, more: Record<string, string> = {}) {
  return tokenCall(on, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: tokens.refresh_token,
    ...more,
  });
}

function revoke(fields: Record<string, string | undefined>): Promise<Response> {
  return on.fetch("/oauth/revoke", { method: "POST", body: form(fields) });
}

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
});

describe("D. Token, refresh, revoke", () => {
  test("D41 only form-encoded bodies, and no parameter twice", async ({ expect }) => {
    const { redemption } = await consented(on);
    const json = await on.fetch("/oauth/token", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(redemption),
    });
    expect(json.status).toBe(400);
    expect(await errorOf(json)).toBe("invalid_request");
    for (const name of ["code", "client_id", "grant_type", "x"]) {
      const twice = await tokenCall(on, { ...redemption, [name]: ["a", "b"] });
      expect([twice.status, await errorOf(twice)]).toEqual([400, "invalid_request"]);
    }
    expect((await tokenCall(on, redemption)).status).toBe(200);
  });

  test.for([
    ["verifier", { code_verifier: proof().verifier }],
    ["verifier that is none", { code_verifier: "short" }],
    ["redirect_uri", { redirect_uri: "https://app.example/other" }],
    ["redirect_uri with a NUL", { redirect_uri: "https://app.example/\u0000" }],
  ] as const)("D42 a wrong %s is invalid_grant and the code stays usable", async ([, wrong], { expect }) => {
    const { redemption } = await consented(on);
    const refused = await tokenCall(on, { ...redemption, ...wrong });
    expect([refused.status, await errorOf(refused)]).toEqual([400, "invalid_grant"]);
    expect((await tokenCall(on, redemption)).status).toBe(200);
  });

  test("D42 redirect_uri may be left out, the verifier may not", async ({ expect }) => {
    const { redemption } = await consented(on);
    const bare = await tokenCall(on, { ...redemption, code_verifier: undefined });
    expect([bare.status, await errorOf(bare)]).toEqual([400, "invalid_request"]);
    expect((await tokenCall(on, { ...redemption, redirect_uri: undefined })).status).toBe(200);
  });

  test("D43 eight parallel exchanges of one code: exactly one 200", async ({ expect }) => {
    const { redemption } = await consented(on);
    const answers = await Promise.all(Array.from({ length: 8 }, () => tokenCall(on, redemption)));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
      200, 400, 400, 400, 400, 400, 400, 400,
    ]);
  });

  test("D44 a valid replay revokes what the first exchange got", async ({ expect }) => {
    const { redemption, tokens } = await letIn(on);
    expect((await api(on, tokens.access_token)).status).toBe(200);
    expect((await tokenCall(on, redemption)).status).toBe(400);
    expect((await api(on, tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens, redemption.client_id)).status).toBe(400);
  });

  test("D44 a replay with a wrong verifier revokes nothing", async ({ expect }) => {
    const { redemption, tokens } = await letIn(on);
    expect((await tokenCall(on, { ...redemption, code_verifier: proof().verifier })).status).toBe(400);
    expect((await api(on, tokens.access_token)).status).toBe(200);
  });

  test("D45 an expired code and a code of another client are invalid_grant", async ({ expect }) => {
    const foreign = await consented(on);
    const other = await registerApp(on);
    const stolen = await tokenCall(on, { ...foreign.redemption, client_id: other.id });
    expect([stolen.status, await errorOf(stolen)]).toEqual([400, "invalid_grant"]);
    expect((await tokenCall(on, foreign.redemption)).status).toBe(200);

    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const late = await consented(on);
    vi.setSystemTime(started + 60 * SECOND);
    const expired = await tokenCall(on, late.redemption);
    expect([expired.status, await errorOf(expired)]).toEqual([400, "invalid_grant"]);
    vi.setSystemTime(started + 60 * SECOND - 1);
    expect((await tokenCall(on, late.redemption)).status).toBe(200);
  });

  test("D46 success and refusal are kept by no cache; success says type, life and scope", async ({ expect }) => {
    const { redemption } = await consented(on);
    const refused = await tokenCall(on, { ...redemption, code: "x" });
    const good = await tokenCall(on, redemption);
    for (const answer of [refused, good]) {
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("content-type")).toContain("application/json");
    }
    expect(await good.json()).toEqual({
      access_token: expect.stringMatching(/^ala_/),
      refresh_token: expect.stringMatching(/^alr_/),
      token_type: "Bearer",
      expires_in: 3600,
      scope: "posts:read posts:write",
    });
  });

  test("D47 refresh rotates; reuse after the grace ends the grant", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const { app, tokens } = await letIn(on);
    const first = await (await refresh(tokens, app.id)).json<Tokens>();
    expect(first.refresh_token).not.toBe(tokens.refresh_token);
    expect((await api(on, first.access_token)).status).toBe(200);
    vi.setSystemTime(started + 10 * SECOND);
    const reuse = await refresh(tokens, app.id);
    expect([reuse.status, await errorOf(reuse)]).toEqual([400, "invalid_grant"]);
    expect((await api(on, first.access_token)).status).toBe(401);
    expect((await refresh(first, app.id)).status).toBe(400);
  });

  test("D47 eight parallel refreshes inside the grace all succeed", async ({ expect }) => {
    const { app, tokens } = await letIn(on);
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(tokens, app.id)));
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 8 }, () => 200));
  });

  test("D47 a refresh token slides for 30 days, and reuse is noticed for days", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const { app, tokens } = await letIn(on);
    vi.setSystemTime(started + 30 * DAY - 1);
    const next = await (await refresh(tokens, app.id)).json<Tokens>();
    vi.setSystemTime(started + 60 * DAY - 2);
    const third = await refresh(next, app.id);
    expect(third.status).toBe(200);
    vi.setSystemTime(started + 65 * DAY);
    expect((await refresh(next, app.id)).status).toBe(400);
    expect((await refresh(await third.json<Tokens>(), app.id)).status).toBe(400);
  });

  test("D48 scope can narrow, not widen, and the refresh token keeps everything", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const started = Date.now();
    const { app, tokens } = await letIn(on);
    const wide = await refresh(tokens, app.id, { scope: "posts:read accounts:write" });
    expect([wide.status, await errorOf(wide)]).toEqual([400, "invalid_scope"]);
    const foreign = await refresh(tokens, app.id, { resource: "https://api.example" });
    expect([foreign.status, await errorOf(foreign)]).toEqual([400, "invalid_target"]);
    // Refused before it was spent: it is still good long after the grace.
    vi.setSystemTime(started + 60 * SECOND);
    const narrow = await (await refresh(tokens, app.id, { scope: "posts:read" })).json<Tokens>();
    expect(narrow.scope).toBe("posts:read");
    expect((await api(on, narrow.access_token, "/posts")).status).toBe(200);
    const full = await (await refresh(narrow, app.id)).json<Tokens>();
    expect(full.scope).toBe("posts:read posts:write");
  });

  test("D49 a refresh token of another client is invalid_grant and its owner does not notice", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { app, tokens } = await letIn(on);
    const thief = await registerApp(on);
    const stolen = await refresh(tokens, thief.id);
    expect([stolen.status, await errorOf(stolen)]).toEqual([400, "invalid_grant"]);
    vi.setSystemTime(Date.now() + 60 * SECOND);
    const next = await refresh(tokens, app.id);
    expect(next.status).toBe(200);
    // Spent now: the thief's second try must not end the grant either.
    vi.setSystemTime(Date.now() + 60 * SECOND);
    expect((await refresh(tokens, thief.id)).status).toBe(400);
    expect((await refresh(await next.json<Tokens>(), app.id)).status).toBe(200);
  });

  test("D50 a confidential client without, with a wrong or with a public client's secret is 401 invalid_client", async ({
    expect,
  }) => {
    const app = await registerApp(on, { token_endpoint_auth_method: "client_secret_basic" });
    const { redemption } = await consented(on, { app });
    const { client_secret: secret, ...bare } = redemption;
    const other = await registerApp(on, { token_endpoint_auth_method: "client_secret_post" });
    for (const answer of [
      await tokenCall(on, bare),
      await tokenCall(on, { ...bare, client_secret: "wrong" }),
      await tokenCall(on, { ...bare, client_secret: other.secret }),
      await tokenCall(on, { ...bare, client_id: crypto.randomUUID() }),
    ]) {
      expect([answer.status, await errorOf(answer)]).toEqual([401, "invalid_client"]);
      expect(answer.headers.get("www-authenticate")).toBeNull();
    }
    const { client_id: _, ...anonymous } = bare;
    const wrong = await tokenCall(on, anonymous, basic(app.id, "wrong"));
    expect([wrong.status, await errorOf(wrong)]).toEqual([401, "invalid_client"]);
    expect(wrong.headers.get("www-authenticate")).toMatch(/^Basic /);
    const both = await tokenCall(on, { ...anonymous, client_secret: secret }, basic(app.id, secret!));
    expect([both.status, await errorOf(both)]).toEqual([400, "invalid_request"]);
    expect((await tokenCall(on, anonymous, basic(app.id, secret!))).status).toBe(200);
  });

  test("D50 a public client that shows a secret is 401 invalid_client", async ({ expect }) => {
    const { redemption } = await consented(on);
    const answer = await tokenCall(on, { ...redemption, client_secret: "anything" });
    expect([answer.status, await errorOf(answer)]).toEqual([401, "invalid_client"]);
    expect((await tokenCall(on, redemption)).status).toBe(200);
  });

  test("D51 Basic credentials are form-decoded", async ({ expect }) => {
    const app = await registerApp(on, { token_endpoint_auth_method: "client_secret_basic" });
    const { redemption } = await consented(on, { app });
    const { client_id: _id, client_secret: _secret, ...fields } = redemption;
    const everyCharacter = (text: string) =>
      [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");
    const encoded = btoa(`${everyCharacter(app.id)}:${everyCharacter(app.secret!)}`);
    for (const junk of ["%", "a:b%zz", "Zm9v", "====", "\u00ff"]) {
      const answer = await tokenCall(on, fields, { authorization: `Basic ${btoa(junk)}` });
      expect([answer.status, await errorOf(answer)]).toEqual([401, "invalid_client"]);
    }
    expect((await tokenCall(on, fields, { authorization: `Basic ${encoded}` })).status).toBe(200);
  });

  test.for(["password", "client_credentials", "implicit", "urn:ietf:params:oauth:grant-type:device_code"])(
    "D52 the grant type %s is unsupported_grant_type",
    async (grantType, { expect }) => {
      const app = await registerApp(on);
      const answer = await tokenCall(on, { grant_type: grantType, client_id: app.id });
      expect([answer.status, await errorOf(answer)]).toEqual([400, "unsupported_grant_type"]);
    },
  );

  test("D53 revoking an access token ends it alone, a refresh token the whole grant", async ({ expect }) => {
    const { app, tokens } = await letIn(on);
    const next = await (await refresh(tokens, app.id)).json<Tokens>();
    const ended = await revoke({ client_id: app.id, token: tokens.access_token, token_type_hint: "refresh_token" });
    expect([ended.status, await ended.json()]).toEqual([200, {}]);
    expect((await api(on, tokens.access_token)).status).toBe(401);
    expect((await api(on, next.access_token)).status).toBe(200);
    expect((await revoke({ client_id: app.id, token: next.refresh_token })).status).toBe(200);
    expect((await api(on, next.access_token)).status).toBe(401);
    expect((await refresh(next, app.id)).status).toBe(400);
  });

  test("D53 revoking garbage or somebody else's token is 200 and changes nothing", async ({ expect }) => {
    const { tokens, app } = await letIn(on);
    const other = await registerApp(on);
    for (const token of ["garbage", "\u0000", tokens.access_token, tokens.refresh_token]) {
      expect((await revoke({ client_id: other.id, token })).status).toBe(200);
    }
    expect((await api(on, tokens.access_token)).status).toBe(200);
    expect((await refresh(tokens, app.id)).status).toBe(200);
    expect((await revoke({ client_id: other.id })).status).toBe(400);
    expect((await revoke({ token: tokens.access_token })).status).toBe(401);
  });

  test.for(["/oauth/token", "/oauth/revoke", "/oauth/register", "/.well-known/oauth-authorization-server"])(
    "D54 browsers may call %s from anywhere",
    async (path, { expect }) => {
      const preflight = await on.fetch(path, {
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

  test("D54 /v1 answers browsers and lets them read the challenge", async ({ expect }) => {
    const response = await on.fetch("/v1/posts", { headers: { origin: "https://agent.example" } });
    expect(response.status).toBe(401);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")?.toLowerCase()).toContain("www-authenticate");
  });

  test("the addresses of clients take POST and say so", async ({ expect }) => {
    for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/register"]) {
      const answer = await on.fetch(path);
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
    const large = await on.fetch("/oauth/token", { method: "POST", body: form({ code: "x".repeat(70_000) }) });
    expect(large.status).toBe(413);
  });
});

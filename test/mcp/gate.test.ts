import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { callApi } from "../support/call-api.ts";
import { type Era, readMcpResponse, sendMcp } from "../support/call-mcp.ts";
import { createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";
import { sendUntilLimited } from "../support/send-until-limited.ts";

const ERAS: readonly Era[] = ["2025", "2026"];
const LIST = { method: "tools/list" };

const send = async (url: string, init: RequestInit) => readMcpResponse(await exports.default.fetch(url, init));
const post = (headers: Record<string, string>, body = "{}") => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body,
});

describe("the host", () => {
  test("another one is refused before the credential is looked at", async ({ expect }) => {
    const rebound = await send(`${ORIGIN}/mcp`, post({ host: "evil.example" }));
    expect(rebound).toMatchObject({ status: 403, body: { error: { code: -32_600 } } });
  });

  test.for(["https://evil.example", "null", "http://localhost.evil.example"])(
    "a page of %s may not call a server on this machine",
    async (origin, { expect }) => {
      expect(await send(`${ORIGIN}/mcp`, post({ origin }))).toMatchObject({ status: 403 });
    },
  );

  test("a page on this machine may", async ({ expect }) => {
    const caller = await createCaller();
    const response = await sendMcp(caller, { ...LIST, headers: { origin: "http://127.0.0.1:6274" } });
    expect(response.status).toBe(200);
  });
});

describe("methods", () => {
  test("a preflight is answered without a credential", async ({ expect }) => {
    const { status, headers } = await send(`${ORIGIN}/mcp`, { method: "OPTIONS" });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const allowed = headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
    for (const name of ["authorization", "content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name"]) {
      expect(allowed).toContain(name);
    }
  });

  test.for(["GET", "DELETE", "PUT"])("%s is not allowed", async (method, { expect }) => {
    const { status, headers } = await send(`${ORIGIN}/mcp`, { method });
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("OPTIONS, POST");
  });
});

describe("the body", () => {
  test("over 1 MiB is refused", async ({ expect }) => {
    const { status } = await send(`${ORIGIN}/mcp`, post({}, `"${"x".repeat(1024 ** 2)}"`));
    expect(status).toBe(413);
  });

  test("a batch is refused: it would be many calls for one", async ({ expect }) => {
    const { key } = await createCaller();
    const batch = JSON.stringify([{ jsonrpc: "2.0", id: 1, ...LIST }]);
    const response = await send(`${ORIGIN}/mcp`, post({ authorization: `Bearer ${key}` }, batch));
    expect(response).toMatchObject({ status: 400, body: { error: { code: -32_600 } } });
  });

  test.for(["", "{", "\0"])("%j is no message", async (body, { expect }) => {
    const { key } = await createCaller();
    const response = await send(`${ORIGIN}/mcp`, post({ authorization: `Bearer ${key}` }, body));
    expect(response).toMatchObject({ status: 400, body: { error: { code: -32_700 } } });
  });

  test("has to be JSON by its type", async ({ expect }) => {
    const { key } = await createCaller();
    const headers = { authorization: `Bearer ${key}`, "content-type": "text/plain" };
    expect(await send(`${ORIGIN}/mcp`, post(headers))).toMatchObject({ status: 415 });
  });
});

describe("the credential", () => {
  test("none: the challenge names the scopes that an app usually needs", async ({ expect }) => {
    const { status, headers, body } = await sendMcp(null, LIST);
    expect(status).toBe(401);
    const challenge = headers.get("www-authenticate");
    expect(challenge).toContain(`resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`);
    expect(challenge).toContain('scope="accounts:read posts:read posts:write workspaces:read"');
    expect(challenge).not.toContain("error=");
    expect(headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
    expect(body.error.data).toMatchObject({ code: "unauthenticated" });
  });

  test("an unknown one", async ({ expect }) => {
    const { status, headers } = await sendMcp({ key: "alk_wrong" }, LIST);
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("a cookie is none", async ({ expect }) => {
    expect((await sendMcp(null, { ...LIST, headers: { cookie: "session=als_1" } })).status).toBe(401);
  });

  test("a revoked key is refused on the next call", async ({ expect }) => {
    const caller = await createCaller();
    expect((await sendMcp(caller, LIST)).status).toBe(200);
    await env.DB.prepare("UPDATE api_keys SET revoked_at = 1 WHERE user_id = ?").bind(caller.userId).run();
    expect((await sendMcp(caller, LIST)).status).toBe(401);
  });
});

describe.each(ERAS)("a call of a tool by a credential that is remembered, by the protocol of %s", (era) => {
  const connect = { method: "tools/call", era, params: { name: "connect_account", arguments: { platform: "x" } } };

  async function remembered() {
    const caller = await createCaller();
    const key = (change: string) =>
      env.DB.prepare(`UPDATE api_keys SET ${change} WHERE user_id = ?`).bind(caller.userId).run();
    const states = () =>
      env.DB.prepare("SELECT count(*) AS n FROM connect_states WHERE user_id = ?").bind(caller.userId).first("n");
    expect((await sendMcp(caller, connect)).status).toBe(200);
    return { caller, key, states };
  }

  test("is refused when the credential was revoked a moment ago, and does nothing", async ({ expect }) => {
    const { caller, key, states } = await remembered();
    await key("revoked_at = 1");
    expect((await sendMcp(caller, connect)).status).toBe(401);
    expect(await states()).toBe(1);
  });

  test("is refused for a scope that was taken away, and does nothing", async ({ expect }) => {
    const { caller, key, states } = await remembered();
    await key(`scopes = '["posts:read"]'`);
    expect(JSON.stringify(await sendMcp(caller, connect))).toContain("insufficient_scope");
    expect(await states()).toBe(1);
  });

  test("is answered once when something else was changed", async ({ expect }) => {
    const { caller, key, states } = await remembered();
    await key("name = 'renamed'");
    const { status, body } = await sendMcp(caller, connect);
    expect(status).toBe(200);
    expect(body.result.structuredContent.connect_url).toContain("/connect/x");
    expect(await states()).toBe(2);
  });
});

describe("limits", () => {
  test("requests are counted together with those to the API", async ({ expect }) => {
    const caller = await createCaller({ plan: "starter" });
    const answers = await sendUntilLimited(120, async (count) =>
      count % 2 === 0 ? await sendMcp(caller, LIST) : await callApi(caller, { method: "GET", path: "/platforms" }),
    );
    const last = answers.at(-1);
    expect(last?.status).toBe(429);
    const limited = await sendMcp(caller, LIST);
    expect(limited).toMatchObject({ status: 429, body: { error: { data: { code: "rate_limited" } } } });
    expect(limited.headers.get("retry-after")).toBe("60");
  });
});

describe.each(ERAS)("the protocol of %s", (era) => {
  test("answers a list, with the id of the request and nothing to store", async ({ expect }) => {
    const caller = await createCaller();
    const { status, headers, body } = await sendMcp(caller, { ...LIST, era, headers: { "x-request-id": "abc" } });
    expect(status).toBe(200);
    expect(headers.get("x-request-id")).toBe("abc");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body.result.tools).toHaveLength(22);
  });

  test("an unknown tool is an error of the protocol", async ({ expect }) => {
    const caller = await createCaller();
    const { body } = await sendMcp(caller, { method: "tools/call", era, params: { name: "post_now", arguments: {} } });
    expect(body.error).toMatchObject({ code: -32_602, message: expect.stringContaining("post_now") });
  });

  test("says that its lists do not change", async ({ expect }) => {
    const caller = await createCaller();
    const { body } = await sendMcp(
      caller,
      era === "2025"
        ? {
            method: "initialize",
            params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
          }
        : { method: "server/discover", era },
    );
    expect(JSON.stringify(body.result.capabilities)).not.toContain("true");
    expect(body.result.instructions.length).toBeLessThanOrEqual(900);
  });
});

test("lists of 2026 may be kept for an hour by the client alone", async ({ expect }) => {
  const caller = await createCaller();
  for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
    const { body } = await sendMcp(caller, { method, era: "2026" });
    expect(body.result, method).toMatchObject({ ttlMs: 3_600_000, cacheScope: "private" });
  }
});

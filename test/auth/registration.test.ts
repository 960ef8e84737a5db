import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { sweepIdentity } from "#auth/index.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import type { Outbound } from "#context.ts";
import { silentWorld } from "./test-context.ts";
import {
  address,
  authorizePath,
  CALLBACK,
  decide,
  errorOf,
  letIn,
  proof,
  signedIn,
  stage,
  tokenCall,
  type Tokens,
} from "./stage.ts";

const on = stage();

afterEach(() => {
  vi.useRealTimers();
});

function register(metadata: unknown, from = address()): Promise<Response> {
  return on.fetch("/oauth/register", {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": from },
    body: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
  });
}

const PUBLIC = { redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" };

describe("E. Registration", () => {
  test("E55 a public client gets no secret, a confidential one gets one, kept as a hash", async ({ expect }) => {
    const open = await register({ ...PUBLIC, client_name: "Open" });
    expect(open.status).toBe(201);
    expect(open.headers.get("cache-control")).toBe("no-store");
    const known = await open.json<Record<string, unknown>>();
    expect(known).not.toHaveProperty("client_secret");
    expect(known).toMatchObject({
      client_name: "Open",
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    });
    const secret = await (await register({ redirect_uris: [CALLBACK] })).json<Record<string, string>>();
    expect(secret).toMatchObject({ client_secret: expect.stringMatching(/^alc_/), client_secret_expires_at: 0 });
    const row = await env.DB.prepare("SELECT secret_hash FROM oauth_clients WHERE id = ?")
      .bind(secret["client_id"])
      .first();
    expect(row).toEqual({ secret_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test.for<[string, unknown]>([
    ["none at all", undefined],
    ["an empty list", []],
    ["no list", CALLBACK],
    ["a number", [7]],
    ["javascript:", ["javascript:alert(1)"]],
    ["javascript: beside a good one", [CALLBACK, "javascript:alert(1)"]],
    ["data:", [CALLBACK, "data:text/html,x"]],
    ["remote http", ["http://app.example/cb"]],
    ["remote http beside a good one", [CALLBACK, "http://app.example/cb"]],
    ["a fragment", ["https://app.example/cb#x"]],
    ["an empty fragment", ["https://app.example/cb#"]],
    ["user info", ["https://user:pw@app.example/cb"]],
    ["only a private scheme", ["myapp://callback"]],
    ["a relative one", ["/callback"]],
    ["a blank", ["https://app.example/a b"]],
    ["a NUL", ["https://app.example/\u0000"]],
    ["a lone surrogate", ["https://app.example/\ud800"]],
    ["an over-long one", [`https://app.example/${"x".repeat(1000)}`]],
    ["21 of them", Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`)],
    ["loopback in disguise", ["http://127.0.0.1@evil.example/cb"]],
    ["loopback as a name", ["http://localhost.evil.example/cb"]],
  ])("E56 redirect_uris with %s: invalid_redirect_uri", async ([, uris], { expect }) => {
    const answer = await register({ ...PUBLIC, redirect_uris: uris });
    expect([answer.status, await errorOf(answer)]).toEqual([400, "invalid_redirect_uri"]);
  });

  test("E57 unknown members are ignored, names made safe", async ({ expect }) => {
    const answer = await register({
      ...PUBLIC,
      x: { y: [1] },
      client_name: `a\u0000b\u202E\ud800  c${"d".repeat(200)}`,
      jwks: 7,
    });
    expect(answer.status).toBe(201);
    const { client_name: name } = await answer.json<{ client_name: string }>();
    expect(name).toMatch(/^ab\uFFFD c/);
    expect([...name]).toHaveLength(80);
  });

  test.for<[string, Record<string, unknown>]>([
    ["a grant type list without the code", { grant_types: ["client_credentials"] }],
    ["a grant type that is no list", { grant_types: "authorization_code" }],
    ["a response type list without code", { response_types: ["token"] }],
    ["an unknown way to authenticate", { token_endpoint_auth_method: "private_key_jwt" }],
    ["a name that is no text", { client_name: 7 }],
  ])("E57 %s: invalid_client_metadata", async ([, wrong], { expect }) => {
    const answer = await register({ ...PUBLIC, ...wrong });
    expect([answer.status, await errorOf(answer)]).toEqual([400, "invalid_client_metadata"]);
  });

  test.for(["", "[]", "null", "{", '"x"'])(
    "E57 a body that is no object (%s): invalid_client_metadata",
    async (body, { expect }) => {
      const answer = await register(body);
      expect([answer.status, await errorOf(answer)]).toEqual([400, "invalid_client_metadata"]);
    },
  );

  test("E57 an editor that can also do device codes is registered for what we do", async ({ expect }) => {
    const grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"];
    const answer = await register({ ...PUBLIC, grant_types: grants });
    expect(await answer.json()).toMatchObject({ grant_types: ["authorization_code", "refresh_token"] });
  });

  test("E58 one address may register so often, and 64 KiB", async ({ expect }) => {
    const from = address();
    // More than two windows hold, in case one ends on the way.
    let last = await register("{}", from);
    for (let count = 0; count < 121 && last.status === 400; count++) {
      last = await register("{}", from);
    }
    expect([last.status, last.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await register({ ...PUBLIC, x: "y".repeat(70_000) })).status).toBe(413);
  });

  test("E59 an unused client is forgotten after 90 days, a used one is not", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const unused = (await (await register(PUBLIC)).json<{ client_id: string }>()).client_id;
    const { app, tokens } = await letIn(on);
    let refreshToken = tokens.refresh_token;
    for (const days of [29, 58, 87]) {
      vi.setSystemTime(start + days * DAY);
      const next = await tokenCall(on, { grant_type: "refresh_token", client_id: app.id, refresh_token: refreshToken });
      refreshToken = (await next.json<Tokens>()).refresh_token;
    }
    vi.setSystemTime(start + 91 * DAY);
    const dead = await tokenCall(on, { grant_type: "refresh_token", client_id: unused, refresh_token: "x" });
    expect([dead.status, await errorOf(dead)]).toEqual([401, "invalid_client"]);
    await sweepIdentity(on.services);
    const left = await env.DB.prepare("SELECT id FROM oauth_clients WHERE id IN (?, ?)").bind(unused, app.id).all();
    expect(left.results).toEqual([{ id: app.id }]);
    const alive = await tokenCall(on, { grant_type: "refresh_token", client_id: app.id, refresh_token: refreshToken });
    expect(alive.status).toBe(200);
  });

  test("E61 a generated id is never an address", async ({ expect }) => {
    for (let count = 0; count < 20; count++) {
      const { client_id: id } = await (await register(PUBLIC)).json<{ client_id: string }>();
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    }
  });
});

describe("E. Client id metadata documents", () => {
  const ID = "https://agent.example/client.json";
  const document = { client_id: ID, client_name: "Document agent", redirect_uris: [CALLBACK] };

  /** A world in which every address answers the same, and that counts who was asked. */
  function answering(answer: () => Response) {
    const asked: Request[] = [];
    const outbound: Outbound = {
      ...silentWorld,
      publicFetch: (request) => {
        asked.push(request);
        return Promise.resolve(answer());
      },
    };
    return { on: stage({}, outbound), asked };
  }

  const json =
    (body: unknown, init: ResponseInit = {}) =>
    () =>
      Response.json(body, init);

  async function show(on_: ReturnType<typeof answering>["on"], id: string) {
    const { browser } = await signedIn(on_);
    return browser.get(authorizePath(id, proof().challenge));
  }

  test("E60 a document is fetched once, shown with its host, and lets its client in", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const id = `https://agent.example/${crypto.randomUUID()}.json`;
    const far = answering(
      json({ ...document, client_id: id }, { headers: { "cache-control": "public, max-age=600" } }),
    );
    const { browser } = await signedIn(far.on);
    const { verifier, challenge } = proof();
    const path = authorizePath(id, challenge);
    const page = await (await browser.get(path)).text();
    expect(page).toContain("Document agent");
    expect(page).toContain("agent.example");
    const location = await decide(browser, path, { decision: "allow", scope: "posts:read" });
    const answer = await tokenCall(far.on, {
      grant_type: "authorization_code",
      client_id: id,
      code: location.searchParams.get("code") ?? "",
      code_verifier: verifier,
    });
    expect(answer.status).toBe(200);
    expect(far.asked).toHaveLength(1);
    expect(far.asked[0]?.redirect).toBe("manual");
    vi.setSystemTime(start + 10 * MINUTE - 1);
    await browser.get(path);
    expect(far.asked).toHaveLength(1);
    vi.setSystemTime(start + 10 * MINUTE);
    await browser.get(path);
    expect(far.asked).toHaveLength(2);
  });

  test.for([
    [undefined, 5 * MINUTE],
    ["no-store", 5 * MINUTE],
    ["max-age=1", 5 * MINUTE],
    ["max-age=99999999", 24 * HOUR],
  ] as const)("E60 with cache-control %s a document is kept %i ms", async ([header, kept], { expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    const id = `https://agent.example/${crypto.randomUUID()}`;
    const far = answering(
      json({ ...document, client_id: id }, header === undefined ? {} : { headers: { "cache-control": header } }),
    );
    await show(far.on, id);
    vi.setSystemTime(start + kept - 1);
    await show(far.on, id);
    expect(far.asked).toHaveLength(1);
    vi.setSystemTime(start + kept);
    await show(far.on, id);
    expect(far.asked).toHaveLength(2);
  });

  test.for<[string, () => Response]>([
    ["another client_id", json({ ...document, client_id: "https://agent.example/other.json" })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://agent.example/x" } })],
    ["status 404", json(document, { status: 404 })],
    ["status 206", json(document, { status: 206 })],
    ["6 KB", json({ ...document, padding: "x".repeat(6000) })],
    ["broken UTF-8", () => new Response(new Uint8Array([0x7b, 0xff, 0x7d]))],
    ["no JSON", () => new Response("<html>")],
    ["a list", json([document])],
    ["no name", json({ ...document, client_name: undefined })],
    ["no addresses", json({ ...document, redirect_uris: undefined })],
    ["only unusable addresses", json({ ...document, redirect_uris: ["myapp://x"] })],
    ["a secret", json({ ...document, client_secret: "s" })],
    [
      "a key-only client",
      json({ ...document, token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://a.example/j" }),
    ],
    ["no body", () => new Response(null)],
  ])("E60 a document with %s is refused and not remembered", async ([, answer], { expect }) => {
    const far = answering(answer);
    const first = await show(far.on, ID);
    expect(first.status).toBe(400);
    expect(first.headers.get("location")).toBeNull();
    await show(far.on, ID);
    expect(far.asked).toHaveLength(2);
  });

  test("E60 a document that offers none beside a key is a public client", async ({ expect }) => {
    const id = `https://agent.example/${crypto.randomUUID()}`;
    const far = answering(
      json({
        ...document,
        client_id: id,
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      }),
    );
    expect((await show(far.on, id)).status).toBe(200);
  });

  test("E60 an address that does not answer is a page, not a fault", async ({ expect }) => {
    const far = answering(() => {
      throw new TypeError("network");
    });
    expect((await show(far.on, ID)).status).toBe(400);
  });

  test.for([
    "http://agent.example/client.json",
    "https://agent.example",
    "https://agent.example/",
    "https://user@agent.example/client.json",
    "https://agent.example/client.json#x",
    "https://agent.example/a/../client.json",
    "https://agent.example/%2e%2e/client.json",
    "https://agent.example:8443/client.json",
    "https://agent.example:443/client.json",
    "https://127.0.0.1/client.json",
    "https://2130706433/client.json",
    "https://[::1]/client.json",
    "https://localhost/client.json",
    "https://agent/client.json",
    "https://agent.example./client.json",
    "https://AGENT.example/client.json",
    `https://agent.example/${"x".repeat(600)}`,
  ])("E60 %s is never fetched", async (id, { expect }) => {
    const far = answering(json({ ...document, client_id: id }));
    expect((await show(far.on, id)).status).toBe(400);
    expect(far.asked).toHaveLength(0);
  });

  test("E60 nothing is fetched for somebody who is not signed in", async ({ expect }) => {
    const far = answering(json(document));
    const response = await far.on.fetch(authorizePath(ID, proof().challenge));
    expect(response.headers.get("location")).toMatch(/^\/login\?next=/);
    expect(far.asked).toHaveLength(0);
  });
});

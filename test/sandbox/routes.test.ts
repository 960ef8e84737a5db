import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createServices } from "#context.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import sandboxEntry from "#index.sandbox.ts";
import { authenticateHeader } from "../support/authenticate-header.ts";
import { fetchApp, publishedPosts, ORIGIN, postJson, sampleBytes, changeSettings } from "./sandbox-api.ts";
import { callPlatform } from "./call-platform.ts";
import { authorizeUrl, createClient, REDIRECT } from "./x-client.ts";

const services = createServices(env, sandboxOutbound(env), () => {});

describe("POST /sandbox/users", () => {
  interface CreatedUser {
    readonly user_id: string;
    readonly workspace_id: string;
    readonly email: string;
    readonly api_key: string;
  }

  test("creates a user on the scale plan with a key of all scopes", async ({ expect }) => {
    const created = await (await fetchApp("/sandbox/users", { method: "POST" })).json<CreatedUser>();
    const authentication = await authenticateHeader(services, `Bearer ${created.api_key}`, services.config.baseUrl);
    expect(authentication).toMatchObject({
      ok: true,
      actor: { userId: created.user_id, workspaceId: created.workspace_id, plan: "scale", subscribed: true },
    });
    expect(authentication.ok && authentication.actor.scopes).toHaveLength(6);
  });

  test("creates the user with the given fields", async ({ expect }) => {
    const input = {
      email: "grace@example.com",
      plan: "starter",
      scopes: ["posts:read"],
      subscription: "canceled",
      password: "correct horse battery",
    };
    const created = await (await postJson("/sandbox/users", input)).json<CreatedUser>();
    expect(created).toMatchObject({ email: "grace@example.com", password: "correct horse battery" });
    expect(await authenticateHeader(services, `Bearer ${created.api_key}`, services.config.baseUrl)).toMatchObject({
      actor: { plan: "starter", subscribed: false, scopes: ["posts:read"] },
    });
    const repeated = await postJson("/sandbox/users", input);
    expect(repeated.status).toBe(400);
    expect(await repeated.json()).toMatchObject({ error: expect.stringContaining("e-mail") as string });
  });
});

describe("POST /sandbox/connect", () => {
  test("connects as a browser does and returns the accounts of that platform", async ({ expect }) => {
    const { api_key } = await (await postJson("/sandbox/users", {})).json<{ api_key: string }>();
    const response = await postJson("/sandbox/connect", { api_key, platform: "x", login: "ben" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      accounts: [
        expect.objectContaining({ platform: "x", platform_account_id: "2244994946", username: "ben_example" }),
      ],
    });
  });

  test("400 with the error of the call that failed", async ({ expect }) => {
    const response = await postJson("/sandbox/connect", { api_key: "alk_nobody", platform: "x" });
    expect(response.status).toBe(400);
    expect((await response.json<{ error: string }>()).error).toMatch(/^POST \/accounts answered 401: \w+/);
  });
});

describe("POST /sandbox/cron", () => {
  test("runs the scheduled handler", async ({ expect }) => {
    const response = await fetchApp("/sandbox/cron", { method: "POST" });
    expect([response.status, await response.json()]).toEqual([200, { cron: "* * * * *", ran: true }]);
  });
});

describe("GET /sandbox/status", () => {
  test("counts posts by status", async ({ expect }) => {
    expect(await (await fetchApp("/sandbox/status")).json()).toEqual({
      posts: { scheduled: 0, publishing: 0, published: 0, partially_failed: 0, failed: 0, paused: 0 },
      armed: 0,
      publishing: 0,
      overdue: 0,
      next_due_at: null,
      faults: {},
    });
  });
});

describe("GET /sandbox/platforms/{platform}/calls", () => {
  test("returns method, host, path and status, never the query", async ({ expect }) => {
    const since = new Date().toISOString();
    await callPlatform("https://api.x.com/2/users/me?access_token=secret", {
      headers: { authorization: "Bearer secret" },
    });
    const response = await fetchApp(`/sandbox/platforms/x/calls?since=${since}`);
    const text = await response.text();
    expect(text).not.toContain("secret");
    expect(JSON.parse(text)).toEqual({
      calls: [
        {
          method: "GET",
          host: "api.x.com",
          path: "/2/users/me",
          status: 400,
          at: expect.stringMatching(/Z$/) as string,
        },
      ],
    });
    const later = await fetchApp(`/sandbox/platforms/x/calls?since=${Date.now() + 1000}`);
    expect(await later.json()).toEqual({ calls: [] });
  });
});

describe("POST /sandbox/platforms/{platform}/settings", () => {
  test("changes the given settings and keeps the others; null restores the platform's own value", async ({
    expect,
  }) => {
    await changeSettings("threads", { processing_ms: 10, quota: 3, access: "partner" });
    const response = await postJson("/sandbox/platforms/threads/settings", { quota: null, latency_ms: 1 });
    expect(await response.json()).toEqual({
      settings: {
        processing_ms: 10,
        latency_ms: 1,
        verify_lag_ms: 0,
        token_lifetime_s: null,
        quota: null,
        extra: expect.objectContaining({ access: "partner" }) as unknown,
      },
    });
  });

  test("latency_ms delays every response", async ({ expect }) => {
    await changeSettings("pinterest", { latency_ms: 60 });
    const startedAt = performance.now();
    await callPlatform("https://api.pinterest.com/v5/user_account");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(50);
  });
});

describe("POST /sandbox/platforms/{platform}/revoke", () => {
  test.for(["ada", "2244994945"])("%s: the next call is not authorized", async (account, { expect }) => {
    const ada = await createClient("ada");
    expect((await ada.callApi("GET", "/2/users/me")).status).toBe(200);
    expect((await postJson("/sandbox/platforms/x/revoke", { account })).status).toBe(200);
    expect((await ada.callApi("GET", "/2/users/me")).status).toBe(401);
  });
});

describe("GET /sandbox/platforms/{platform}/posts", () => {
  test("returns published posts oldest first, of all accounts or of one", async ({ expect }) => {
    const [ada, ben] = [await createClient("ada"), await createClient("ben")];
    await ada.createPost({ text: "first" });
    await ben.createPost({ text: "second" });
    await ada.createPost({ text: "third" });
    const texts = async (account: string) => (await publishedPosts("x", account)).map((entry) => entry.text);
    expect(await texts("")).toEqual(["first", "second", "third"]);
    expect(await texts("ada")).toEqual(["first", "third"]);
    expect(await texts("2244994946")).toEqual(["second"]);
  });
});

describe("GET /sandbox/media/{name}", () => {
  test.for<[string, string, string]>([
    ["portrait.jpg", "image/jpeg", "\u00FF\u00D8\u00FF"],
    ["square.png", "image/png", "\u0089PNG"],
    ["landscape.webp", "image/webp", "RIFF"],
    ["animation.gif", "image/gif", "GIF89a"],
    ["portrait.mp4", "video/mp4", "\0\0\0 ftyp"],
    ["landscape.mp4", "video/mp4", "\0\0\0 ftyp"],
    ["page.jpg", "image/jpeg", "<!doctype html>"],
  ])("%s is %s", async ([name, type, start], { expect }) => {
    const response = await fetchApp(`/sandbox/media/${name}`);
    expect(response.headers.get("content-type")).toBe(type);
    const bytes = await sampleBytes(name);
    expect(Number(response.headers.get("content-length"))).toBe(bytes.length);
    expect(
      new TextDecoder("latin1")
        .decode(bytes)
        .startsWith(new TextDecoder("latin1").decode(Uint8Array.from(start, (c) => c.charCodeAt(0)))),
    ).toBe(true);
    expect(bytes.length).toBeLessThan(60 * 1024);
  });
});

describe("the consent page", () => {
  const browserPath = (url: URL): string => sandboxOutbound(env).browserUrl(url).href.slice(ORIGIN.length);

  test("lists the logins as links that redirect to the app", async ({ expect }) => {
    const path = browserPath(await authorizeUrl({ login: null }));
    expect(path).toMatch(/^\/sandbox\/x\.com\/i\/oauth2\/authorize\?/);
    const page = await fetchApp(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    const link = /href="(?<to>[^"]*login=ben[^"]*)"/.exec(await page.text())?.groups?.["to"]?.replaceAll("&amp;", "&");
    const redirect = await fetchApp(`${path.split("?")[0]}${link}`);
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get("location")).toMatch(`${REDIRECT}?state=some-state&code=`);
  });

  test("a user can deny access", async ({ expect }) => {
    const denied = await fetchApp(browserPath(await authorizeUrl({ login: "-" })));
    expect(denied.headers.get("location")).toBe(`${REDIRECT}?error=access_denied&state=some-state`);
  });
});

describe("400 with an error message", () => {
  const invalidRequests: readonly (readonly [path: string, body?: unknown])[] = [
    ["/sandbox/users", { plan: "platinum" }],
    ["/sandbox/users", { scopes: ["everything"] }],
    ["/sandbox/users", { scopes: [] }],
    ["/sandbox/users", { email: "nobody" }],
    ["/sandbox/users", { email: 7 }],
    ["/sandbox/users", []],
    ["/sandbox/users", null],
    ["/sandbox/connect", {}],
    ["/sandbox/connect", { api_key: "k", platform: "myspace" }],
    ["/sandbox/connect", { api_key: "k", platform: "x", login: "zoe" }],
    ["/sandbox/platforms/myspace/faults", { effect: "delay" }],
    ["/sandbox/platforms/x/faults", {}],
    ["/sandbox/platforms/x/faults", { effect: "explode" }],
    ["/sandbox/platforms/x/faults", { effect: "delay", match: { host: "x" } }],
    ["/sandbox/platforms/x/faults", { effect: "delay", match: { path: "2/tweets" } }],
    ["/sandbox/platforms/x/faults", { effect: "delay", match: { method: "P O" } }],
    ["/sandbox/platforms/x/faults", { effect: "delay", times: 0 }],
    ["/sandbox/platforms/x/faults", { effect: "delay", times: 1.5 }],
    ["/sandbox/platforms/x/faults", { effect: "answer", status: 99 }],
    ["/sandbox/platforms/x/faults", { effect: "answer", headers: { "bad name": "v" } }],
    ["/sandbox/platforms/x/faults", { effect: "answer", headers: { name: "line\r\nbreak" } }],
    ["/sandbox/platforms/x/faults", { effect: "delay", delay_ms: -1 }],
    ["/sandbox/platforms/x/settings", { processing_ms: "slow" }],
    ["/sandbox/platforms/x/settings", { quota: -1 }],
    ["/sandbox/platforms/x/settings", { anything: { nested: true } }],
    ["/sandbox/platforms/x/revoke", {}],
    ["/sandbox/platforms/x/revoke", { account: "zoe" }],
    ["/sandbox/cron", { cron: 5 }],
  ];

  test.for(invalidRequests)("POST %s %j", async ([path, body], { expect }) => {
    const response = await postJson(path, body);
    expect(response.status).toBe(400);
    const { error } = await response.json<{ error: string }>();
    expect(error.length).toBeGreaterThan(10);
  });

  test.for([
    "/sandbox/platforms/myspace/posts",
    "/sandbox/platforms/__proto__/posts",
    "/sandbox/platforms/x/posts?account=zoe",
    "/sandbox/platforms/x/calls?since=yesterday",
    "/sandbox/media/holiday.jpg",
    "/sandbox/www.example.com/page",
  ])("GET %s", async (path, { expect }) => {
    const response = await fetchApp(path);
    expect(response.status).toBe(400);
    expect((await response.json<{ error: string }>()).error).toMatch(/\w+ \w+/);
  });

  test("a body that is not JSON gives 400, one over 1 MiB gives 413", async ({ expect }) => {
    const path = "/sandbox/platforms/x/settings";
    expect((await fetchApp(path, { method: "POST", body: "{" })).status).toBe(400);
    expect((await fetchApp(path, { method: "POST", body: `"${"x".repeat(1024 * 1024)}"` })).status).toBe(413);
  });

  test("404 for an unknown route", async ({ expect }) => {
    expect((await fetchApp("/sandbox/nothing")).status).toBe(404);
  });
});

describe("outbound fetches", () => {
  test("handle the service's own origin in the process, and trust it for media", async ({ expect }) => {
    const outbound = sandboxOutbound(env);
    const response = await outbound.publicFetch(new Request(`${ORIGIN}/sandbox/media/square.png`));
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(await sampleBytes("square.png"));
    expect(outbound.trustedMediaOrigin).toBe(ORIGIN);
  });

  test("send other public URLs to the network", async ({ expect }) => {
    const response = await sandboxOutbound(env).publicFetch(new Request("https://example.com/picture.jpg"));
    expect(response.status).toBe(599);
  });

  test("fail for a host without a simulator", async ({ expect }) => {
    await expect(callPlatform("https://api.example.com/")).rejects.toThrow("api.example.com");
  });

  test.for([
    "https://almanac.example.org",
    "http://192.168.1.7:8787",
    "http://localhost.example.org",
    "http://127.0.0.1.nip.io",
    "not a URL",
  ])("the sandbox refuses to run at %s", async (origin, { expect }) => {
    const ctx = createExecutionContext();
    const elsewhere = { ...env, ORIGIN: origin } as typeof env;
    const run = async (path: string) =>
      await sandboxEntry.fetch(new Request(`${env.ORIGIN}${path}`) as never, elsewhere, ctx);
    for (const path of ["/", "/v1/posts", "/sandbox/advance"]) {
      await expect(run(path)).rejects.toThrow("ORIGIN");
    }
    await expect(async () => {
      await sandboxEntry.scheduled({} as never, elsewhere, ctx);
    }).rejects.toThrow("ORIGIN");
  });

  test.for([
    "http://localhost:8787",
    "http://127.0.0.1:1",
    "http://127.9.9.9",
    "http://[::1]:8787",
    "http://a.localhost",
  ])("the sandbox runs at %s", (origin, { expect }) => {
    expect(withSandboxCredentials({ ...env, ORIGIN: origin }).ORIGIN).toBe(origin);
  });

  test("the environment has app credentials for every platform; those that are set are kept", ({ expect }) => {
    const withCredentials = withSandboxCredentials({ ...env, X_CLIENT_ID: "mine" });
    expect(withCredentials).toMatchObject({
      X_CLIENT_ID: "mine",
      X_CLIENT_SECRET: "sandbox-x-secret",
      INSTAGRAM_CLIENT_ID: "sandbox-instagram",
      INSTAGRAM_CLIENT_SECRET: "sandbox-instagram-secret",
    });
    expect(withCredentials.DB).toBe(env.DB);
  });
});

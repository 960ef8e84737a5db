import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { authenticate } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { sandboxWorld, withSandboxApps } from "#sandbox/index.ts";
import { app, bookOf, ORIGIN, post, sample, settings } from "./help.ts";
import { call } from "./outbound.ts";
import { authorizeUrl, person, REDIRECT } from "./x-person.ts";

const services = createServices(env, sandboxWorld(env), () => {});

describe("POST /sandbox/users", () => {
  interface Made {
    readonly user_id: string;
    readonly workspace_id: string;
    readonly email: string;
    readonly api_key: string;
  }

  test("makes a user on the scale plan whose key may do everything", async ({ expect }) => {
    const made = await (await app("/sandbox/users", { method: "POST" })).json<Made>();
    const known = await authenticate(services, `Bearer ${made.api_key}`);
    expect(known).toMatchObject({
      ok: true,
      actor: { userId: made.user_id, workspaceId: made.workspace_id, plan: "scale", subscribed: true },
    });
    expect(known.ok && known.actor.scopes).toHaveLength(6);
  });

  test("makes the user that was asked for", async ({ expect }) => {
    const wanted = {
      email: "grace@example.com",
      plan: "starter",
      scopes: ["posts:read"],
      subscription: "canceled",
      password: "correct horse battery",
    };
    const made = await (await post("/sandbox/users", wanted)).json<Made>();
    expect(made).toMatchObject({ email: "grace@example.com", password: "correct horse battery" });
    expect(await authenticate(services, `Bearer ${made.api_key}`)).toMatchObject({
      actor: { plan: "starter", subscribed: false, scopes: ["posts:read"] },
    });
    const again = await post("/sandbox/users", wanted);
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ error: expect.stringContaining("e-mail") as string });
  });
});

describe("POST /sandbox/connect", () => {
  test("walks the browser's way and gives the accounts of that platform", async ({ expect }) => {
    const { api_key } = await (await post("/sandbox/users", {})).json<{ api_key: string }>();
    const answer = await post("/sandbox/connect", { api_key, platform: "x", login: "ben" });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      accounts: [
        expect.objectContaining({ platform: "x", platform_account_id: "2244994946", username: "ben_example" }),
      ],
    });
  });

  test("400 with the sentence of whoever refused", async ({ expect }) => {
    const answer = await post("/sandbox/connect", { api_key: "alk_nobody", platform: "x" });
    expect(answer.status).toBe(400);
    expect((await answer.json<{ error: string }>()).error).toMatch(/^POST \/accounts answered 401: \w+/);
  });
});

describe("POST /sandbox/cron", () => {
  test("runs the scheduled handler", async ({ expect }) => {
    const answer = await app("/sandbox/cron", { method: "POST" });
    expect([answer.status, await answer.json()]).toEqual([200, { cron: "* * * * *", ran: true }]);
  });
});

describe("GET /sandbox/status", () => {
  test("counts every post by its state", async ({ expect }) => {
    expect(await (await app("/sandbox/status")).json()).toEqual({
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
  test("tells method, host, path and status, and never a query", async ({ expect }) => {
    const since = new Date().toISOString();
    await call("https://api.x.com/2/users/me?access_token=secret", { headers: { authorization: "Bearer secret" } });
    const answer = await app(`/sandbox/platforms/x/calls?since=${since}`);
    const text = await answer.text();
    expect(text).not.toContain("secret");
    expect(JSON.parse(text)).toEqual({
      calls: [
        {
          method: "GET",
          host: "api.x.com",
          path: "/2/users/me",
          status: 401,
          at: expect.stringMatching(/Z$/) as string,
        },
      ],
    });
    const later = await app(`/sandbox/platforms/x/calls?since=${Date.now() + 1000}`);
    expect(await later.json()).toEqual({ calls: [] });
  });
});

describe("POST /sandbox/platforms/{platform}/settings", () => {
  test("changes what is named and keeps the rest; null puts the platform's own value back", async ({ expect }) => {
    await settings("threads", { processing_ms: 10, quota: 3, access: "partner" });
    const answer = await post("/sandbox/platforms/threads/settings", { quota: null, latency_ms: 1 });
    expect(await answer.json()).toEqual({
      settings: {
        processing_ms: 10,
        latency_ms: 1,
        verify_lag_ms: 0,
        token_lifetime_s: null,
        quota: null,
        extra: { access: "partner" },
      },
    });
  });

  test("latency_ms slows every answer", async ({ expect }) => {
    await settings("pinterest", { latency_ms: 60 });
    const before = performance.now();
    await call("https://api.pinterest.com/v5/user_account");
    expect(performance.now() - before).toBeGreaterThanOrEqual(50);
  });
});

describe("POST /sandbox/platforms/{platform}/revoke", () => {
  test.for(["ada", "2244994945"])(
    "%s withdraws the app: the next call is not authorized",
    async (account, { expect }) => {
      const ada = await person("ada");
      expect((await ada.api("GET", "/2/users/me")).status).toBe(200);
      expect((await post("/sandbox/platforms/x/revoke", { account })).status).toBe(200);
      expect((await ada.api("GET", "/2/users/me")).status).toBe(401);
    },
  );
});

describe("GET /sandbox/platforms/{platform}/posts", () => {
  test("gives the book oldest first, of all or of one account", async ({ expect }) => {
    const [ada, ben] = [await person("ada"), await person("ben")];
    await ada.publish({ text: "first" });
    await ben.publish({ text: "second" });
    await ada.publish({ text: "third" });
    const texts = async (account: string) => (await bookOf("x", account)).map((entry) => entry.text);
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
    const answer = await app(`/sandbox/media/${name}`);
    expect(answer.headers.get("content-type")).toBe(type);
    const bytes = await sample(name);
    expect(Number(answer.headers.get("content-length"))).toBe(bytes.length);
    expect(
      new TextDecoder("latin1")
        .decode(bytes)
        .startsWith(new TextDecoder("latin1").decode(Uint8Array.from(start, (c) => c.charCodeAt(0)))),
    ).toBe(true);
    expect(bytes.length).toBeLessThan(60 * 1024);
  });
});

describe("the consent page", () => {
  const inBrowser = (url: URL): string => sandboxWorld(env).browserUrl(url).href.slice(ORIGIN.length);

  test("lists the logins as links that lead back to the app", async ({ expect }) => {
    const path = inBrowser(await authorizeUrl({ login: null }));
    expect(path).toMatch(/^\/sandbox\/x\.com\/i\/oauth2\/authorize\?/);
    const page = await app(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    const link = /href="(?<to>[^"]*login=ben[^"]*)"/.exec(await page.text())?.groups?.["to"]?.replaceAll("&amp;", "&");
    const chosen = await app(`${path.split("?")[0]}${link}`);
    expect(chosen.status).toBe(302);
    expect(chosen.headers.get("location")).toMatch(`${REDIRECT}?state=some-state&code=`);
  });

  test("a person can deny", async ({ expect }) => {
    const denied = await app(inBrowser(await authorizeUrl({ login: "-" })));
    expect(denied.headers.get("location")).toBe(`${REDIRECT}?error=access_denied&state=some-state`);
  });
});

describe("400 with a sentence", () => {
  const wrong: readonly (readonly [path: string, body?: unknown])[] = [
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

  test.for(wrong)("POST %s %j", async ([path, body], { expect }) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    const { error } = await answer.json<{ error: string }>();
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
    const answer = await app(path);
    expect(answer.status).toBe(400);
    expect((await answer.json<{ error: string }>()).error).toMatch(/\w+ \w+/);
  });

  test("a body that is not JSON, and 413 for one over 1 MiB", async ({ expect }) => {
    const path = "/sandbox/platforms/x/settings";
    expect((await app(path, { method: "POST", body: "{" })).status).toBe(400);
    expect((await app(path, { method: "POST", body: `"${"x".repeat(1024 * 1024)}"` })).status).toBe(413);
  });

  test("404 for a call the sandbox does not have", async ({ expect }) => {
    expect((await app("/sandbox/nothing")).status).toBe(404);
  });
});

describe("the world", () => {
  test("answers its own origin in the process, and trusts it for media", async ({ expect }) => {
    const outbound = sandboxWorld(env);
    const answer = await outbound.publicFetch(new Request(`${ORIGIN}/sandbox/media/square.png`));
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(await sample("square.png"));
    expect(outbound.trustedMediaOrigin).toBe(ORIGIN);
  });

  test("lets other public addresses go to the network", async ({ expect }) => {
    const answer = await sandboxWorld(env).publicFetch(new Request("https://example.com/picture.jpg"));
    expect(answer.status).toBe(599);
  });

  test("fails like a name that does not resolve where nobody plays the host", async ({ expect }) => {
    await expect(call("https://api.example.com/")).rejects.toThrow("api.example.com");
  });

  test("has app credentials for every platform that has a simulator; what the operator set stays", ({ expect }) => {
    const wrapped = withSandboxApps({ ...env, X_CLIENT_ID: "mine" });
    expect(wrapped).toMatchObject({
      X_CLIENT_ID: "mine",
      X_CLIENT_SECRET: "sandbox-x-secret",
      INSTAGRAM_CLIENT_ID: "sandbox-instagram",
      INSTAGRAM_CLIENT_SECRET: "sandbox-instagram-secret",
    });
    expect(wrapped.DB).toBe(env.DB);
  });
});

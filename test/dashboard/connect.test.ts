import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import { listAccounts, oauthMethodOf, startConnect, syncAccounts } from "#accounts/index.ts";
import { startSession } from "#auth/index.ts";
import type { Env } from "#config.ts";
import type { Context } from "#context.ts";
import { sha256Hex } from "#core/encoding.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { createConnectRoutes } from "#dashboard/connect/index.ts";
import { adapterFor } from "#platforms/registry.ts";
import { sandboxOutbound } from "#sandbox/index.ts";
import {
  completePlatformLogin,
  createSandboxUser,
  followToCallback,
  sandboxEnv,
  type SandboxLogin,
  startSandboxLogin,
} from "../accounts/sandbox-context.ts";
import { queryRows } from "../accounts/test-context.ts";
import { changeSettings } from "../sandbox/sandbox-api.ts";
import { sendUntilLimited } from "../support/send-until-limited.ts";

const ORIGIN = "http://localhost:8787";
const app = createConnectRoutes(sandboxOutbound);

async function open(url: string | URL, init: RequestInit = {}, env: Env = sandboxEnv) {
  const execution = createExecutionContext();
  const response = await app.fetch(new Request(url, { redirect: "manual", ...init }), env, execution);
  const text = await response.text();
  await waitOnExecutionContext(execution);
  return { status: response.status, headers: response.headers, text };
}

/** A login in the sandbox with these values of the form, back from the platform's page. */
async function loginWith(ctx: Context, platform: Platform, input: Readonly<Record<string, string>>) {
  const started = await startSandboxLogin(ctx, platform, "ada", input);
  const url = await followToCallback(started.url);
  // Some platforms insist on 127.0.0.1; the cookie belongs to localhost.
  url.hostname = "localhost";
  return { ...started, url };
}

const callback = (query: Record<string, string>, platform = "x") =>
  `${ORIGIN}/connect/${platform}/callback?${String(new URLSearchParams(query))}`;

const stateOf = (url: string | URL) => new URL(url).searchParams.get("state") ?? "";

const cookieName = async (url: string | URL) => `__Host-connect-${(await sha256Hex(stateOf(url))).slice(0, 16)}`;

/** Opens a callback in the browser that started the login. */
async function openCallback({ url, browserToken }: SandboxLogin, cookies = "", env?: Env) {
  const cookie = `${await cookieName(url)}=${browserToken}; ${cookies}`;
  return await open(url, { headers: { cookie } }, env);
}

async function requestLink(ctx: Context): Promise<string> {
  return (await startConnect(ctx, { platform: "x" })).connectUrl;
}

/** Sends the form of the start page as a browser does. */
async function sendForm(url: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const body = new URLSearchParams({ method: "oauth", ...fields });
  const address = crypto.randomUUID();
  return await open(url, {
    method: "POST",
    body,
    headers: { origin: ORIGIN, "cf-connecting-ip": address, ...headers },
  });
}

/** The cookie that the start of a login set, as a browser sends it back. */
const cookieFrom = (headers: Headers) => headers.getSetCookie()[0]?.split(";")[0] ?? "";

describe("GET /connect/{platform}", () => {
  test("names the platform, the workspace and the shortened e-mail of its owner, and starts nothing", async ({
    expect,
  }) => {
    const { ctx } = await createSandboxUser();
    await queryRows("UPDATE workspaces SET name = '<b>Studio</b>' WHERE id = ?", ctx.actor.workspaceId);
    const link = await requestLink(ctx);
    const page = await open(link);
    expect(page.status).toBe(200);
    expect(page.text).toMatch(
      /<h1>.*Connect X\s*<\/h1>\s*<p>\s*The account joins the workspace.*&lt;b&gt;Studio&lt;\/b&gt;.*of .…@example\.com/s,
    );
    const [user] = await queryRows("SELECT email FROM users WHERE id = ?", ctx.actor.userId);
    expect(page.text).not.toContain(String(user?.["email"]));
    expect(page.text).toContain("Continue to X");
    expect(page.text).not.toContain("<script");
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https:");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect((await open(link, { method: "HEAD" })).status).toBe(200);
    expect((await open(link)).status).toBe(200);
  });

  test("says that the person chooses where a login may have several accounts", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const pageOf = async (platform: Platform) => (await open((await startConnect(ctx, { platform })).connectUrl)).text;
    expect(await pageOf("facebook")).toContain(
      "Facebook asks which Pages to share. Then you choose here which of them to connect.",
    );
    expect(await pageOf("x")).not.toContain("you choose there");
  });

  test("asks for trust except of the owner, who can go back", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const link = await requestLink(ctx);
    const stranger = await open(link);
    expect(stranger.text).toContain("Continue only if this is your workspace");
    expect(stranger.text).not.toContain("Cancel");
    const cookie = `__Host-session=${await startSession(ctx, { userId: ctx.actor.userId })}`;
    for (const page of [
      await open(link, { headers: { cookie } }),
      await sendForm(link, { method: "none" }, { cookie }),
    ]) {
      expect(page.text).toContain("Continue to X");
      expect(page.text).not.toContain("Continue only if");
      expect(page.text).toContain('<a href="/dashboard/accounts">Cancel</a>');
    }
  });

  test("400 for an unknown link, and for one of another user who is signed in", async ({ expect }) => {
    const [{ ctx }, { ctx: other }] = [await createSandboxUser(), await createSandboxUser()];
    const unknown = await open(`${ORIGIN}/connect/x?state=unknown`);
    expect(unknown.status).toBe(400);
    expect(unknown.text).toMatch(/href="\/dashboard\/accounts">\s*Back to your accounts/);
    expect((await open(`${ORIGIN}/connect/x`)).status).toBe(400);
    const token = await startSession(other, { userId: other.actor.userId });
    const link = await requestLink(ctx);
    const cookie = `__Host-session=${token}`;
    expect((await open(link, { headers: { cookie } })).status).toBe(400);
    expect((await sendForm(link, {}, { cookie })).status).toBe(400);
    expect((await open(link)).status).toBe(200);
  });

  test("404 for an unknown platform", async ({ expect }) => {
    expect((await open(`${ORIGIN}/connect/myspace?state=s`)).status).toBe(404);
    expect((await sendForm(`${ORIGIN}/connect/myspace?state=s`)).status).toBe(404);
  });
});

describe("POST /connect/{platform}", () => {
  test("leads to the platform and binds the login to the browser", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const link = await requestLink(ctx);
    const started = await sendForm(link, { login: "ben" });
    expect(started.status).toBe(303);
    const location = new URL(started.headers.get("location") ?? "");
    expect(location.pathname).toBe("/sandbox/x.com/i/oauth2/authorize");
    expect(location.searchParams.get("login")).toBe("ben");
    const [cookie] = started.headers.getSetCookie();
    expect(cookie).toMatch(new RegExp(`^${await cookieName(link)}=[\\w-]{43}; `));
    for (const attribute of ["Path=/", "HttpOnly", "Secure", "SameSite=Lax", "Max-Age=600"]) {
      expect(cookie).toContain(attribute);
    }
    const url = await followToCallback(location);
    expect((await open(url, { headers: { cookie: cookieFrom(started.headers) } })).text).toContain("X is connected");
  });

  test.for<[string, Record<string, string>]>([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another origin", { origin: "https://evil.example" }],
  ])("403 for a form of %s", async ([, headers], { expect }) => {
    const { ctx } = await createSandboxUser();
    const link = await requestLink(ctx);
    expect((await sendForm(link, {}, headers)).status).toBe(403);
    expect(await queryRows("SELECT browser_hash FROM connect_states WHERE user_id = ?", ctx.actor.userId)).toEqual([
      { browser_hash: null },
    ]);
  });

  test("400 for an unknown method; the form is shown again", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const page = await sendForm(await requestLink(ctx), { method: "telepathy" });
    expect(page.status).toBe(400);
    expect(page.text).toContain("Continue to X");
    expect(page.text).not.toContain("telepathy");
  });

  test("413 for a large body", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    expect((await sendForm(await requestLink(ctx), { login: "x".repeat(70_000) })).status).toBe(413);
  });

  test("429 for too many attempts from one address", async ({ expect }) => {
    const address = { "cf-connecting-ip": crypto.randomUUID() };
    const pages = await sendUntilLimited(60, () => sendForm(`${ORIGIN}/connect/x?state=unknown`, {}, address));
    expect(pages[0].status).toBe(400);
    expect(pages.at(-1)?.status).toBe(429);
  });
});

describe("a platform with fields", () => {
  const requestBlueskyLink = async (input: Record<string, string> = {}) => {
    const { ctx } = await createSandboxUser();
    return { ctx, link: (await startConnect(ctx, { platform: "bluesky", input })).connectUrl };
  };

  test("the page has a form for each method, with the values of the API filled in", async ({ expect }) => {
    const { link } = await requestBlueskyLink({ handle: 'ada"><b>.bsky.social' });
    const { text } = await open(link);
    expect(text.match(/<form /g)).toHaveLength(2);
    expect(text).toContain('value="ada&quot;&gt;&lt;b&gt;.bsky.social"');
    expect(text).toMatch(/<input[^>]*name="app_password"[^>]*type="password"/);
  });

  test("a refused secret is not in the page, other values are", async ({ expect }) => {
    const { ctx, link } = await requestBlueskyLink();
    const fields = { method: "credentials", identifier: "ada.bsky.social", app_password: "S3CR3T-wrong" };
    const page = await sendForm(link, fields);
    expect(page.status).toBe(400);
    expect(page.text).toContain('value="ada.bsky.social"');
    expect(page.text + JSON.stringify([...page.headers])).not.toContain("S3CR3T");
    expect(page.text).toContain("Check what you entered.");
    const connected = await sendForm(link, { ...fields, app_password: "adaa-sand-boxx-2222" });
    expect(connected.text).toContain("Bluesky is connected");
    expect(connected.headers.get("content-security-policy")).toContain("form-action 'none'");
    expect(await listAccounts(ctx)).toHaveLength(1);
  });

  test.for([
    ["mastodon", { server: "mastodon.socail" }],
    ["mastodon", { server: "@ada@mastodon.socail" }],
    ["mastodon", { server: "mastodno.example" }],
  ] as const)(
    "an unknown server at %s is refused with the advice to check the name (%j)",
    async ([platform, fields], { expect }) => {
      const { ctx } = await createSandboxUser();
      const { connectUrl } = await startConnect(ctx, { platform });
      const page = await sendForm(connectUrl, fields);
      expect(page.status).toBe(400);
      // The server may also be down at this moment.
      expect(page.text).toMatch(
        /No Mastodon server answers at mastod\S+\. Check the spelling first; if it is right, the server may be down now\. Try again in a few minutes\./,
      );
    },
  );

  test.for(PLATFORMS.filter((platform) => oauthMethodOf(adapterFor(platform)!)!.input.length > 0))(
    "the example that the form of %s suggests works in the sandbox",
    async (platform, { expect }) => {
      const { ctx } = await createSandboxUser();
      const { input } = oauthMethodOf(adapterFor(platform)!)!;
      const example = Object.fromEntries(input.map((field) => [field.name, field.example]));
      const page = await openCallback(await loginWith(ctx, platform, example));
      expect(page.status).toBe(200);
      expect(await listAccounts(ctx)).toHaveLength(1);
    },
  );

  test("a private address named as server is refused with a sentence", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const { connectUrl } = await startConnect(ctx, { platform: "mastodon" });
    const page = await sendForm(connectUrl, { server: "intranet.local" });
    expect(page.status).toBe(400);
    expect(page.text).toMatch(/intranet\.local/);
    expect(page.text).toContain('role="alert"');
  });
});

describe("the browser of a login", () => {
  test("a callback in another browser connects nothing, and the login can still be finished in its own", async ({
    expect,
  }) => {
    const { ctx } = await createSandboxUser();
    const login = await completePlatformLogin(ctx, "x");
    for (const cookie of [
      "",
      `${await cookieName(login.url)}=guess`,
      `__Host-connect-0000000000000000=${login.browserToken}`,
    ]) {
      const page = await open(login.url, { headers: { cookie } });
      expect(page.status).toBe(400);
      expect(await listAccounts(ctx)).toEqual([]);
    }
    expect((await open(login.url)).text).toContain("not started in this browser");
    expect((await openCallback(login)).status).toBe(200);
  });

  test("a second start replaces the first one", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const link = await requestLink(ctx);
    const first = await sendForm(link, { login: "ada" });
    const second = await sendForm(link, { login: "ben" });
    const firstCallback = await followToCallback(new URL(first.headers.get("location") ?? ""));
    expect((await open(firstCallback, { headers: { cookie: cookieFrom(first.headers) } })).status).toBe(400);
    const callbackUrl = await followToCallback(new URL(second.headers.get("location") ?? ""));
    expect((await open(callbackUrl, { headers: { cookie: cookieFrom(second.headers) } })).status).toBe(200);
    expect((await sendForm(link)).status).toBe(400);
    expect(await listAccounts(ctx)).toMatchObject([{ username: "ben_example" }]);
  });

  test("a link that was only opened cannot be finished", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const state = stateOf(await requestLink(ctx));
    const url = new URL(callback({ state, code: "c" }));
    expect((await openCallback({ url, browserToken: "" })).status).toBe(400);
    expect((await openCallback({ url, browserToken: "null" })).status).toBe(400);
  });
});

describe("GET /connect/{platform}/callback", () => {
  test("200: says that the window can be closed, and shows the account", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const page = await openCallback(await completePlatformLogin(ctx, "x"));
    expect(page.status).toBe(200);
    expect(page.text).toContain("X is connected");
    // The way back comes first, the window that may be closed last.
    expect(page.text).toMatch(
      /<\/h1>\s*<div class="actions">\s*<a class="button" href="\/dashboard\/accounts">.*Back to your accounts.*href="\/dashboard\/posts\/new">.*Write a post.*You can close this window\./s,
    );
    const [account] = await listAccounts(ctx);
    expect(page.text).toContain(account!.username);
    expect(page.text.startsWith("<!doctype html>")).toBe(true);
  });

  test("200: after a second login the account is shown as reconnected", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    await openCallback(await completePlatformLogin(ctx, "x"));
    expect((await openCallback(await completePlatformLogin(ctx, "x"))).text).toContain("Reconnected");
    expect(await listAccounts(ctx)).toHaveLength(1);
  });

  test("200: leads back to the post from which the login began, and to no other address", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const post = `/dashboard/posts/${crypto.randomUUID()}`;
    for (const path of [post, `${post}/retry`]) {
      const cookie = `__Host-return=${encodeURIComponent(path)}`;
      const page = await openCallback(await completePlatformLogin(ctx, "x"), cookie);
      expect(page.text).toMatch(new RegExp(`<a class="button" href="${path}">\\s*Back to the post`));
    }
    const hostile = await openCallback(
      await completePlatformLogin(ctx, "x"),
      "__Host-return=https%3A%2F%2Fevil.example",
    );
    expect(hostile.text).not.toContain("evil.example");
    expect(hostile.text).not.toContain("Back to the post");
  });

  test("200: a HEAD request does not consume the state", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const login = await completePlatformLogin(ctx, "x");
    expect((await open(login.url, { method: "HEAD" })).status).toBe(200);
    expect((await openCallback(login)).status).toBe(200);
  });

  test("302: a callback at 127.0.0.1 goes to localhost, where the browser's cookie is", async ({ expect }) => {
    const url = new URL(callback({ code: "c", state: "s", iss: "https://pds.example" }, "bluesky"));
    url.hostname = "127.0.0.1";
    const moved = await open(url);
    expect(moved.status).toBe(302);
    expect(moved.headers.get("location")).toBe(
      `${ORIGIN}/connect/bluesky/callback?code=c&state=s&iss=https%3A%2F%2Fpds.example`,
    );
  });

  test("400: a link that was used", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const login = await completePlatformLogin(ctx, "x");
    await openCallback(login);
    const page = await openCallback(login);
    expect(page.status).toBe(400);
    expect(page.text).toContain("was already used");
  });

  test("400: a cancelled login, without echoing the parameters", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const { url, browserToken } = await completePlatformLogin(ctx, "x");
    const state = stateOf(url);
    const denied = callback({ state, error: "access_denied", error_description: "<script>alert(1)</script>" });
    const page = await openCallback({ url: new URL(denied), browserToken });
    expect(page.status).toBe(400);
    expect(page.text).toContain("The login was cancelled.");
    expect(page.text).not.toContain("alert(1)");
  });

  test("400: a browser in which another user is signed in", async ({ expect }) => {
    const [{ ctx }, { ctx: other }] = [await createSandboxUser(), await createSandboxUser()];
    const token = await startSession(other, { userId: other.actor.userId });
    const login = await completePlatformLogin(ctx, "x");
    const page = await openCallback(login, `__Host-session=${token}`);
    expect(page.status).toBe(400);
    expect(await listAccounts(ctx)).toEqual([]);
    // Without that session the same browser can still finish the login.
    expect((await openCallback(login)).status).toBe(200);
  });

  test.for<Record<string, string>>([
    {},
    { state: "x" },
    { state: "\0", code: "\0" },
    { code: "c".repeat(8000), state: "y".repeat(8000) },
  ])("400: missing or invalid parameters (%#)", async (query, { expect }) => {
    expect((await open(callback(query))).status).toBe(400);
  });

  test("400: an internal error, without its details", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const login = await completePlatformLogin(ctx, "x");
    const spy = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const page = await openCallback(login, "", { ...sandboxEnv, TOKEN_KEYS: "broken S3CR3T" });
    expect(page.status).toBe(400);
    expect(page.text).toContain("Something went wrong on our side");
    expect(page.text + JSON.stringify(spy.mock.calls)).not.toContain("S3CR3T");
    expect(spy).toHaveBeenCalled();
    spy.mockRestore();
  });

  test.for(["myspace", "X", "__proto__", "constructor"])(
    "404: the unknown platform %s",
    async (platform, { expect }) => {
      expect((await open(callback({}, platform))).status).toBe(404);
    },
  );
});

/** The paths of the calls that one simulated server got. */
async function callsOf(platform: Platform, host: string): Promise<readonly string[]> {
  const answer = await exports.default.fetch(`${ORIGIN}/sandbox/platforms/${platform}/calls`);
  const { calls } = await answer.json<{ calls: { host: string; path: string }[] }>();
  return calls.filter((call) => call.host === host).map(({ path }) => path);
}

describe("/connect/{platform}/choose", () => {
  /** A finished login with several accounts, up to the page of its choice, which only `cookie` opens. */
  async function logIn(ctx: Context, platform: Platform = "linkedin", login = "ada") {
    const finished = await openCallback(await completePlatformLogin(ctx, platform, login));
    const url = new URL(finished.headers.get("location") ?? "", ORIGIN).href;
    return { status: finished.status, url, cookie: cookieFrom(finished.headers) };
  }

  const MEMBER = "urn:li:person:AbC123xyz";
  const PAGE_OF_ADA = "urn:li:organization:5515715";

  async function choose(
    { url, cookie }: { readonly url: string; readonly cookie: string },
    ids: readonly string[],
    headers: Record<string, string> = {},
  ) {
    const body = new URLSearchParams(ids.map((id) => ["account", id]));
    return await open(url, {
      method: "POST",
      body,
      headers: { origin: ORIGIN, "cf-connecting-ip": crypto.randomUUID(), cookie, ...headers },
    });
  }

  test("303 from the callback; 200: lists what the login offers, nothing ticked, and the places that are left", async ({
    expect,
  }) => {
    const { ctx } = await createSandboxUser();
    const { status, url, cookie } = await logIn(ctx);
    expect(status).toBe(303);
    expect(url).toContain("/connect/linkedin/choose?state=");
    const page = await open(url, { headers: { cookie, "cf-connecting-ip": crypto.randomUUID() } });
    expect(page.status).toBe(200);
    for (const text of [
      "Ada Example",
      "Example GmbH",
      "@example-gmbh",
      MEMBER,
      PAGE_OF_ADA,
      "0 of 100 places are taken: you can connect 100 more accounts.",
    ]) {
      expect(page.text).toContain(text);
    }
    expect(page.text).not.toMatch(/<input[^>]* checked/);
    expect(page.text).not.toContain(ctx.actor.userId);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(page.headers.get("content-security-policy")).not.toContain("script");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(await listAccounts(ctx)).toEqual([]);
  });

  test("200: connects what is ticked and nothing else, and a repeated form does the same", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const choice = await logIn(ctx);
    for (const heading of ["Connected now", "Reconnected"]) {
      const end = await choose(choice, [PAGE_OF_ADA]);
      expect(end.status).toBe(200);
      expect(end.text).toContain("LinkedIn is connected");
      expect(end.text).toContain(heading);
      expect(await listAccounts(ctx)).toMatchObject([{ platformAccountId: PAGE_OF_ADA }]);
    }
    expect((await syncAccounts(ctx)).accounts).toHaveLength(1);
  });

  test("200: after a new login what was connected is ticked, and what was not is offered", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    await choose(await logIn(ctx), [PAGE_OF_ADA]);
    const { url, cookie } = await logIn(ctx);
    const page = await open(url, { headers: { cookie } });
    expect(page.text).toMatch(new RegExp(`value="${PAGE_OF_ADA}" checked="" disabled=""`));
    expect(page.text).toMatch(new RegExp(`value="${MEMBER}"/?>`));
    expect((await choose({ url, cookie }, [])).text).toContain("Reconnected");
    expect(await listAccounts(ctx)).toHaveLength(1);
  });

  test("400: nothing is ticked, or more than fits; the form is shown again with its ticks", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const choice = await logIn(ctx);
    const none = await choose(choice, []);
    expect(none.status).toBe(400);
    expect(none.text).toContain("Choose at least one account.");
    await env.DB.prepare("UPDATE subscriptions SET plan = 'starter' WHERE user_id = ?").bind(ctx.actor.userId).run();
    for (const platform of ["x", "threads", "tiktok", "pinterest"] as const) {
      await openCallback(await completePlatformLogin(ctx, platform));
    }
    const many = await choose(choice, [MEMBER, PAGE_OF_ADA]);
    expect(many.status).toBe(400);
    expect(many.text).toContain("Your plan allows 5 connected accounts and 4 are connected. Choose at most 1.");
    expect(many.text).toMatch(new RegExp(`value="${PAGE_OF_ADA}" checked=""`));
    expect(await listAccounts(ctx, { platform: "linkedin" })).toEqual([]);
  });

  test("400: another browser, another user, the cookie of before the login; 403: another site", async ({ expect }) => {
    const [{ ctx }, { ctx: other }] = [await createSandboxUser(), await createSandboxUser()];
    const login = await completePlatformLogin(ctx, "linkedin");
    const finished = await openCallback(login);
    const choice = {
      url: new URL(finished.headers.get("location") ?? "", ORIGIN).href,
      cookie: cookieFrom(finished.headers),
    };
    const before = `${await cookieName(login.url)}=${login.browserToken}`;
    const session = `__Host-session=${await startSession(other, { userId: other.actor.userId })}`;
    for (const cookie of ["", before, `${choice.cookie}; ${session}`]) {
      expect((await open(choice.url, { headers: { cookie } })).status).toBe(400);
      expect((await choose({ ...choice, cookie }, [MEMBER])).status).toBe(400);
    }
    expect((await choose(choice, [MEMBER], { origin: "https://evil.example" })).status).toBe(403);
    expect((await choose({ ...choice, url: choice.url.replace("linkedin", "facebook") }, [MEMBER])).status).toBe(400);
    expect(await listAccounts(ctx)).toEqual([]);
    expect(await listAccounts(other)).toEqual([]);
    expect((await choose(choice, [MEMBER])).status).toBe(200);
  });
});

describe("a server that sends its visitor to another server (mix-up, RFC 9700 4.4)", () => {
  const HONEST = "mastodon.example";
  const HOSTILE = "long.mastodon.example";

  /** The victim names the hostile server, which leads the browser to the page of the honest one, with the state of the victim's login. */
  async function mixUp() {
    const [{ ctx: victim }, { ctx: attacker }] = [await createSandboxUser(), await createSandboxUser()];
    const named = await startSandboxLogin(victim, "mastodon", "ada", { server: HOSTILE });
    const prepared = await startSandboxLogin(attacker, "mastodon", "ada", { server: HONEST });
    const page = new URL(prepared.url);
    page.searchParams.set("state", stateOf(named.url));
    return { victim, attacker, named, prepared, page };
  }

  test("400: the hostile server gets no code, and nobody an account", async ({ expect }) => {
    const { victim, attacker, named, page } = await mixUp();
    const url = await followToCallback(page);
    expect(url.pathname).toBe(`/connect/mastodon/callback/${HONEST}`);
    expect(url.searchParams.has("code")).toBe(true);
    const answer = await openCallback({ ...named, url });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("Another server answered this login");
    expect(await callsOf("mastodon", HOSTILE)).not.toContain("/oauth/token");
    expect([await listAccounts(victim), await listAccounts(attacker)]).toEqual([[], []]);
  });

  test("the honest server refuses the callback address of the hostile one", async ({ expect }) => {
    const { named, page } = await mixUp();
    page.searchParams.set("redirect_uri", `${ORIGIN}/connect/mastodon/callback/${HOSTILE}`);
    expect((await exports.default.fetch(new Request(page, { redirect: "manual" }))).status).toBe(400);
    page.searchParams.set("redirect_uri", `${ORIGIN}/connect/mastodon/callback`);
    expect((await exports.default.fetch(new Request(page, { redirect: "manual" }))).status).toBe(400);
    expect(named.url.searchParams.get("redirect_uri")).toBe(`${ORIGIN}/connect/mastodon/callback/${HOSTILE}`);
  });

  test("400: a callback without a server, or with one where the platform has a single address", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    for (const [platform, change] of [
      ["mastodon", (path: string) => path.replace(/[^/]+$/, "")],
      ["mastodon", (path: string) => path.replace(/\/[^/]+$/, "")],
      ["x", (path: string) => `${path}/${HOSTILE}`],
    ] as const) {
      const login = await completePlatformLogin(ctx, platform);
      login.url.pathname = change(login.url.pathname);
      expect((await openCallback(login)).status, login.url.pathname).toBeGreaterThanOrEqual(400);
    }
    expect(await listAccounts(ctx)).toEqual([]);
  });

  test("400: an issuer that is another server's; 200: the server's own", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    await changeSettings("mastodon", { issuer: "https://elsewhere.example/" });
    const page = await openCallback(await completePlatformLogin(ctx, "mastodon"));
    expect([page.status, await listAccounts(ctx)]).toEqual([400, []]);
    await changeSettings("mastodon", { issuer: `https://${HONEST}/` });
    expect((await openCallback(await completePlatformLogin(ctx, "mastodon"))).status).toBe(200);
    await changeSettings("mastodon", { issuer: null });
  });

  test.for(["wrong_iss", "missing_iss"])(
    "400: Bluesky with the issuer of nobody or of another (%s)",
    async (mode, { expect }) => {
      const { ctx } = await createSandboxUser();
      await changeSettings("bluesky", { callback: mode });
      const login = await completePlatformLogin(ctx, "bluesky");
      login.url.hostname = "localhost";
      const page = await openCallback(login);
      await changeSettings("bluesky", { callback: null });
      expect([page.status, await listAccounts(ctx)]).toEqual([400, []]);
    },
  );
});

describe("GET /connect/{platform}/client-metadata.json", () => {
  test.for([...PLATFORMS, "myspace"])("%s", async (platform, { expect }) => {
    const adapter = PLATFORMS.some((name) => name === platform) ? adapterFor(platform as "x") : undefined;
    const isServed = adapter?.connect.methods.some(
      (method) => method.kind === "oauth" && method.clientMetadata !== null,
    );
    const { status, headers, text } = await open(`${ORIGIN}/connect/${platform}/client-metadata.json`);
    expect(status).toBe(isServed ? 200 : 404);
    expect(headers.get("content-type")).toContain("application/json");
    expect(JSON.parse(text)).toBeTypeOf("object");
    if (isServed) {
      expect(headers.get("cache-control")).toBe("public, max-age=600");
      expect(headers.get("access-control-allow-origin")).toBe("*");
    }
  });
});

test("every last page forbids scripts, forms, framing, caching and referrers", async ({ expect }) => {
  for (const url of [callback({}), callback({}, "myspace")]) {
    const { headers, text } = await open(url);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).toContain("form-action 'none'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("content-security-policy")).not.toContain("script-src");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(text).not.toContain("<script");
    expect(text).toContain('<html lang="en">');
  }
});

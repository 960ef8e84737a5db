import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, test, vi } from "vitest";
import { listAccounts, startConnect } from "#accounts/index.ts";
import { startSession } from "#auth/index.ts";
import type { Env } from "#config.ts";
import { createConnectRoutes } from "#dashboard/connect/index.ts";
import { sandboxOutbound } from "#sandbox/index.ts";
import { completePlatformLogin, createSandboxUser, sandboxEnv } from "../accounts/sandbox-context.ts";

const app = createConnectRoutes(sandboxOutbound);

async function open(url: string | URL, init: RequestInit = {}, env: Env = sandboxEnv) {
  const execution = createExecutionContext();
  const response = await app.fetch(new Request(url, init), env, execution);
  const text = await response.text();
  await waitOnExecutionContext(execution);
  return { status: response.status, headers: response.headers, text };
}

const callback = (query: Record<string, string>, platform = "x") =>
  `http://localhost:8787/connect/${platform}/callback?${String(new URLSearchParams(query))}`;

describe("200", () => {
  test("says that the window can be closed, and shows the account", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const page = await open(await completePlatformLogin(ctx, "x"));
    expect(page.status).toBe(200);
    expect(page.text).toContain("X is connected");
    expect(page.text).toContain("You can close this window.");
    const [account] = await listAccounts(ctx);
    expect(page.text).toContain(account!.username);
    expect(page.text.startsWith("<!doctype html>")).toBe(true);
  });

  test("after a second login the account is shown as reconnected", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    await open(await completePlatformLogin(ctx, "x"));
    expect((await open(await completePlatformLogin(ctx, "x"))).text).toContain("Reconnected");
    expect(await listAccounts(ctx)).toHaveLength(1);
  });

  test("a HEAD request does not consume the state", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const url = await completePlatformLogin(ctx, "x");
    expect((await open(url, { method: "HEAD" })).status).toBe(200);
    expect((await open(url)).status).toBe(200);
  });
});

describe("400", () => {
  test("a link that was used", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const url = await completePlatformLogin(ctx, "x");
    await open(url);
    const page = await open(url);
    expect(page.status).toBe(400);
    expect(page.text).toContain("was already used");
  });

  test("a cancelled login, without echoing the parameters", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const { connectUrl } = await startConnect(ctx, { platform: "x" });
    const state = new URL(connectUrl).searchParams.get("state") ?? "";
    const page = await open(
      callback({ state, error: "access_denied", error_description: "<script>alert(1)</script>" }),
    );
    expect(page.status).toBe(400);
    expect(page.text).toContain("The login was cancelled.");
    expect(page.text).not.toContain("alert(1)");
  });

  test("a browser in which another user is signed in", async ({ expect }) => {
    const [{ ctx }, { ctx: other }] = [await createSandboxUser(), await createSandboxUser()];
    const token = await startSession(other, { userId: other.actor.userId });
    const url = await completePlatformLogin(ctx, "x");
    const foreign = await open(url, { headers: { cookie: `__Host-session=${token}` } });
    expect(foreign.status).toBe(400);
    expect(await listAccounts(ctx)).toEqual([]);
    // A browser without that session can still finish the login.
    expect((await open(url)).status).toBe(200);
  });

  test.for<Record<string, string>>([
    {},
    { state: "x" },
    { state: "\0", code: "\0" },
    { code: "c".repeat(8000), state: "y".repeat(8000) },
  ])("missing or invalid parameters (%#)", async (query, { expect }) => {
    expect((await open(callback(query))).status).toBe(400);
  });

  test("an internal error, without its details", async ({ expect }) => {
    const { ctx } = await createSandboxUser();
    const url = await completePlatformLogin(ctx, "x");
    const spy = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const page = await open(url, {}, { ...sandboxEnv, TOKEN_KEYS: "broken S3CR3T" });
    expect(page.status).toBe(400);
    expect(page.text).toContain("Something went wrong on our side");
    expect(page.text + JSON.stringify(spy.mock.calls)).not.toContain("S3CR3T");
    expect(spy).toHaveBeenCalled();
    spy.mockRestore();
  });
});

describe("404", () => {
  test.for(["myspace", "X", "__proto__", "constructor"])("an unknown platform: %s", async (platform, { expect }) => {
    expect((await open(callback({}, platform))).status).toBe(404);
  });
});

test("every page forbids scripts, framing, caching and referrers", async ({ expect }) => {
  for (const url of [callback({}), callback({}, "myspace")]) {
    const { headers, text } = await open(url);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
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

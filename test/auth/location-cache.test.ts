import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { createApi } from "#api/index.ts";
import { generateSecret, hashSecret } from "#auth/secrets.ts";
import { DAY } from "#core/clock.ts";
import { SCOPES } from "#core/scope.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "../support/create-caller.ts";
import { forgetInIsolate } from "../support/forget-in-isolate.ts";
import { ORIGIN } from "../support/origin.ts";
import { createTestContext } from "./test-context.ts";

/*
 * An isolate that does not remember a credential reads its row from the cache of the location, and works with it as with a remembered one.
 */

const api = createApi(sandboxOutbound);

/** A request to an isolate that remembers nothing, with the calls to D1 until its response; then its deferred work. */
async function callElsewhere(caller: Pick<ApiCaller, "key">, path = "/workspaces", body?: unknown) {
  await forgetInIsolate(caller);
  const { d1, count } = countingD1(env.DB);
  const ctx = createExecutionContext();
  const request = new Request(`${ORIGIN}/v1${path}`, {
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const { status } = await api.fetch(request, { ...withSandboxCredentials(env), DB: d1 }, ctx);
  const { roundTrips } = count;
  await waitOnExecutionContext(ctx);
  return { status, roundTrips };
}

const urlOf = async ({ key }: Pick<ApiCaller, "key">) => `${ORIGIN}/v1/remembered-credentials/${await hashSecret(key)}`;

/** A key whose last use is stored, so that no request writes it. */
async function createUsedCaller(): Promise<ApiCaller> {
  const caller = await createCaller();
  await env.DB.prepare("UPDATE api_keys SET last_used_at = ? WHERE user_id = ?").bind(Date.now(), caller.userId).run();
  return caller;
}

async function knownInLocation(): Promise<ApiCaller> {
  const caller = await createUsedCaller();
  await callElsewhere(caller);
  return caller;
}

const changeKeys = ({ userId }: ApiCaller, change: string) =>
  env.DB.prepare(`UPDATE api_keys SET ${change} WHERE user_id = ?`).bind(userId).run();

const ASKED_FIRST = { status: 200, roundTrips: 2 };
const KNOWN = { status: 200, roundTrips: 1 };

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a row in the cache of the location", () => {
  test("saves the question of an isolate that does not know the credential", async ({ expect }) => {
    const caller = await createUsedCaller();
    expect(await callElsewhere(caller)).toEqual(ASKED_FIRST);
    expect(await callElsewhere(caller)).toEqual(KNOWN);
  });

  test("lives for five minutes and shows nothing to others than the holder of the credential", async ({ expect }) => {
    const caller = await knownInLocation();
    const entry = await caches.default.match(await urlOf(caller));
    const stored = await env.DB.prepare("SELECT id, name FROM api_keys WHERE user_id = ?")
      .bind(caller.userId)
      .first<{ id: string; name: string }>();
    const text = new TextDecoder("latin1").decode(await entry?.arrayBuffer());
    expect(entry?.headers.get("cache-control")).toBe("max-age=300");
    expect(text.length).toBeGreaterThan(100);
    for (const known of [caller.key, caller.userId, caller.workspaceId, stored?.id, stored?.name, "posts:read"]) {
      expect(text).not.toContain(known);
    }
  });

  test("is encrypted anew by each write", async ({ expect }) => {
    const caller = await knownInLocation();
    const url = await urlOf(caller);
    const first = await (await caches.default.match(url))?.text();
    await caches.default.delete(url);
    await callElsewhere(caller);
    expect(await (await caches.default.match(url))?.text()).not.toBe(first);
  });

  test("of another credential is not read", async ({ expect }) => {
    const caller = await knownInLocation();
    const other = await createAnotherKey(caller, ["accounts:read"]);
    await changeKeys(caller, `last_used_at = ${Date.now()}`);
    const entry = await caches.default.match(await urlOf(caller));
    await caches.default.put(await urlOf(other), new Response(await entry?.arrayBuffer(), entry));
    expect(await callElsewhere(other, "/accounts")).toEqual(ASKED_FIRST);
    expect(await callElsewhere(other)).toEqual({ status: 403, roundTrips: 1 });
  });

  test("records the last use of its key at most every five minutes", async ({ expect }) => {
    const caller = await createCaller();
    const lastUse = () =>
      env.DB.prepare("SELECT last_used_at FROM api_keys WHERE user_id = ?").bind(caller.userId).first("last_used_at");
    await callElsewhere(caller);
    const first = await lastUse();
    expect(first).not.toBeNull();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1000 });
    await callElsewhere(caller);
    expect(await lastUse()).toBe(first);
  });
});

describe("an outdated row in the cache of the location", () => {
  const newWorkspace = ["/workspaces", { name: "Second" }] as const;

  test("does nothing after the credential was revoked, and is deleted", async ({ expect }) => {
    const caller = await knownInLocation();
    await changeKeys(caller, "revoked_at = 1");
    expect((await callElsewhere(caller, ...newWorkspace)).status).toBe(401);
    const count = env.DB.prepare("SELECT count(*) AS n FROM workspaces WHERE user_id = ?").bind(caller.userId);
    expect(await count.first("n")).toBe(1);
    expect(await caches.default.match(await urlOf(caller))).toBeUndefined();
  });

  test("is replaced when it differs", async ({ expect }) => {
    const caller = await knownInLocation();
    await changeKeys(caller, "name = 'renamed'");
    expect((await callElsewhere(caller)).roundTrips).toBeGreaterThan(1);
    expect(await callElsewhere(caller)).toEqual(KNOWN);
  });

  test("refuses nobody who got the scope since", async ({ expect }) => {
    const caller = await createUsedCaller();
    await changeKeys(caller, `scopes = '["accounts:read"]'`);
    await callElsewhere(caller, "/accounts");
    await changeKeys(caller, `scopes = '${JSON.stringify(SCOPES)}'`);
    expect(await callElsewhere(caller)).toEqual(ASKED_FIRST);
  });

  test("is not used at the end of the credential", async ({ expect }) => {
    const caller = await createUsedCaller();
    const end = Date.now() + DAY;
    await changeKeys(caller, `expires_at = ${end}`);
    await callElsewhere(caller);
    vi.useFakeTimers({ toFake: ["Date"], now: end });
    expect(await callElsewhere(caller)).toEqual({ status: 401, roundTrips: 1 });
  });
});

describe("a cache that does not work", () => {
  const never = () => new Promise<never>(() => undefined);
  const fail = () => Promise.reject(new Error("no cache"));

  test.for([
    ["fails to read", "match", fail],
    ["never answers", "match", never],
    ["answers junk", "match", () => Promise.resolve(new Response("junk"))],
    ["answers nothing", "match", () => Promise.resolve(undefined)],
    ["fails to write", "put", fail],
    ["fails to delete", "delete", fail],
  ] as const)("changes no answer when it %s", async ([, method, answer], { expect }) => {
    const caller = await createUsedCaller();
    vi.spyOn(caches.default, method).mockImplementation(answer);
    expect(await callElsewhere(caller)).toEqual(ASKED_FIRST);
    await changeKeys(caller, "revoked_at = 1");
    expect((await callElsewhere(caller)).status).toBe(401);
  });

  test("is not asked about a mistyped token", async ({ expect }) => {
    const match = vi.spyOn(caches.default, "match");
    const key = generateSecret(createTestContext().ids, "api_key");
    await callElsewhere({ key: `${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}` });
    expect(match).not.toHaveBeenCalled();
  });
});

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { DAY, SECOND } from "#core/clock.ts";
import type { Env } from "#config.ts";
import { serveMcp } from "#mcp/index.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { SlowKv } from "#sandbox/slow-kv.ts";
import { connectOneAccount, isoInDays } from "../support/api-workflows.ts";
import { mcpRequest, readMcpResponse } from "../support/call-mcp.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";

const unreachable = () => Promise.reject(new Error("Durable Object is overloaded"));

/** The bindings at two locations, and whether the second one reaches the object of the user. */
function atTwoLocations(delayMs: number, isReachable: boolean): { readonly here: Env; readonly there: Env } {
  const bindings = withSandboxCredentials(env);
  const kv = new SlowKv(env.TOKENS, () => delayMs);
  const at = (location: string) => kv.at(location) as KVNamespace;
  const POSTS = {
    idFromName: (name: string) => env.POSTS.idFromName(name),
    get: (id: DurableObjectId) => ({ sync: env.POSTS.get(id).sync, keptPlan: unreachable }),
  } as unknown as Env["POSTS"];
  return {
    here: { ...bindings, TOKENS: at("here") },
    there: { ...bindings, TOKENS: at("there"), ...(!isReachable && { POSTS }) },
  };
}

async function callTool(bindings: Env, caller: ApiCaller, name: string, args: object) {
  const ctx = createExecutionContext();
  const request = mcpRequest(caller.key, { method: "tools/call", params: { name, arguments: args }, era: "2026" });
  const { body } = await readMcpResponse(await serveMcp(request, bindings, ctx, sandboxOutbound));
  await waitOnExecutionContext(ctx);
  return body.result;
}

async function preview(bindings: Env, caller: ApiCaller): Promise<{ readonly confirmation_token: string }> {
  const { id } = await connectOneAccount(caller);
  const args = { caption: "A new glaze", scheduled_at: isoInDays(2).slice(0, 16), account_ids: [id] };
  const { structuredContent } = await callTool(bindings, caller, "preview_post", args);
  return { confirmation_token: structuredContent.confirmation_token };
}

/** Lets the waits between confirms be over at once, and the clock be later by them. Timeouts are longer, and stay. */
function skipWaits(): number[] {
  const waits: number[] = [];
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((run: () => void, ms = 0) => {
    if (ms < SECOND || ms >= 10 * SECOND) {
      return setTimeout(run, ms);
    }
    waits.push(ms);
    vi.setSystemTime(Date.now() + ms);
    return setTimeout(run, 0);
  });
  return waits;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("confirm_preview at a location that does not see the token in KV", () => {
  test("schedules at the first try", async ({ expect }) => {
    const caller = await createCaller();
    const { here, there } = atTwoLocations(DAY, true);
    const token = await preview(here, caller);
    const waits = skipWaits();
    const { structuredContent } = await callTool(there, caller, "confirm_preview", token);
    expect(structuredContent).toMatchObject({ already_confirmed: false, posts: [{ status: "scheduled" }] });
    expect(waits).toEqual([]);
  });

  test("repeats by itself for 20 s where the user's object cannot be reached either, and then says when to repeat", async ({
    expect,
  }) => {
    const caller = await createCaller();
    const { here, there } = atTwoLocations(DAY, false);
    const token = await preview(here, caller);
    const waits = skipWaits();
    const { isError, content, _meta } = await callTool(there, caller, "confirm_preview", token);
    expect({ isError, code: _meta["almanac/error"].code }).toEqual({ isError: true, code: "token_not_visible_yet" });
    expect(content[0].text).toMatch(/^token_not_visible_yet: .*Try again in \d+ s\./);
    expect(waits.length).toBeGreaterThan(5);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(20 * SECOND);
  });
});

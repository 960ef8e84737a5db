import { DurableObject } from "cloudflare:workers";
import { type BindingCall, fromParameter, type Statement, type StorageCall, type Traces } from "./trace.ts";

/*
 * The baseline: the minimum that a Worker can do for the same requests. It reads the body, computes the same hashes, makes
 * exactly the recorded binding calls and returns the last result. It has no router, no validation and no library.
 */

interface BaselineEnv {
  readonly DB: D1Database;
  readonly TOKENS: KVNamespace;
  readonly POSTS: DurableObjectNamespace<PostPublisher>;
  readonly TRACES: Traces;
  readonly [limiter: `LIMIT_${string}`]: RateLimit;
}

/** Makes the storage calls that the product's Durable Object makes when its alarm is set. */
export class PostPublisher extends DurableObject<BaselineEnv> {
  async sync(_hint: unknown): Promise<string> {
    for (const { target, method, args } of this.env.TRACES.storageCalls) {
      const result = storageCall(target === "kv" ? this.ctx.storage.kv : this.ctx.storage, method, args);
      if (method === "list") {
        Array.from(result as Iterable<unknown>);
      } else if (target === "storage") {
        await result;
      }
    }
    return "armed";
  }

  /** The runtime requires it before an alarm can be set; no alarm is due during the benchmark. */
  override alarm(): void {}
}

/** Calls a method by its recorded name. */
function storageCall(storage: object, method: StorageCall["method"], args: StorageCall["args"]): unknown {
  return (storage as Record<string, (...args: readonly unknown[]) => unknown>)[method]?.(...args);
}

function prepareStatement(env: BaselineEnv, { sql, parameters }: Statement): D1PreparedStatement {
  return env.DB.prepare(env.TRACES.sql[sql] ?? "").bind(...parameters.map(fromParameter));
}

/** Repeats one call. Returns the value that was read from or written to D1 or KV, and undefined for other bindings. */
async function replay(env: BaselineEnv, call: BindingCall): Promise<unknown> {
  switch (call.to) {
    case "d1": {
      if (call.how === "batch") {
        const results = await env.DB.batch(call.statements.map((statement) => prepareStatement(env, statement)));
        return results.map((result) => result.results);
      }
      const statement = prepareStatement(env, call.statements[0]);
      return await (call.how === "raw" ? statement.raw() : statement[call.how]());
    }
    case "kv": {
      if (call.how === "get") {
        const value: unknown = await (call.type === "json"
          ? env.TOKENS.get(call.key, "json")
          : env.TOKENS.get(call.key));
        if (value === null) {
          throw new Error("a recorded KV value is missing");
        }
        return value;
      }
      await env.TOKENS.put(call.key, String(fromParameter(call.value)), call.options);
      return typeof call.value === "object" ? call.value?.json : call.value;
    }
    case "object":
      await env.POSTS.get(env.POSTS.idFromName(call.name)).sync(call.hint);
      return undefined;
    case "limiter":
      await env[call.binding as `LIMIT_${string}`]?.limit({ key: call.key });
      return undefined;
    case "digest":
      await crypto.subtle.digest(call.algorithm, new TextEncoder().encode(call.text));
      return undefined;
  }
}

async function replayLater(env: BaselineEnv, calls: readonly BindingCall[]): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  for (const call of calls) {
    await replay(env, call);
  }
}

export default {
  async fetch(request, env, ctx) {
    const [, operation = "", number] = new URL(request.url).pathname.split("/");
    const trace = env.TRACES.operations[operation]?.[Number(number)];
    if (!trace) {
      return new Response(null, { status: 404 });
    }
    if (request.method === "POST") {
      await request.json();
    }
    let lastResult: unknown = null;
    for (const call of trace.beforeResponse) {
      lastResult = (await replay(env, call)) ?? lastResult;
    }
    if (trace.afterResponse.length > 0) {
      ctx.waitUntil(replayLater(env, trace.afterResponse));
    }
    return Response.json(lastResult);
  },
} satisfies ExportedHandler<BaselineEnv>;

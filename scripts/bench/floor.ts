import { DurableObject } from "cloudflare:workers";
import { type Call, fromParameter, type Statement, type Step, type Traces } from "./trace.ts";

/*
 * The least that a Worker can do for the same requests: it reads the body, hashes what the product hashed, asks its bindings
 * exactly what the product asked them, and answers what they gave. No router, no validation, no library, nothing decided.
 */

interface FloorEnv {
  readonly DB: D1Database;
  readonly TOKENS: KVNamespace;
  readonly POSTS: DurableObjectNamespace<PostPublisher>;
  readonly TRACES: Traces;
  readonly [limiter: `LIMIT_${string}`]: RateLimit;
}

/** Calls its storage as the product's object does when it is armed. */
export class PostPublisher extends DurableObject<FloorEnv> {
  async sync(_hint: unknown): Promise<string> {
    for (const { on, method, args } of this.env.TRACES.steps) {
      const answer = storageCall(on === "kv" ? this.ctx.storage.kv : this.ctx.storage, method, args);
      if (method === "list") {
        Array.from(answer as Iterable<unknown>);
      } else if (on === "storage") {
        await answer;
      }
    }
    return "armed";
  }

  /** Asked for by the runtime before an alarm can be set; none of them is due while this runs. */
  override alarm(): void {}
}

/** The recorded name is all there is to know of the method. */
function storageCall(on: object, method: Step["method"], args: Step["args"]): unknown {
  return (on as Record<string, (...args: readonly unknown[]) => unknown>)[method]?.(...args);
}

function prepared(env: FloorEnv, { sql, parameters }: Statement): D1PreparedStatement {
  return env.DB.prepare(env.TRACES.sql[sql] ?? "").bind(...parameters.map(fromParameter));
}

/** What a store gave or was given; undefined for everything that is no store. */
async function replay(env: FloorEnv, call: Call): Promise<unknown> {
  switch (call.to) {
    case "d1": {
      if (call.how === "batch") {
        const results = await env.DB.batch(call.statements.map((statement) => prepared(env, statement)));
        return results.map((result) => result.results);
      }
      const statement = prepared(env, call.statements[0]);
      return await (call.how === "raw" ? statement.raw() : statement[call.how]());
    }
    case "kv": {
      if (call.how === "get") {
        const found: unknown = await (call.type === "json"
          ? env.TOKENS.get(call.key, "json")
          : env.TOKENS.get(call.key));
        if (found === null) {
          throw new Error("what the product found is not here");
        }
        return found;
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

async function replayLater(env: FloorEnv, calls: readonly Call[]): Promise<void> {
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
    let last: unknown = null;
    for (const call of trace.before) {
      last = (await replay(env, call)) ?? last;
    }
    if (trace.after.length > 0) {
      ctx.waitUntil(replayLater(env, trace.after));
    }
    return Response.json(last);
  },
} satisfies ExportedHandler<FloorEnv>;

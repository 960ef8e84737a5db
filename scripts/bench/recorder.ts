import { AsyncLocalStorage } from "node:async_hooks";
import product, { PostPublisher as Publisher } from "#index.ts";
import type { Env } from "#config.ts";
import type { PostPublisherApi } from "#core/arming.ts";
import { type BindingCall, type Statement, type StorageCall, toParameter, type Trace } from "./trace.ts";

/* The product with every binding wrapped: responds with the original response and the recorded binding calls. Not measured. */

/** The response of `/recorded`: data that all traces share. */
export interface SharedTraceData {
  readonly sql: readonly string[];
  readonly storageCalls: readonly StorageCall[];
}

export interface RecordedRequest extends Trace {
  readonly status: number;
  readonly responseText: string;
}

class Recording {
  readonly before: BindingCall[] = [];
  readonly after: BindingCall[] = [];
  isResponseSent = false;
}

const recordings = new AsyncLocalStorage<Recording>();

function recordCall(call: BindingCall): void {
  const recording = recordings.getStore();
  (recording?.isResponseSent ? recording.after : recording?.before)?.push(call);
}

const sql: string[] = [];
const storageCalls: StorageCall[] = [];

function statementIndex(text: string): number {
  const index = sql.indexOf(text);
  return index === -1 ? sql.push(text) - 1 : index;
}

function recordingD1(d1: D1Database): D1Database {
  const wrappedStatements = new WeakMap<
    object,
    { readonly statement: Statement; readonly real: D1PreparedStatement }
  >();
  const wrap = (real: D1PreparedStatement, statement: Statement): D1PreparedStatement => {
    const run = (how: "first" | "all" | "run" | "raw") => () => {
      recordCall({ to: "d1", how, statements: [statement] });
      return how === "raw" ? real.raw() : real[how]();
    };
    const wrapped = {
      bind: (...values: unknown[]) =>
        wrap(real.bind(...values), { ...statement, parameters: values.map((value) => toParameter(value)) }),
      first: run("first"),
      all: run("all"),
      run: run("run"),
      raw: run("raw"),
    } as unknown as D1PreparedStatement;
    wrappedStatements.set(wrapped, { statement, real });
    return wrapped;
  };
  return {
    prepare: (text: string) => wrap(d1.prepare(text), { sql: statementIndex(text), parameters: [] }),
    async batch(statements: D1PreparedStatement[]) {
      const known = statements.flatMap((statement) => wrappedStatements.get(statement) ?? []);
      recordCall({ to: "d1", how: "batch", statements: known.map(({ statement }) => statement) });
      return await d1.batch(known.map(({ real }) => real));
    },
  } as unknown as D1Database;
}

function recordingKv(kv: KVNamespace): KVNamespace {
  return {
    async get(key: string, type: "text" | "json" = "text") {
      recordCall({ to: "kv", how: "get", key, type });
      return await (type === "json" ? kv.get(key, "json") : kv.get(key));
    },
    async put(key: string, value: string, options: KVNamespacePutOptions = {}) {
      recordCall({ to: "kv", how: "put", key, value: toParameter(value), options });
      await kv.put(key, value, options);
    },
  } as unknown as KVNamespace;
}

function recordingObjects(objects: Env["POSTS"]): Env["POSTS"] {
  return {
    idFromName: (name: string) => name,
    get: (name: string): PostPublisherApi => ({
      async sync(hint) {
        recordCall({ to: "object", name, hint });
        return await objects.get(objects.idFromName(name)).sync(hint);
      },
      inspect: () => objects.get(objects.idFromName(name)).inspect(),
    }),
  } as unknown as Env["POSTS"];
}

function recordingLimiters(env: Env): Record<string, RateLimit> {
  const limiters = Object.entries(env).filter(([name]) => name.startsWith("LIMIT_")) as [string, RateLimit][];
  return Object.fromEntries(
    limiters.map(([binding, limiter]) => [
      binding,
      {
        async limit({ key }: RateLimitOptions) {
          recordCall({ to: "limiter", binding, key });
          return await limiter.limit({ key });
        },
      },
    ]),
  );
}

const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = async (algorithm, data) => {
  const name = typeof algorithm === "string" ? algorithm : algorithm.name;
  recordCall({ to: "digest", algorithm: name, text: new TextDecoder().decode(data) });
  return await digest(algorithm, data);
};

const unrecordedBucket = new Proxy({} as R2Bucket, {
  get() {
    throw new Error("calls of the R2 bucket are not recorded");
  },
});

function withRecordedBindings(env: Env): Env {
  return {
    ...env,
    DB: recordingD1(env.DB),
    TOKENS: recordingKv(env.TOKENS),
    POSTS: recordingObjects(env.POSTS),
    MEDIA: unrecordedBucket,
    ...recordingLimiters(env),
  };
}

function recordingMethods<T extends object>(target: StorageCall["target"], storage: T): T {
  return new Proxy(storage, {
    get(_, name) {
      const member: unknown = Reflect.get(storage, name, storage);
      if (name === "kv") {
        return recordingMethods("kv", member as object);
      }
      return typeof member === "function"
        ? (...args: unknown[]) => {
            storageCalls.push({ target, method: String(name), args });
            return Reflect.apply(member, storage, args) as unknown;
          }
        : member;
    },
  });
}

/** Records the storage calls of the first object only, because all objects make the same calls when they are armed. */
export class PostPublisher extends Publisher {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (storageCalls.length === 0) {
      Object.defineProperty(this, "ctx", {
        value: {
          storage: recordingMethods("storage", ctx.storage),
          waitUntil: (work: Promise<unknown>) => ctx.waitUntil(work),
        },
      });
    }
  }
}

async function recordRequest(request: Parameters<typeof product.fetch>[0], env: Env): Promise<RecordedRequest> {
  const recording = new Recording();
  const deferred: Promise<unknown>[] = [];
  const ctx = {
    waitUntil: (work: Promise<unknown>) => void deferred.push(work),
    passThroughOnException: () => undefined,
    props: {},
  } as unknown as ExecutionContext;
  return await recordings.run(recording, async () => {
    const response = await product.fetch(request, withRecordedBindings(env), ctx);
    recording.isResponseSent = true;
    const responseText = await response.text();
    while (deferred.length > 0) {
      await Promise.all(deferred.splice(0));
    }
    return { status: response.status, responseText, beforeResponse: recording.before, afterResponse: recording.after };
  });
}

export default {
  async fetch(request, env) {
    return new URL(request.url).pathname === "/recorded"
      ? Response.json({ sql, storageCalls } satisfies SharedTraceData)
      : Response.json(await recordRequest(request, env));
  },
} satisfies ExportedHandler<Env>;

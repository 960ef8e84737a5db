import { AsyncLocalStorage } from "node:async_hooks";
import product, { PostPublisher as Publisher } from "#index.ts";
import type { Env } from "#config.ts";
import type { PostPublisherApi } from "#core/arming.ts";
import { type Call, type Statement, type Step, toParameter, type Trace } from "./trace.ts";

/* The product with every binding wrapped: answers what was answered and what was asked meanwhile. Never measured. */

/** Answered by `/recorded`: what all traces share. */
export interface Recorded {
  readonly sql: readonly string[];
  readonly steps: readonly Step[];
}

export interface Taped extends Trace {
  readonly status: number;
  readonly answer: string;
}

class Tape {
  readonly before: Call[] = [];
  readonly after: Call[] = [];
  answered = false;
}

const tapes = new AsyncLocalStorage<Tape>();

function note(call: Call): void {
  const tape = tapes.getStore();
  (tape?.answered ? tape.after : tape?.before)?.push(call);
}

const sql: string[] = [];
const steps: Step[] = [];

function numberOf(text: string): number {
  const known = sql.indexOf(text);
  return known === -1 ? sql.push(text) - 1 : known;
}

function recordingD1(d1: D1Database): D1Database {
  const taped = new WeakMap<object, { readonly statement: Statement; readonly real: D1PreparedStatement }>();
  const wrap = (real: D1PreparedStatement, statement: Statement): D1PreparedStatement => {
    const run = (how: "first" | "all" | "run" | "raw") => () => {
      note({ to: "d1", how, statements: [statement] });
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
    taped.set(wrapped, { statement, real });
    return wrapped;
  };
  return {
    prepare: (text: string) => wrap(d1.prepare(text), { sql: numberOf(text), parameters: [] }),
    async batch(statements: D1PreparedStatement[]) {
      const known = statements.flatMap((statement) => taped.get(statement) ?? []);
      note({ to: "d1", how: "batch", statements: known.map(({ statement }) => statement) });
      return await d1.batch(known.map(({ real }) => real));
    },
  } as unknown as D1Database;
}

function recordingKv(kv: KVNamespace): KVNamespace {
  return {
    async get(key: string, type: "text" | "json" = "text") {
      note({ to: "kv", how: "get", key, type });
      return await (type === "json" ? kv.get(key, "json") : kv.get(key));
    },
    async put(key: string, value: string, options: KVNamespacePutOptions = {}) {
      note({ to: "kv", how: "put", key, value: toParameter(value), options });
      await kv.put(key, value, options);
    },
  } as unknown as KVNamespace;
}

function recordingObjects(objects: Env["POSTS"]): Env["POSTS"] {
  return {
    idFromName: (name: string) => name,
    get: (name: string): PostPublisherApi => ({
      async sync(hint) {
        note({ to: "object", name, hint });
        return await objects.get(objects.idFromName(name)).sync(hint);
      },
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
          note({ to: "limiter", binding, key });
          return await limiter.limit({ key });
        },
      },
    ]),
  );
}

const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = async (algorithm, data) => {
  const name = typeof algorithm === "string" ? algorithm : algorithm.name;
  note({ to: "digest", algorithm: name, text: new TextDecoder().decode(data) });
  return await digest(algorithm, data);
};

const untaped = new Proxy({} as R2Bucket, {
  get() {
    throw new Error("calls of the bucket are not replayed");
  },
});

function recording(env: Env): Env {
  return {
    ...env,
    DB: recordingD1(env.DB),
    TOKENS: recordingKv(env.TOKENS),
    POSTS: recordingObjects(env.POSTS),
    MEDIA: untaped,
    ...recordingLimiters(env),
  };
}

function recordingMethods<T extends object>(on: Step["on"], target: T): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === "kv") {
        return recordingMethods("kv", member as object);
      }
      return typeof member === "function"
        ? (...args: unknown[]) => {
            steps.push({ on, method: String(name), args });
            return Reflect.apply(member, target, args) as unknown;
          }
        : member;
    },
  });
}

/** The first object of this process tells what arming one takes; all the others do the same. */
export class PostPublisher extends Publisher {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (steps.length === 0) {
      Object.defineProperty(this, "ctx", {
        value: {
          storage: recordingMethods("storage", ctx.storage),
          waitUntil: (work: Promise<unknown>) => ctx.waitUntil(work),
        },
      });
    }
  }
}

async function tape(request: Parameters<typeof product.fetch>[0], env: Env): Promise<Taped> {
  const tape = new Tape();
  const deferred: Promise<unknown>[] = [];
  const ctx = {
    waitUntil: (work: Promise<unknown>) => void deferred.push(work),
    passThroughOnException: () => undefined,
    props: {},
  } as unknown as ExecutionContext;
  return await tapes.run(tape, async () => {
    const response = await product.fetch(request, recording(env), ctx);
    tape.answered = true;
    const answer = await response.text();
    while (deferred.length > 0) {
      await Promise.all(deferred.splice(0));
    }
    return { status: response.status, answer, before: tape.before, after: tape.after };
  });
}

export default {
  async fetch(request, env) {
    return new URL(request.url).pathname === "/recorded"
      ? Response.json({ sql, steps } satisfies Recorded)
      : Response.json(await tape(request, env));
  },
} satisfies ExportedHandler<Env>;

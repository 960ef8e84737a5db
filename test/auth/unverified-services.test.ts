import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { unverifiedServices } from "#auth/bearer/unverified-services.ts";
import type { Services } from "#context.ts";
import type { ConditionalDb } from "#db/conditional.ts";
import { createTestContext } from "./test-context.ts";

/** What happened, in order. */
type Log = string[];

/** A method that only says that it was called. */
const noting =
  (log: Log, name: string) =>
  (...args: readonly unknown[]) => {
    log.push(name);
    return Promise.resolve(args.length);
  };

const methods = (log: Log, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, noting(log, name)]));

function create(log: Log, isMet = true): Services {
  const services = {
    ...createTestContext(),
    tokens: methods(log, "get", "put"),
    bucket: methods(log, "head", "get", "put", "delete", "list"),
    outbound: {
      ...methods(log, "platformFetch", "publicFetch"),
      browserUrl: (url: URL) => url,
      trustedMediaOrigin: "x",
    },
    arm: noting(log, "arm"),
    rearm: noting(log, "rearm"),
    inspectRunner: noting(log, "inspectRunner"),
    keptPlans: () => methods(log, "keepPlan", "keptPlan"),
    sender: () =>
      methods(log, "wake", "health", "sendTest", "deliveries", "delivery", "resend", "replay", "erase", "remove"),
    watch: methods(log, "highest", "remember"),
    mailer: methods(log, "send"),
  } as unknown as Services;
  const conditional: ConditionalDb = {
    db: services.db,
    isMet: () => Promise.resolve(isMet),
    assertMet() {
      log.push("verified");
      return isMet ? Promise.resolve() : Promise.reject(new Error("condition_unmet"));
    },
    mayHaveRun: () => false,
  };
  return unverifiedServices(services, conditional);
}

type Call = (services: Services) => Promise<unknown>;
const request = new Request(env.ORIGIN);

/** Everything by which a handler reaches beyond D1. */
const EFFECTS: Readonly<Record<string, Call>> = {
  put: ({ tokens }) => tokens.put("key", "value"),
  platformFetch: ({ outbound }) => outbound.platformFetch(request),
  publicFetch: ({ outbound }) => outbound.publicFetch(request),
  arm: (services) => services.arm({} as never),
  rearm: (services) => services.rearm("id"),
  inspectRunner: (services) => services.inspectRunner("id"),
  keepPlan: (services) => services.keptPlans("id").keepPlan("key", "plan"),
  wake: (services) => services.sender("id").wake(),
  resend: (services) => services.sender("id").resend("id"),
  remove: (services) => services.sender("id").remove(),
  highest: ({ watch }) => watch.highest(),
  remember: ({ watch }) => watch.remember({ epoch: 1, beat: 1 }),
  send: ({ mailer }) => mailer?.send({ to: "", subject: "", text: "" }) ?? Promise.reject(new Error("no mailer")),
  head: ({ bucket }) => bucket.head("key"),
  get: ({ bucket }) => bucket.get("key"),
  delete: ({ bucket }) => bucket.delete("key"),
  list: ({ bucket }) => bucket.list(),
};

describe("the services of a caller who is only remembered", () => {
  test.for(Object.entries(EFFECTS))("verify before %s", async ([name, call], { expect }) => {
    const log: Log = [];
    await call(create(log));
    expect(log).toEqual(["verified", name]);
  });

  test.for(Object.entries(EFFECTS))("do not %s for a changed credential", async ([, call], { expect }) => {
    const log: Log = [];
    await expect(call(create(log, false))).rejects.toThrow();
    expect(log).toEqual(["verified"]);
  });

  test("read the plan of a confirmation token at once", async ({ expect }) => {
    const log: Log = [];
    await create(log).tokens.get("key");
    await create(log).keptPlans("id").keptPlan("key");
    expect(log).toEqual(["get", "keptPlan"]);
  });

  test("are all that a handler has of the world", ({ expect }) => {
    const sources = import.meta.glob<string>("/src/api/*/*.ts", { query: "?raw", import: "default", eager: true });
    const handlers = Object.entries(sources).filter(([path]) => !path.startsWith("/src/api/files/"));
    expect(handlers.length).toBeGreaterThan(40);
    for (const [path, source] of handlers) {
      expect(source, path).not.toMatch(
        /c\.env|executionCtx|get\("services"\)|var\.services|cloudflare:workers|\bfetch\(/,
      );
    }
  });

  test("are all services", ({ expect }) => {
    expect(Object.keys(create([])).toSorted()).toEqual(
      Object.keys(createTestContext())
        .filter((name) => name !== "waitForDeferred")
        .toSorted(),
    );
  });
});

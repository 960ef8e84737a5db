import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import type { ArmHint } from "#core/arming.ts";
import type { Env } from "#config.ts";
import { createServices, type Outbound } from "#context.ts";

const outbound: Outbound = {
  platformFetch: () => Promise.reject(new Error("no network")),
  publicFetch: () => Promise.reject(new Error("no network")),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

const hint: ArmHint = {
  postId: "p",
  workspaceId: "w",
  version: 1,
  status: "scheduled",
  scheduledAt: 1,
  prepareAheadMs: 0,
};

/** Arms a post and reads the database's mark with the setting; returns the options with which the two objects were asked for. */
async function objectOptions(location: string | undefined): Promise<DurableObjectNamespaceGetDurableObjectOptions[]> {
  const asked: DurableObjectNamespaceGetDurableObjectOptions[] = [];
  const namespace = {
    idFromName: (name: string) => name,
    get(_: unknown, options: DurableObjectNamespaceGetDurableObjectOptions = {}) {
      asked.push(options);
      return { sync: () => Promise.resolve("armed"), highest: () => Promise.resolve(null) };
    },
  };
  const objects = { POSTS: namespace, WATCH: namespace } as unknown as Pick<Env, "POSTS" | "WATCH">;
  const services = createServices({ ...env, ...objects, OBJECTS_LOCATION: location }, outbound, () => undefined);
  await services.arm(hint);
  await services.watch.highest();
  return asked;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("OBJECTS_LOCATION", () => {
  test("absent: an object is created near its first caller", async ({ expect }) => {
    expect(await objectOptions(undefined)).toEqual([{}, {}]);
    expect(await objectOptions("")).toEqual([{}, {}]);
  });

  test.for(["weur", "apac-ne"])("%s: the objects are created there", async (location, { expect }) => {
    expect(await objectOptions(location)).toEqual([{ locationHint: location }, { locationHint: location }]);
  });

  test("unknown: posts are armed without a hint, and one line of the log names the setting and its values", async ({
    expect,
  }) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(await objectOptions("europe")).toEqual([{}, {}]);
    expect(await objectOptions("europe")).toEqual([{}, {}]);
    expect(logged).toHaveBeenCalledOnce();
    expect(JSON.parse(String(logged.mock.calls[0]?.[0]))).toMatchObject({
      event: "config.invalid_setting",
      name: "OBJECTS_LOCATION",
      allowed: expect.arrayContaining(["wnam", "weur"]) as unknown,
    });
  });
});

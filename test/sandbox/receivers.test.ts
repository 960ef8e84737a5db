import { createExecutionContext, evictDurableObject, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { handleSimulatorRequest, sandboxOutbound } from "#sandbox/index.ts";
import type { ReceivedDelivery } from "#sandbox/receivers/durable-object.ts";
import sandboxEntry from "#index.sandbox.ts";
import { fetchApp, ORIGIN } from "./sandbox-api.ts";

const addressOf = (name: string): string => `${ORIGIN}/sandbox/receivers/${name}`;

/** As the service sends to an address that a user named. */
const deliver = (name: string, body: string, init: RequestInit = {}, workerEnv = env): Promise<Response> =>
  sandboxOutbound(workerEnv).publicFetch(
    new Request(addressOf(name), { method: "POST", redirect: "manual", body, ...init }),
  );

interface Listed {
  readonly deliveries: readonly ReceivedDelivery[];
  readonly next_after: number;
}

const listed = async (name: string, query = ""): Promise<Listed> =>
  await (await fetchApp(`/sandbox/receivers/${name}${query}`)).json<Listed>();

const bodiesOf = ({ deliveries }: Listed): readonly string[] => deliveries.map(({ body }) => body);

const behave = (name: string, behaviour: unknown): Promise<Response> =>
  fetchApp(`/sandbox/receivers/${name}/behaviour`, { method: "PUT", body: JSON.stringify(behaviour) });

const statusesOf = async (name: string, times: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1) {
    statuses.push((await deliver(name, String(count))).status);
  }
  return statuses;
};

afterEach(() => {
  vi.unstubAllGlobals();
});

test("what was delivered is listed with its path, headers and body, oldest first", async ({ expect }) => {
  const response = await deliver("listed", '{"a": 1}', { headers: { "Webhook-Id": "evt_1" } });
  expect([response.status, await response.text()]).toEqual([200, ""]);
  await sandboxOutbound(env).publicFetch(
    new Request(`${addressOf("listed")}?key=1`, { method: "POST", body: "second" }),
  );
  const { deliveries, next_after } = await listed("listed");
  expect(deliveries).toEqual([
    {
      seq: 1,
      received_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      path: "/sandbox/receivers/listed",
      headers: expect.objectContaining({ "webhook-id": "evt_1" }) as Record<string, string>,
      body: '{"a": 1}',
      answered: 200,
    },
    expect.objectContaining({ seq: 2, path: "/sandbox/receivers/listed?key=1", body: "second" }),
  ]);
  expect(next_after).toBe(2);
});

test("a list goes on after a number, and an emptied receiver goes on counting", async ({ expect }) => {
  await statusesOf("paged", 3);
  expect(bodiesOf(await listed("paged", "?limit=2"))).toEqual(["0", "1"]);
  expect(await listed("paged", "?after=2")).toMatchObject({ deliveries: [{ seq: 3, body: "2" }], next_after: 3 });
  expect(await listed("paged", "?after=3")).toEqual({ deliveries: [], next_after: 3 });
  expect((await fetchApp("/sandbox/receivers/paged", { method: "DELETE" })).status).toBe(200);
  await deliver("paged", "later");
  expect(await listed("paged", "?after=3")).toMatchObject({ deliveries: [{ seq: 4, body: "later" }] });
});

test("receivers do not share deliveries", async ({ expect }) => {
  await deliver("one", "for one");
  expect(bodiesOf(await listed("other"))).toEqual([]);
});

test.for(["/sandbox/receivers/two%20words", `/sandbox/receivers/${"a".repeat(61)}`])(
  "400 for the name in %s",
  async (path, { expect }) => {
    expect((await fetchApp(path)).status).toBe(400);
  },
);

describe("behaviour", () => {
  test("answers are used up in their order; the last resort is 200", async ({ expect }) => {
    expect(
      (
        await behave("order", {
          answers: [
            { status: 500, times: 2 },
            { status: 429, times: 1 },
          ],
        })
      ).status,
    ).toBe(200);
    expect(await statusesOf("order", 4)).toEqual([500, 500, 429, 200]);
    expect((await listed("order")).deliveries.map(({ answered }) => answered)).toEqual([500, 500, 429, 200]);
  });

  test("an answer without a number of times stays, until another behaviour is set", async ({ expect }) => {
    await behave("stays", { answers: [{ status: 410 }] });
    expect(await statusesOf("stays", 3)).toEqual([410, 410, 410]);
    await behave("stays", {});
    expect(await statusesOf("stays", 1)).toEqual([200]);
  });

  test("headers and body are as they were set", async ({ expect }) => {
    await behave("header", { answers: [{ status: 302, headers: { location: "https://10.0.0.1/" }, body: "moved" }] });
    const response = await deliver("header", "");
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
      302,
      "https://10.0.0.1/",
      "moved",
    ]);
  });

  test("a large body has that many letters", async ({ expect }) => {
    await behave("large", { answers: [{ body_bytes: 200_000 }] });
    expect((await (await deliver("large", "")).text()).length).toBe(200_000);
  });

  test("a slow body comes letter by letter", async ({ expect }) => {
    await behave("slow", { answers: [{ drip_ms: 5 }] });
    const reader = (await deliver("slow", "")).body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value as Uint8Array)).toBe("a");
    await reader?.cancel();
  });

  test.for([
    ["before", []],
    ["after", ["sent"]],
  ] as const)(
    "a connection that is dropped %s the delivery is recorded is a failed fetch",
    async ([drop, bodies], { expect }) => {
      const name = `drop-${drop}`;
      await behave(name, { answers: [{ drop }] });
      await expect(deliver(name, "sent")).rejects.toThrow(TypeError);
      const received = await listed(name);
      expect(bodiesOf(received)).toEqual(bodies);
      expect(received.deliveries.every(({ answered }) => answered === null)).toBe(true);
    },
  );

  test("who stops waiting for an answer has delivered all the same", async ({ expect }) => {
    await behave("hang", { answers: [{ hang: true }] });
    await expect(deliver("hang", "sent", { signal: AbortSignal.timeout(50) })).rejects.toThrow();
    expect(await listed("hang")).toMatchObject({ deliveries: [{ body: "sent", answered: null }] });
  });

  test("a rate selects deliveries by the seed: the same ones each time", async ({ expect }) => {
    const random = (seed: number) => ({ seed, answers: [{ status: 500, rate: 0.5 }] });
    await Promise.all([behave("random-a", random(7)), behave("random-b", random(7)), behave("random-c", random(8))]);
    const first = await statusesOf("random-a", 60);
    expect(await statusesOf("random-b", 60)).toEqual(first);
    expect(await statusesOf("random-c", 60)).not.toEqual(first);
    const failed = first.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(15);
    expect(failed).toBeLessThan(45);
  });

  test.for([{ answers: [{ status: 700 }] }, { answers: [{ unknown: 1 }] }, { answers: "none" }])(
    "400 for %j",
    async (behaviour, { expect }) => {
      expect((await behave("refused", behaviour)).status).toBe(400);
    },
  );
});

test("what was received survives a restart", async ({ expect }) => {
  await deliver("restarted", "kept");
  await evictDurableObject(env.RECEIVERS.get(env.RECEIVERS.idFromName("restarted")));
  expect(bodiesOf(await listed("restarted"))).toEqual(["kept"]);
});

test("where the simulators are a worker of their own, they have the receivers", async ({ expect }) => {
  const simulatorsOrigin = "http://localhost:8788";
  const handle = handleSimulatorRequest();
  const paths: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    paths.push(new URL(request.url).pathname);
    const ctx = createExecutionContext();
    const response = await handle(request, { ...env, ORIGIN: simulatorsOrigin }, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  });
  const response = await sandboxEntry.fetch(
    new Request(addressOf("elsewhere"), { method: "POST", body: "sent" }),
    { ...env, SIMULATORS_ORIGIN: simulatorsOrigin },
    createExecutionContext(),
  );
  expect(response.status).toBe(200);
  expect(paths).toEqual(["/sandbox/receivers/elsewhere"]);
  const list = await fetch(new Request(`${simulatorsOrigin}/sandbox/receivers/elsewhere`));
  expect(bodiesOf(await list.json<Listed>())).toEqual(["sent"]);
});

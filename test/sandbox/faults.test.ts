import { env } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import { faultMatches } from "#sandbox/faults.ts";
import { objectOf } from "#sandbox/outbound.ts";
import { app, bookOf, fault } from "./help.ts";
import { person } from "./x-person.ts";

const ada = await person("ada");
const match = { method: "POST", path: "/2/tweets" };

const texts = async (): Promise<string[]> => (await bookOf("x", "ada")).map((entry) => entry.text);

describe("a planned fault", () => {
  test("answer: this answer instead, and nothing happened", async ({ expect }) => {
    await fault("x", {
      match,
      effect: "answer",
      status: 429,
      body: { title: "slow" },
      headers: { "x-rate-limit-reset": "9" },
    });
    const answer = await ada.publish({ text: "answered" });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("x-rate-limit-reset")).toBe("9");
    expect(await answer.json()).toEqual({ title: "slow" });
    expect(await texts()).not.toContain("answered");
  });

  test("drop_before: the connection is lost, and nothing happened", async ({ expect }) => {
    await fault("x", { match, effect: "drop_before" });
    await expect(ada.publish({ text: "lost on the way" })).rejects.toThrow("network connection lost");
    expect(await texts()).not.toContain("lost on the way");
  });

  test("drop_after: the connection is lost, and it happened", async ({ expect }) => {
    await fault("x", { match, effect: "drop_after" });
    await expect(ada.publish({ text: "lost on the way back" })).rejects.toThrow("network connection lost");
    expect(await texts()).toContain("lost on the way back");
  });

  test("answer_after: another answer, and it happened", async ({ expect }) => {
    await fault("x", { match, effect: "answer_after", status: 503, body: "sorry" });
    const answer = await ada.publish({ text: "accepted all the same" });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toBe("sorry");
    expect(await texts()).toContain("accepted all the same");
  });

  test("delay: later, and as usual", async ({ expect }) => {
    await fault("x", { match, effect: "delay", delay_ms: 120 });
    const before = performance.now();
    const answer = await ada.publish({ text: "took its time" });
    expect(answer.status).toBe(201);
    expect(performance.now() - before).toBeGreaterThanOrEqual(100);
  });

  test.for(["drop_before", "drop_after", "delay"] as const)(
    "%s: a caller whose time is up hears of that first",
    async (effect, { expect }) => {
      const text = `nobody waits for ${effect}`;
      await fault("x", { match, effect, delay_ms: 150 });
      await expect(ada.publish({ text }, AbortSignal.timeout(20))).rejects.toMatchObject({ name: "TimeoutError" });
      const happened = effect !== "drop_before";
      await vi.waitFor(async () => expect((await texts()).includes(text)).toBe(happened));
    },
  );

  test("strikes as often as it was told, for what it matches, the first one first", async ({ expect }) => {
    await fault("x", { match: { path: "/2/users" }, times: 2, effect: "answer", status: 500 });
    await fault("x", { match: { path: "/2/users" }, effect: "answer", status: 502 });
    const statuses: number[] = [];
    for (const path of ["/2/tweets/1", "/2/users/me", "/2/users/me", "/2/users/me", "/2/users/me"]) {
      statuses.push((await ada.api("GET", path)).status);
    }
    expect(statuses).toEqual([200, 500, 500, 502, 200]);
  });

  test("is listed until it is spent or withdrawn", async ({ expect }) => {
    await fault("x", { match: { path: "/2/nowhere" }, times: 3, effect: "drop_before" });
    const open = await (await app("/sandbox/platforms/x/faults")).json<{ faults: unknown[] }>();
    expect(open.faults).toEqual([expect.objectContaining({ match: { path: "/2/nowhere" }, times: 3, left: 3 })]);
    expect(await (await app("/sandbox/status")).json()).toMatchObject({ faults: { x: open.faults } });
    expect((await app("/sandbox/platforms/x/faults", { method: "DELETE" })).status).toBe(200);
    expect(await (await app("/sandbox/platforms/x/faults")).json()).toEqual({ faults: [] });
  });

  test("cannot be planned more than a thousand times over", async ({ expect }) => {
    const plan = { match: { path: "/2/nowhere" }, times: 1, effect: "delay" } as const;
    const object = objectOf(env, "x");
    await Promise.all(Array.from({ length: 1000 }, () => object.addFault(plan)));
    const refused = await fault("x", plan);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: "there are 1000 open faults already" });
    await app("/sandbox/platforms/x/faults", { method: "DELETE" });
  }, 20_000);
});

describe("a fault's path", () => {
  test.for<[pattern: string, path: string, matches: boolean]>([
    ["/2/tweets", "/2/tweets", true],
    ["/2/tweets", "/2/tweets/7", true],
    ["/2/tweets", "/2/users", false],
    ["/*/media_publish", "/v25.0/178/media_publish", true],
    ["/*/media_publish", "/v25.0/178/media", false],
    ["/*/media", "/v25.0/178/media_publish", false],
    ["/2/media/upload/*/append", "/2/media/upload/5/append", true],
    ["/2/media/*/upload", "/2/media/upload", false],
    ["/a*b*c", "/abc", true],
    ["/a*b*c", "/a-c", false],
    ["/aa*aa", "/aaa", false],
    ["*", "/anything", true],
  ])("%s and %s: %s", ([pattern, path, matches], { expect }) => {
    expect(faultMatches({ match: { path: pattern } }, "GET", path)).toBe(matches);
  });
});

import { env } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import { faultMatches } from "#sandbox/injected-fault.ts";
import { simulatorStub } from "#sandbox/outbound.ts";
import { fetchApp, publishedPosts, injectFault } from "./sandbox-api.ts";
import { createClient } from "./x-client.ts";

const ada = await createClient("ada");
const match = { method: "POST", path: "/2/tweets" };

const publishedTexts = async (): Promise<string[]> => (await publishedPosts("x", "ada")).map((post) => post.text);

describe("an injected fault", () => {
  test("answer: returns the given response without publishing", async ({ expect }) => {
    await injectFault("x", {
      match,
      effect: "answer",
      status: 429,
      body: { title: "slow" },
      headers: { "x-rate-limit-reset": "9" },
    });
    const response = await ada.createPost({ text: "answered" });
    expect(response.status).toBe(429);
    expect(response.headers.get("x-rate-limit-reset")).toBe("9");
    expect(await response.json()).toEqual({ title: "slow" });
    expect(await publishedTexts()).not.toContain("answered");
  });

  test("drop_before: the connection is lost without publishing", async ({ expect }) => {
    await injectFault("x", { match, effect: "drop_before" });
    await expect(ada.createPost({ text: "lost request" })).rejects.toThrow("network connection lost");
    expect(await publishedTexts()).not.toContain("lost request");
  });

  test("drop_after: the connection is lost after publishing", async ({ expect }) => {
    await injectFault("x", { match, effect: "drop_after" });
    await expect(ada.createPost({ text: "lost response" })).rejects.toThrow("network connection lost");
    expect(await publishedTexts()).toContain("lost response");
  });

  test("answer_after: returns the given response after publishing", async ({ expect }) => {
    await injectFault("x", { match, effect: "answer_after", status: 503, body: "sorry" });
    const response = await ada.createPost({ text: "published despite the error" });
    expect(response.status).toBe(503);
    expect(await response.text()).toBe("sorry");
    expect(await publishedTexts()).toContain("published despite the error");
  });

  test("delay: publishes later", async ({ expect }) => {
    await injectFault("x", { match, effect: "delay", delay_ms: 120 });
    const startedAt = performance.now();
    const response = await ada.createPost({ text: "delayed" });
    expect(response.status).toBe(201);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(100);
  });

  test("late: the caller loses the connection, and the call takes effect after delay_ms of the clock", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await injectFault("x", { match, effect: "late", delay_ms: 240_000 });
    await expect(ada.createPost({ text: "four minutes later" })).rejects.toThrow("network connection lost");
    vi.setSystemTime(Date.now() + 239_000);
    expect(await publishedTexts()).not.toContain("four minutes later");
    vi.setSystemTime(Date.now() + 1000);
    expect((await publishedTexts()).filter((text) => text === "four minutes later")).toHaveLength(1);
    vi.useRealTimers();
  });

  test.for(["drop_before", "drop_after", "delay"] as const)(
    "%s: a caller's timeout takes effect first",
    async (effect, { expect }) => {
      const text = `timeout during ${effect}`;
      // So long that a busy machine still notices the timeout first.
      await injectFault("x", { match, effect, delay_ms: 2000 });
      await expect(ada.createPost({ text }, AbortSignal.timeout(20))).rejects.toMatchObject({ name: "TimeoutError" });
      const isPublished = effect !== "drop_before";
      await vi.waitFor(async () => expect((await publishedTexts()).includes(text)).toBe(isPublished), 10_000);
    },
  );

  test("applies to matching calls, `times` times, in the order of injection", async ({ expect }) => {
    await injectFault("x", { match: { path: "/2/users" }, times: 2, effect: "answer", status: 500 });
    await injectFault("x", { match: { path: "/2/users" }, effect: "answer", status: 502 });
    const statuses: number[] = [];
    for (const path of ["/2/tweets/1", "/2/users/me", "/2/users/me", "/2/users/me", "/2/users/me"]) {
      statuses.push((await ada.callApi("GET", path)).status);
    }
    expect(statuses).toEqual([200, 500, 500, 502, 200]);
  });

  test("is listed until it is used up or deleted", async ({ expect }) => {
    await injectFault("x", { match: { path: "/2/nowhere" }, times: 3, effect: "drop_before" });
    const listed = await (await fetchApp("/sandbox/platforms/x/faults")).json<{ faults: unknown[] }>();
    expect(listed.faults).toEqual([expect.objectContaining({ match: { path: "/2/nowhere" }, times: 3, left: 3 })]);
    expect(await (await fetchApp("/sandbox/status")).json()).toMatchObject({ faults: { x: listed.faults } });
    expect((await fetchApp("/sandbox/platforms/x/faults", { method: "DELETE" })).status).toBe(200);
    expect(await (await fetchApp("/sandbox/platforms/x/faults")).json()).toEqual({ faults: [] });
  });

  test("cannot be injected when 1000 are open", async ({ expect }) => {
    const fault = { match: { path: "/2/nowhere" }, times: 1, effect: "delay" } as const;
    const stub = simulatorStub(env, "x");
    await Promise.all(Array.from({ length: 1000 }, () => stub.addFault(fault)));
    const response = await injectFault("x", fault);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "there are 1000 open faults already" });
    await fetchApp("/sandbox/platforms/x/faults", { method: "DELETE" });
  }, 20_000);
});

describe("match.path of a fault", () => {
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
  ])("pattern %s and path %s: %s", ([pattern, path, matches], { expect }) => {
    expect(faultMatches({ match: { path: pattern } }, "GET", path)).toBe(matches);
  });
});

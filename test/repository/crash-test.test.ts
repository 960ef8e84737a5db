import { afterEach, describe, expect, test, vi } from "vitest";
import { ApiClient } from "../../scripts/crash/api-client.ts";
import { missedMinimums } from "../../scripts/crash/minimums.ts";
import { startPatiently } from "../../scripts/crash/restart.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the crash test cannot pass without traffic", () => {
  test("a run that did nothing misses every minimum, however short it was", () => {
    for (const minutes of [0.01, 0.5, 10]) {
      expect(missedMinimums({ confirmed: 0, accepted: 0, kills: 0 }, minutes, true)).toHaveLength(3);
    }
  });

  test("the message names the minimum that was missed, which grows with the duration", () => {
    const counts = { confirmed: 999, accepted: 600, kills: 20 };
    expect(missedMinimums(counts, 10, true)).toEqual(["999 confirmed posts, and a run of 10 minutes needs 1000"]);
    expect(missedMinimums(counts, 5, true)).toEqual([]);
  });

  test("kills are needed unless they are turned off", () => {
    const counts = { confirmed: 1000, accepted: 1000, kills: 0 };
    expect(missedMinimums(counts, 1, true)).toEqual(["0 kills, and a run of 1 minutes needs 2"]);
    expect(missedMinimums(counts, 1, false)).toEqual([]);
  });
});

describe("the crash test survives a slow restart", () => {
  test("calls wait for a service that does not answer for a minute", async () => {
    vi.useFakeTimers();
    const upAt = Date.now() + 60_000;
    vi.stubGlobal("fetch", () =>
      Date.now() < upAt ? Promise.reject(new TypeError("refused")) : Promise.resolve(Response.json({ ok: true })),
    );
    const response = new ApiClient("http://localhost:1").callUntilOk("GET", "/");
    response.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(70_000);
    await expect(response).resolves.toEqual({ ok: true });
  });

  test("a start that fails is repeated, but not for ever", async () => {
    vi.useFakeTimers();
    let starts = 0;
    const failTwice = () => Promise.resolve((starts += 1)).then((n) => (n < 3 ? Promise.reject(new Error("slow")) : n));
    const started = startPatiently(failTwice);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await started).toBe(3);
    const never = startPatiently(() => Promise.reject(new Error("broken")));
    never.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(never).rejects.toThrow("broken");
  });
});

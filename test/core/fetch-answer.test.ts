import { afterEach, describe, test, vi } from "vitest";
import { fetchAnswer, type RemoteFetch } from "#core/fetch-answer.ts";
import { SECOND } from "#core/clock.ts";
import { HOSTILE_BODIES } from "../support/hostile-bodies.ts";

const LIMITS = { maxBytes: 1000, timeoutMs: 10 * SECOND };

const read = (send: RemoteFetch, init: RequestInit = {}) => fetchAnswer(send, "https://a.example/x", init, LIMITS);
const readText = (text: string, status = 200) => read(() => Promise.resolve(new Response(text, { status })));

afterEach(() => {
  vi.useRealTimers();
});

describe("an answer", () => {
  test("within the limit is whole, whatever its status", async ({ expect }) => {
    const { status, bytes, body, error } = await readText("x".repeat(1000), 500);
    expect({ status, size: bytes.byteLength, body, error }).toEqual({
      status: 500,
      size: 1000,
      body: "whole",
      error: null,
    });
  });

  test("one byte over the limit is cut there", async ({ expect }) => {
    const { bytes, body } = await readText("x".repeat(1001));
    expect({ size: bytes.byteLength, body }).toEqual({ size: 1000, body: "cut" });
  });

  test("without a body is whole and empty", async ({ expect }) => {
    const { bytes, body } = await read(() => Promise.resolve(new Response(null, { status: 204 })));
    expect({ size: bytes.byteLength, body }).toEqual({ size: 0, body: "whole" });
  });

  test("that breaks off keeps what arrived, and the error", async ({ expect }) => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(3)),
      pull: (controller) => controller.error(new TypeError("lost")),
    });
    const { status, bytes, body, error } = await read(() => Promise.resolve(new Response(broken)));
    expect({ status, size: bytes.byteLength, body }).toEqual({ status: 200, size: 3, body: "broken" });
    expect(error).toBeInstanceOf(TypeError);
  });

  test("is sent as it was asked for, with a signal that ends with the call", async ({ expect }) => {
    let sent: Request | undefined;
    await read(
      async (request) => {
        sent = request;
        return new Response(await request.text());
      },
      { method: "POST", body: "hello", redirect: "manual" },
    );
    expect(sent).toMatchObject({ method: "POST", url: "https://a.example/x", redirect: "manual" });
    expect(sent?.signal.aborted).toBe(true);
  });

  test.for(["endless", "huge", "packed"] as const)(
    "that is %s is read up to the limit and closed",
    async (kind, { expect }) => {
      const { response, sentBytes, wasCancelled } = HOSTILE_BODIES[kind]();
      const { bytes, body } = await read(() => Promise.resolve(response));
      expect({ size: bytes.byteLength, body, wasCancelled: wasCancelled() }).toEqual({
        size: 1000,
        body: "cut",
        wasCancelled: true,
      });
      expect(sentBytes()).toBeLessThanOrEqual(128 * 1024);
    },
  );
});

describe("the time limit", () => {
  const advance = async () => await vi.advanceTimersByTimeAsync(LIMITS.timeoutMs);

  test("covers the wait for an answer, and ends the request", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let signal: AbortSignal | undefined;
    const reading = expect(
      read((request) => {
        ({ signal } = request);
        return new Promise(() => undefined);
      }),
    ).rejects.toMatchObject({ name: "TimeoutError" });
    await advance();
    await reading;
    expect(signal?.aborted).toBe(true);
  });

  test("covers the body", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { response, wasCancelled } = HOSTILE_BODIES.slow();
    const reading = read(() => Promise.resolve(response));
    await advance();
    const { status, bytes, body, error } = await reading;
    expect({ status, size: bytes.byteLength, body, wasCancelled: wasCancelled() }).toEqual({
      status: 200,
      size: 1,
      body: "broken",
      wasCancelled: true,
    });
    expect(error).toMatchObject({ name: "TimeoutError" });
  });
});

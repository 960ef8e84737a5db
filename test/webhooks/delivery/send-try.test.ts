import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { SECOND } from "#core/clock.ts";
import { checkWebhookAddress } from "#webhooks/delivery/check-address.ts";
import { sendTry } from "#webhooks/delivery/send-try.ts";
import { createTestContext } from "../../posts/test-context.ts";
import { ALL_HOSTILE_URLS } from "../../support/hostile-urls.ts";

const MESSAGE = { id: "evt_1", body: '{"a":"ä"}' };
const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;

function send(answer: (request: Request) => Promise<Response>, url = "https://hooks.example.net/x") {
  const ctx = createTestContext();
  return sendTry({ ...ctx, outbound: { ...ctx.outbound, publicFetch: answer } }, { url, secrets: [SECRET] }, MESSAGE);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.UTC(2030, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("ten seconds", () => {
  test("without an answer are a failed try, and the request is given up", async ({ expect }) => {
    let signal: AbortSignal | undefined;
    const sending = send((request) => {
      ({ signal } = request);
      return new Promise(() => {});
    });
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    const { attempt, meaning } = await sending;
    expect(attempt).toMatchObject({ status: null, error: "no answer within 10 s", durationMs: 10 * SECOND });
    expect(meaning.kind).toBe("failed");
    expect(signal?.aborted).toBe(true);
  });

  test("an answer whose body never ends counts by its status", async ({ expect }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("half")),
    });
    const sending = send(() => Promise.resolve(new Response(body)));
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    const { attempt, meaning } = await sending;
    expect(attempt).toMatchObject({ status: 200, response: "half" });
    expect(meaning.kind).toBe("delivered");
  });
});

describe("the request", () => {
  test("has the bytes of the message", async ({ expect }) => {
    let body: Uint8Array | undefined;
    await send(async (request) => {
      body = new Uint8Array(await request.arrayBuffer());
      return new Response();
    });
    expect(body).toEqual(new TextEncoder().encode(MESSAGE.body));
  });

  test.for(ALL_HOSTILE_URLS)("never goes to %s", async (url, { expect }) => {
    const fetched = vi.fn<() => Promise<Response>>(() => Promise.resolve(new Response()));
    const { attempt } = await send(fetched, url);
    expect(fetched).not.toHaveBeenCalled();
    expect(attempt).toMatchObject({ status: null, error: expect.any(String) as string });
  });
});

describe("a program on the same machine", () => {
  test("is reached from the sandbox only", async ({ expect }) => {
    const ctx = createTestContext();
    const sandbox = { ...ctx, outbound: { ...ctx.outbound, trustedMediaOrigin: "http://localhost:8787" } };
    for (const url of ["http://localhost:9000/hook", "http://127.0.0.1:9000/", "http://[::1]:9000/hook?a=1"]) {
      expect((await checkWebhookAddress(sandbox, url)).ok).toBe(true);
      expect((await checkWebhookAddress(ctx, url)).ok).toBe(false);
    }
    for (const url of [
      "http://localhost/",
      "http://localhost:9000@10.0.0.1/",
      "http://10.0.0.1:9000/",
      "http://localhost:90000/",
    ]) {
      expect((await checkWebhookAddress(sandbox, url)).ok).toBe(false);
    }
  });
});

import { exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, inDays } from "../../support/journey.ts";
import { ORIGIN } from "../../support/origin.ts";
import { type Caller, newCaller } from "../../support/user.ts";

const start = (caller: Caller, body: unknown) => call(caller, { method: "POST", path: "/media/uploads", body });
const MIB = 1024 ** 2;

describe("200", () => {
  test("a small file goes in one piece, and can then be scheduled", async ({ expect }) => {
    const caller = await newCaller();
    const bytes = await (await exports.default.fetch(`${ORIGIN}/sandbox/media/square.png`)).arrayBuffer();
    const { status, body } = await start(caller, {
      filename: "a.png",
      content_type: "image/png",
      size_bytes: bytes.byteLength,
    });
    expect(status).toBe(200);
    expect(body.upload).toMatchObject({ method: "PUT", parts: null, complete_url: null });
    const account = await connectOne(caller);
    const preview = () =>
      call(caller, {
        method: "POST",
        path: "/posts/preview",
        body: { caption: "Hello", scheduled_at: inDays(1), account_ids: [account.id], media_items: [body.media_item] },
      });
    expect((await preview()).status).toBe(400);
    const sent = await exports.default.fetch(body.upload.url, {
      method: "PUT",
      headers: body.upload.headers,
      body: bytes,
    });
    expect(sent.ok).toBe(true);
    expect((await preview()).status).toBe(200);
  });

  test("a large file goes in parts", async ({ expect }) => {
    const answer = await start(await newCaller(), {
      filename: "a.mp4",
      content_type: "video/mp4",
      size_bytes: 200 * MIB,
    });
    expect(answer.status).toBe(200);
    const sizes = answer.body.upload.parts.map((part: { size_bytes: number }) => part.size_bytes);
    expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBe(200 * MIB);
    expect(answer.body.upload.complete_url).toMatch(/^http/);
  });
});

describe("400", () => {
  test.for([
    [{ filename: 1 }, "filename"],
    [{ filename: "" }, "filename"],
    [{ content_type: "text/html" }, "content_type"],
    [{ content_type: null }, "content_type"],
    [{ size_bytes: 0 }, "size_bytes"],
    [{ size_bytes: -1 }, "size_bytes"],
    [{ size_bytes: 1.5 }, "size_bytes"],
    [{ size_bytes: 1e300 }, "size_bytes"],
    [{ size_bytes: "10" }, "size_bytes"],
    [{ size_bytes: 33 * MIB }, "size_bytes"],
  ] as const)("%j", async ([wrong, param], { expect }) => {
    const answer = await start(await newCaller(), {
      filename: "a.png",
      content_type: "image/png",
      size_bytes: 10,
      ...wrong,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", details: [{ param }] } });
  });
});

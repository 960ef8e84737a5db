import { describe, test } from "vitest";
import {
  type UploadProgress,
  type UploadSession,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookRequest,
} from "../../../clients/typescript/src/index.ts";
import { sampleBytes } from "../../sandbox/sandbox-api.ts";
import { callWebhooks, createWebhook, type Received, receivedBy } from "../../support/api-webhooks.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";
import { createLossyClient } from "./lossy-client.ts";

const IMAGE = "portrait.jpg";

async function readImage(): Promise<File> {
  return new File([await sampleBytes(IMAGE)], IMAGE, { type: "image/jpeg" });
}

describe("upload", () => {
  /** The path of the signed URL, which the client learns only while it uploads. */
  function losesAnswerOf(caller: ApiCaller, method: string, ending: string) {
    const { almanac, sent } = createLossyClient(caller, { [`${method} *${ending}`]: ["answer lost"] });
    return { almanac, sent };
  }

  test("sends a file and tells how far it is", async ({ expect }) => {
    const { almanac, sent } = createLossyClient(await createCaller());
    const file = await readImage();
    const progress: UploadProgress[] = [];
    const item = await almanac.upload(file, { onProgress: (step) => progress.push(step) });
    expect(item).toMatchObject({ type: "image", url: expect.stringContaining(IMAGE) });
    expect(progress).toEqual([
      { sentBytes: 0, totalBytes: file.size },
      { sentBytes: file.size, totalBytes: file.size },
    ]);
    expect(sent.map(({ headers }) => headers.has("authorization"))).toEqual([true, false]);
  });

  test("is done although the answer to the file was lost", async ({ expect }) => {
    const { almanac, sent } = losesAnswerOf(await createCaller(), "PUT", "/file");
    const item = await almanac.upload(await readImage());
    expect(item.type).toBe("image");
    expect(sent.map(({ method }) => method)).toEqual(["POST", "PUT", "PUT", "HEAD"]);
  });

  test.for([
    ["bytes", (bytes: Uint8Array<ArrayBuffer>) => bytes],
    ["a buffer", (bytes: Uint8Array<ArrayBuffer>) => bytes.buffer],
    ["a stream", (bytes: Uint8Array<ArrayBuffer>) => ({ stream: new Blob([bytes]).stream(), size: bytes.byteLength })],
  ] as const)("takes %s with a name and a type", async ([, toSource], { expect }) => {
    const { almanac } = createLossyClient(await createCaller());
    const source = toSource(await sampleBytes(IMAGE));
    const item = await almanac.upload(source, { filename: IMAGE, contentType: "image/jpeg" });
    expect(item.type).toBe("image");
    await expect(almanac.upload(source)).rejects.toThrow("needs `filename`");
  });

  test("of a PDF file answers with its address, and sends nothing where a media item is wanted", async ({ expect }) => {
    const { almanac, sent } = createLossyClient(await createCaller());
    const bytes = await sampleBytes("handbook.pdf");
    const about = { filename: "handbook.pdf", contentType: "application/pdf" };
    await expect(almanac.upload(bytes, about)).rejects.toThrow("`uploadDocument`");
    expect(await almanac.uploadDocument(bytes, about)).toEqual({ url: expect.stringContaining("/handbook.pdf") });
    expect(sent.map(({ method }) => method)).toEqual(["POST", "POST", "PUT"]);
    await expect(almanac.uploadDocument(await readImage())).rejects.toThrow("`upload`");
  });

  test("goes on with its session", async ({ expect }) => {
    const caller = await createCaller();
    const file = await readImage();
    const sessions: UploadSession[] = [];
    const broken = createLossyClient(caller, { "PUT */file": ["call lost"] }, { retry: { maxRetries: 0 } });
    await expect(broken.almanac.upload(file, { onSession: (session) => sessions.push(session) })).rejects.toThrow(
      "failed",
    );
    const { almanac, sent } = createLossyClient(caller);
    const resume = JSON.parse(JSON.stringify(sessions[0])) as UploadSession;
    expect((await almanac.upload(file, { resume })).url).toBe(resume.media_item?.url);
    expect(sent.map(({ method }) => method)).toEqual(["PUT"]);
  });

  test("throws what the service says about the bytes", async ({ expect }) => {
    const { almanac } = createLossyClient(await createCaller());
    const text = new File(["no picture"], "a.jpg", { type: "image/jpeg" });
    await expect(almanac.upload(text)).rejects.toMatchObject({ code: "validation_failed", status: 400 });
  });
});

describe("verifyWebhook", () => {
  interface Scene {
    readonly secret: string;
    readonly delivery: Received;
  }

  /** A delivery that the service has really sent. */
  async function receive(): Promise<Scene> {
    const caller = await createCaller();
    const { id, secret, receiver } = await createWebhook(caller);
    await callWebhooks(caller, "POST", `/${id}/test`);
    const [delivery] = await receivedBy(receiver);
    return { secret, delivery: delivery! };
  }

  test("returns the event that was delivered", async ({ expect }) => {
    const { secret, delivery } = await receive();
    const event = await verifyWebhook({ secret, ...delivery });
    expect(event.type).toBe("webhook.test");
    const bytes = new TextEncoder().encode(delivery.body);
    expect(await verifyWebhook({ secret, headers: new Headers(delivery.headers), body: bytes })).toEqual(event);
  });

  test("takes both secrets while they are rotated", async ({ expect }) => {
    const caller = await createCaller();
    const { id, secret, receiver } = await createWebhook(caller);
    const rotated = await callWebhooks(caller, "POST", `/${id}/rotate-secret`);
    await callWebhooks(caller, "POST", `/${id}/test`);
    const [delivery] = await receivedBy(receiver);
    const other = `whsec_${btoa("another secret of thirty two byte")}`;
    for (const known of [[secret], [rotated.body.secret], [other, secret]]) {
      expect((await verifyWebhook({ secret: known, ...delivery! })).type).toBe("webhook.test");
    }
    await expect(verifyWebhook({ secret: other, ...delivery! })).rejects.toMatchObject({
      code: "no_matching_signature",
    });
  });

  const without = (headers: Received["headers"], name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name));

  test.for<[string, WebhookErrorCode, (request: WebhookRequest) => WebhookRequest]>([
    ["a changed body", "no_matching_signature", (request) => ({ ...request, body: `${request.body as string} ` })],
    [
      "another id",
      "no_matching_signature",
      (request) => ({ ...request, headers: { ...request.headers, "webhook-id": "evt_0" } }),
    ],
    [
      "a signature of another version",
      "no_matching_signature",
      (request) => ({ ...request, headers: { ...request.headers, "webhook-signature": "v2,AAAA v1,%" } }),
    ],
    [
      "no signature",
      "missing_header",
      (request) => ({ ...request, headers: without(request.headers as Received["headers"], "webhook-signature") }),
    ],
    [
      "a time that is none",
      "invalid_timestamp",
      (request) => ({ ...request, headers: { ...request.headers, "webhook-timestamp": "noon" } }),
    ],
    ["an old time", "too_old", (request) => ({ ...request, toleranceSeconds: -60 })],
    [
      "a time far ahead",
      "too_new",
      (request) => ({ ...request, headers: { ...request.headers, "webhook-timestamp": "99999999999" } }),
    ],
    ["a secret that is none", "invalid_secret", (request) => ({ ...request, secret: "whsec_" })],
  ])("refuses %s", async ([, code, change], { expect }) => {
    const { secret, delivery } = await receive();
    await expect(verifyWebhook(change({ secret, ...delivery }))).rejects.toMatchObject({ code });
  });
});

import { exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { pdf } from "../../media/pdf.ts";
import { connectOneAccount, isoInDays } from "../../support/api-workflows.ts";
import { ORIGIN } from "../../support/origin.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const startUpload = (caller: ApiCaller, body: unknown) =>
  callApi(caller, { method: "POST", path: "/media/uploads", body });
const MIB = 1024 ** 2;

describe("200", () => {
  test("a small file is sent in one request and can then be scheduled", async ({ expect }) => {
    const caller = await createCaller();
    const bytes = await (await exports.default.fetch(`${ORIGIN}/sandbox/media/square.png`)).arrayBuffer();
    const { status, body } = await startUpload(caller, {
      filename: "a.png",
      content_type: "image/png",
      size_bytes: bytes.byteLength,
    });
    expect(status).toBe(200);
    expect(body.upload).toMatchObject({ method: "PUT", parts: null, complete_url: null });
    const account = await connectOneAccount(caller);
    const preview = () =>
      callApi(caller, {
        method: "POST",
        path: "/posts/preview",
        body: {
          caption: "Hello",
          scheduled_at: isoInDays(1),
          account_ids: [account.id],
          media_items: [body.media_item],
        },
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

  test("a large file is sent in parts", async ({ expect }) => {
    const response = await startUpload(await createCaller(), {
      filename: "a.mp4",
      content_type: "video/mp4",
      size_bytes: 200 * MIB,
    });
    expect(response.status).toBe(200);
    const sizes = response.body.upload.parts.map((part: { size_bytes: number }) => part.size_bytes);
    expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBe(200 * MIB);
    expect(response.body.upload.complete_url).toMatch(/^http/);
  });
});

test("a PDF file becomes a document, which is stored to be downloaded and is no media item", async ({ expect }) => {
  const caller = await createCaller();
  const bytes = pdf({ pages: 4, salt: caller.workspaceId });
  const { status, body } = await startUpload(caller, {
    filename: "handbook.pdf",
    content_type: "application/pdf",
    size_bytes: bytes.length,
  });
  expect({ status, media_item: body.media_item }).toEqual({ status: 200, media_item: null });
  const { headers, url } = body.upload;
  const sent = await exports.default.fetch(url, { method: "PUT", headers, body: bytes });
  const stored = await sent.json<{ document: { url: string; pages: number } }>();
  expect(stored).toMatchObject({ document: { url: body.document.url, pages: 4, content_type: "application/pdf" } });
  const served = await exports.default.fetch(stored.document.url);
  expect(served.headers.get("content-disposition")).toBe('attachment; filename="handbook.pdf"');
  expect(new Uint8Array(await served.arrayBuffer())).toEqual(bytes);
  const imported = await callApi(caller, {
    method: "POST",
    path: "/media",
    body: { urls: [stored.document.url] },
  });
  expect(imported.body).toEqual({ media_items: [], documents: [stored.document] });
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
    const response = await startUpload(await createCaller(), {
      filename: "a.png",
      content_type: "image/png",
      size_bytes: 10,
      ...wrong,
    });
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed", details: [{ param }] } });
  });
});

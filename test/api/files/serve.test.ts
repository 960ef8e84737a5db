import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { importMedia, type ResolvedFile } from "#media/index.ts";
import { concatBytes, sample } from "../../media/samples.ts";
import { callFileRoutes, createTestContext } from "./call-file-routes.ts";

const bytes = concatBytes(sample("photo.jpg"), crypto.getRandomValues(new Uint8Array(5000)));

async function importPhoto(): Promise<ResolvedFile> {
  const ctx = createTestContext();
  const url = ctx.internet.set("https://files.example.net/%C3%89t%C3%A9%20%C3%A0%20la%20mer.jpg", bytes);
  const [item] = await importMedia(ctx, { urls: [url] });
  return item!;
}

const readBytes = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe("200", () => {
  test("the unchanged file, immutable for caches, with nosniff", async ({ expect }) => {
    const item = await importPhoto();
    const response = await callFileRoutes(item.url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=31536000, immutable, no-transform",
      "content-disposition": 'inline; filename="E-te-a-la-mer.jpg"',
      "content-length": String(bytes.length),
      "content-type": "image/jpeg",
      etag: `"${item.sha256}"`,
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await readBytes(response)).toEqual(bytes);
  });

  test("HEAD returns the same headers without a body", async ({ expect }) => {
    const item = await importPhoto();
    const response = await callFileRoutes(item.url, { method: "HEAD", headers: { range: "bytes=0-9" } });
    expect([response.status, response.headers.get("content-length")]).toEqual([200, String(bytes.length)]);
    expect(await readBytes(response)).toHaveLength(0);
  });

  test.for(["bytes=0-1,5-6", "bytes=5-2", "bytes=-", "items=0-5", "bytes=a-b", "bytes=0-9, 20-"])(
    "a header that is not one valid range is ignored: %s",
    async (range, { expect }) => {
      const item = await importPhoto();
      const response = await callFileRoutes(item.url, { headers: { range } });
      expect(response.status).toBe(200);
      expect((await readBytes(response)).length).toBe(bytes.length);
    },
  );

  test("If-Range with another entity tag returns the whole file", async ({ expect }) => {
    const item = await importPhoto();
    const response = await callFileRoutes(item.url, { headers: { range: "bytes=0-9", "if-range": '"other"' } });
    expect(response.status).toBe(200);
  });
});

describe("206", () => {
  const size = bytes.length;
  test.for<[string, number, number]>([
    ["bytes=0-0", 0, 1],
    ["bytes=0-99", 0, 100],
    ["bytes=100-", 100, size],
    ["bytes=-10", size - 10, size],
    [`bytes=-${size + 50}`, 0, size],
    [`bytes=5-${size + 50}`, 5, size],
    [`bytes=${size - 1}-`, size - 1, size],
  ])("%s", async ([range, from, to], { expect }) => {
    const item = await importPhoto();
    const response = await callFileRoutes(item.url, { headers: { range, "if-range": `"${item.sha256}"` } });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(`bytes ${from}-${to - 1}/${size}`);
    expect(response.headers.get("content-length")).toBe(String(to - from));
    expect(await readBytes(response)).toEqual(bytes.slice(from, to));
  });
});

describe("304 and 412", () => {
  test("conditional requests compare entity tags", async ({ expect }) => {
    const item = await importPhoto();
    for (const tag of [`"${item.sha256}"`, `W/"${item.sha256}"`, `"x", "${item.sha256}"`, "*"]) {
      const response = await callFileRoutes(item.url, { headers: { "if-none-match": tag } });
      expect([response.status, response.headers.get("etag")], tag).toEqual([304, `"${item.sha256}"`]);
    }
    expect((await callFileRoutes(item.url, { headers: { "if-none-match": '"x"' } })).status).toBe(200);
    expect((await callFileRoutes(item.url, { headers: { "if-match": '"x"' } })).status).toBe(412);
  });
});

describe("416", () => {
  test.for([`bytes=${bytes.length}-`, "bytes=999999-", "bytes=-0"])(
    "%s starts after the end",
    async (range, { expect }) => {
      const item = await importPhoto();
      const response = await callFileRoutes(item.url, { headers: { range } });
      expect([response.status, response.headers.get("content-range")]).toEqual([416, `bytes */${bytes.length}`]);
    },
  );
});

describe("404", () => {
  test("for directories, unknown files and unknown paths", async ({ expect }) => {
    const item = await importPhoto();
    const paths = [
      "/media",
      "/media/",
      `/media/${item.id}`,
      `/media/${item.id}/`,
      `/media/${item.id}/${item.filename}/more`,
      `/media/${crypto.randomUUID()}/photo.jpg`,
      `/media/${item.sha256}/photo.jpg`,
      "/media/..%2f..%2fetc/passwd",
      "/media/%00/x",
      "/media/incoming/x",
      "/media/uploads/x",
    ];
    for (const path of paths) {
      expect((await callFileRoutes(path)).status, path).toBe(404);
    }
    const response = await callFileRoutes(`/media/${crypto.randomUUID()}/photo.jpg`);
    expect(await response.json()).toMatchObject({
      error: expect.any(String),
      code: "not_found",
      request_id: expect.any(String),
    });
  });

  test("a file that is not complete", async ({ expect }) => {
    const ctx = createTestContext();
    const id = crypto.randomUUID();
    await env.DB.prepare(
      `INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, facts, created_at, sweep_at)
       VALUES (?, ?, ?, 'uploading', 'image', 'image/jpeg', 'x.jpg', 5, '{}', 0, 0)`,
    )
      .bind(id, ctx.actor.userId, ctx.actor.workspaceId)
      .run();
    expect((await callFileRoutes(`/media/${id}/x.jpg`)).status).toBe(404);
  });
});

describe("405", () => {
  test.for(["POST", "PUT", "DELETE", "PATCH"])("%s", async (method, { expect }) => {
    const item = await importPhoto();
    const response = await callFileRoutes(item.url, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("the operator's verification files", () => {
  const settings = { MEDIA_VERIFICATION_FILES: JSON.stringify({ "proof123.txt": "proof=123" }) };
  test("are served at the root and under /media, by exact name", async ({ expect }) => {
    for (const path of ["/proof123.txt", "/media/proof123.txt"]) {
      const response = await callFileRoutes(path, {}, settings);
      expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([
        200,
        "proof=123",
        "text/plain; charset=utf-8",
      ]);
    }
    for (const path of ["/other.txt", "/media/other.txt", "/__proto__", "/constructor", "/toString"]) {
      expect((await callFileRoutes(path, {}, settings)).status, path).toBe(404);
    }
    expect((await callFileRoutes("/proof123.txt")).status).toBe(404);
    expect((await callFileRoutes("/proof123.txt", {}, { MEDIA_VERIFICATION_FILES: "not json" })).status).toBe(404);
  });
});

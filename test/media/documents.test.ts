import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, test } from "vitest";
import { importMedia, mediaStatement, resolveRefs, startUpload } from "#media/index.ts";
import { createTestContext, inspectBytes, refusalOf, sha256 } from "./test-context.ts";
import { compressedPdf, pdf } from "./pdf.ts";
import { concatBytes, sample } from "./samples.ts";

const host = "https://files.example.net";

describe("a PDF file", () => {
  test("is a document, whose pages are counted in either form of the file", async ({ expect }) => {
    const inspection = { type: "document", contentType: "application/pdf", width: null, height: null };
    expect(await inspectBytes(pdf({ pages: 12 }))).toMatchObject({
      ok: true,
      value: { ...inspection, durationMs: null, facts: { pages: 12 } },
    });
    expect(await inspectBytes(await compressedPdf({ pages: 301 }))).toMatchObject({
      ok: true,
      value: { ...inspection, facts: { pages: 301 } },
    });
    // Downloads and mail programs append a few bytes.
    expect(await inspectBytes(concatBytes(pdf({ pages: 1 }), "\r\n\r\n"))).toMatchObject({
      value: { facts: { pages: 1 } },
    });
  });

  test("whose pages cannot be counted is a document all the same", async ({ expect }) => {
    for (const count of ["9 0 R", "-1", "many"]) {
      expect(await inspectBytes(pdf({ pages: 2, count }))).toMatchObject({ ok: true, value: { facts: {} } });
    }
    const elsewhere = new TextDecoder().decode(pdf({ pages: 2 })).replace(/startxref\n\d+/, "startxref\n3");
    expect(await inspectBytes(concatBytes(elsewhere))).toMatchObject({ ok: true, value: { facts: {} } });
  });

  test("that is cut off or something else as well is refused", async ({ expect }) => {
    const whole = pdf({ pages: 3 });
    expect(await inspectBytes(whole.slice(0, -8))).toMatchObject({ ok: false, problem: { code: "media_truncated" } });
    expect(await inspectBytes(concatBytes("%PDF-1.7\n"))).toMatchObject({ problem: { code: "media_truncated" } });
    const archive = concatBytes(whole, "PK\x05\x06", new Uint8Array(18));
    expect(await inspectBytes(archive)).toMatchObject({ problem: { code: "media_suspicious" } });
  });

  test("gets a result whatever its bytes", async ({ expect }) => {
    const files = [pdf({ pages: 3 }), await compressedPdf({ pages: 3 })];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { minLength: 1, maxLength: 12 }),
        async (file, changes) => {
          const bytes = file.slice(0);
          for (const [offset, value] of changes) {
            bytes[9 + (offset % (bytes.length - 9))] = value;
          }
          const inspected = await inspectBytes(bytes);
          if (inspected.ok) {
            expect(inspected.value.facts.pages ?? 0).toBeGreaterThanOrEqual(0);
          } else {
            expect(inspected.problem.code).toMatch(/^media_/);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("an import", () => {
  test("stores a PDF file as a document, which is no media item", async ({ expect }) => {
    const ctx = createTestContext();
    const bytes = pdf({ pages: 7, salt: crypto.randomUUID() });
    const url = ctx.internet.set(`${host}/Handbook`, bytes);
    const photo = ctx.internet.set(`${host}/a.jpg`, sample("photo.jpg"));
    const [document, image] = await importMedia(ctx, { urls: [url, photo] });
    expect(document).toMatchObject({ type: "document", filename: "Handbook.pdf", facts: { pages: 7 } });
    expect(document?.sha256).toBe(await sha256(bytes));
    expect(image).toMatchObject({ type: "image" });
    expect(await env.MEDIA.head(`media/${document?.sha256}`)).toMatchObject({
      httpMetadata: { contentType: "application/pdf" },
    });
    const { results } = await mediaStatement(ctx.db, ctx.actor, [document?.id ?? ""]).all();
    expect(results).toMatchObject([{ type: "document", contentType: "application/pdf" }]);
  });

  test("as media refuses a PDF file, and as a document everything else", async ({ expect }) => {
    const ctx = createTestContext();
    const document = ctx.internet.set(`${host}/b.pdf`, pdf({ pages: 1, salt: crypto.randomUUID() }));
    const image = ctx.internet.set(`${host}/c.jpg`, sample("photo.jpg"));
    const refs = [
      { param: "media_urls[0]", url: document, type: null, id: null },
      { param: "targets[0].platform_options.document.url", url: image, type: "document" as const, id: null },
    ];
    expect((await refusalOf(resolveRefs(ctx, refs))).details).toMatchObject([
      { code: "media_type_unsupported", param: "media_urls[0]", actual: "a PDF document" },
      { code: "media_type_mismatch", param: "targets[0].platform_options.document.url", limit: "document" },
    ]);
  });

  test("ends a document of more than 100 MB", async ({ expect }) => {
    const ctx = createTestContext();
    const head = pdf({ pages: 1 });
    const url = ctx.internet.set(`${host}/huge.pdf`, () => {
      const headers = { "content-length": "100000001" };
      return new Response(new Blob([head]).stream(), { headers });
    });
    expect((await refusalOf(importMedia(ctx, { urls: [url] }))).details).toMatchObject([
      { code: expect.stringMatching(/^(media_too_large|source_broke_off)$/) },
    ]);
  });
});

test("an upload of a PDF file is in parts when it is large, and at most 100 MB", async ({ expect }) => {
  const ctx = createTestContext();
  const about = { filename: "Handbook.PDF", contentType: "application/pdf" };
  expect(await startUpload(ctx, { ...about, sizeBytes: 1000 })).toMatchObject({
    upload: { parts: null, headers: { "content-type": "application/pdf" } },
    file: { type: "document", url: expect.stringMatching(/\/Handbook\.pdf$/) },
  });
  const { upload } = await startUpload(ctx, { ...about, sizeBytes: 100_000_000 });
  expect(upload.parts).toHaveLength(2);
  expect((await refusalOf(startUpload(ctx, { ...about, sizeBytes: 100_000_001 }))).details).toMatchObject([
    { code: "media_too_large", param: "size_bytes", limit: 100_000_000, actual: 100_000_001 },
  ]);
});

import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { MEDIA_TYPES } from "#core/status.ts";
import { startUpload, type StartedUpload } from "#media/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { Instant } from "#wire/schemas/common.ts";
import { json } from "#wire/schemas/content.ts";
import { EXAMPLE_MEDIA_ITEM } from "#wire/schemas/media.ts";

const StartUploadBody = z
  .object({
    filename: z.string(),
    content_type: z.string().openapi({ description: "The media type of the file, which its bytes must match." }),
    size_bytes: z.int().openapi({ description: "The exact size of the file." }),
  })
  .openapi("StartUploadBody");

const SignedUrl = z.string().openapi({ format: "uri" });

const UploadStarted = z
  .object({
    upload: z.object({
      method: z.literal("PUT"),
      url: SignedUrl.openapi({
        description:
          "The URL to send the bytes to, without a credential; for a file in parts, the URL of the first part.",
      }),
      headers: z.record(z.string(), z.string()).openapi({ description: "Headers to send with the bytes." }),
      expires_at: Instant,
      parts: z
        .array(z.object({ part_number: z.int(), url: SignedUrl, size_bytes: z.int() }))
        .nullable()
        .openapi({ description: "For a large file: the URL and size of each part, in order." }),
      complete_url: SignedUrl.nullable().openapi({
        description: "The URL to call with POST after all parts are sent.",
      }),
    }),
    media_item: z
      .object({ url: SignedUrl, type: z.enum(MEDIA_TYPES) })
      .openapi({ description: "The media item to use in a preview after the upload is complete." }),
  })
  .openapi("UploadStarted");

function presentUpload({ upload, mediaItem }: StartedUpload): z.infer<typeof UploadStarted> {
  return {
    upload: {
      method: upload.method,
      url: upload.url,
      headers: { ...upload.headers },
      expires_at: toIsoInstant(upload.expiresAt),
      parts:
        upload.parts?.map(({ partNumber, url, sizeBytes }) => ({
          part_number: partNumber,
          url,
          size_bytes: sizeBytes,
        })) ?? null,
      complete_url: upload.completeUrl,
    },
    media_item: { url: mediaItem.url, type: mediaItem.type },
  };
}

const route = operation("posts:write", {
  method: "post",
  path: "/media/uploads",
  operationId: "startUpload",
  tags: ["media"],
  summary: "Start a direct upload",
  description:
    "Returns signed URLs for one file. A file of up to 90 MiB is sent in one PUT, a larger file in parts. An item that is not complete cannot be scheduled.",
  request: {
    body: {
      required: true,
      content: json(StartUploadBody, { filename: "launch.jpg", content_type: "image/jpeg", size_bytes: 284_113 }),
    },
  },
  responses: {
    200: {
      description: "Where to send the bytes.",
      content: json(UploadStarted, {
        upload: {
          method: "PUT",
          url: "https://almanac.example.org/media/uploads/8b0f0f7e-5c1d-4f4e-9a3e-2d7c6b5a4f31?signature=bm90IHJlYWw",
          headers: { "content-type": "image/jpeg" },
          expires_at: "2026-11-20T10:05:00.000Z",
          parts: null,
          complete_url: null,
        },
        media_item: { url: EXAMPLE_MEDIA_ITEM.url, type: EXAMPLE_MEDIA_ITEM.type },
      }),
    },
  },
});

export const beginUpload = newRouter().openapi(route, async (c) => {
  const { filename, content_type: contentType, size_bytes: sizeBytes } = c.req.valid("json");
  const started = await startUpload(c.var.ctx, { filename, contentType, sizeBytes });
  return c.json(presentUpload(started), 200);
});

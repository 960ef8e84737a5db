import { z } from "@hono/zod-openapi";
import { startUpload } from "#media/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_MEDIA_ITEM } from "#wire/schemas/media.ts";
import { presentUpload, UploadStarted } from "#wire/schemas/upload.ts";

const StartUploadBody = z
  .object({
    filename: z.string(),
    content_type: z.string().openapi({
      description:
        "The media type of the file, which its bytes must match. `image/heic` and `image/avif` where the operator has bound Cloudflare Images: a JPEG is stored, and until then 20 MB count against the storage.",
    }),
    size_bytes: z.int().openapi({ description: "The exact size of the file." }),
  })
  .openapi("StartUploadBody");

const route = operation("posts:write", {
  method: "post",
  path: "/media/uploads",
  operationId: "startUpload",
  summary: "Start a direct upload",
  description:
    "Returns signed URLs for one file. They need no credential: send the bytes with exactly the given `headers`. Without `parts`, one PUT to `url` with the whole file completes it. With `parts` (a file over 90 MiB), PUT each part's `size_bytes` bytes to its URL, in any order, then POST to `complete_url` without a body. A transfer that failed can be sent again until `expires_at`; GET on `complete_url` lists the `missing_parts`, and a part that has arrived is refused with 400 `invalid_state`. Then use `media_item` in a preview; a PDF file has `document` instead, for the option of that name. An item that is not complete cannot be scheduled, and one that no post uses is deleted after 30 days.",
  request: {
    body: jsonBody(StartUploadBody, { filename: "launch.jpg", content_type: "image/jpeg", size_bytes: 284_113 }),
  },
  responses: success(200, "Where to send the bytes.", UploadStarted, {
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
});

export const beginUpload = newRouter().openapi(route, async (c) => {
  const { filename, content_type: contentType, size_bytes: sizeBytes } = c.req.valid("json");
  const started = await startUpload(c.get("ctx"), { filename, contentType, sizeBytes });
  return c.json(presentUpload(started), 200);
});

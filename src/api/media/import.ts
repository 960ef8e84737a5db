import { z } from "@hono/zod-openapi";
import { importMedia } from "#media/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import { EXAMPLE_MEDIA_ITEM, MediaItemList, MediaUrl, presentFiles } from "#wire/schemas/media.ts";

const ImportMediaBody = z
  .object({ urls: z.array(MediaUrl).min(1).max(10).openapi({ description: "Public HTTPS URLs." }) })
  .openapi("ImportMediaBody");

const route = operation("posts:write", {
  method: "post",
  path: "/media",
  operationId: "importMedia",
  summary: "Import media by URL",
  description:
    "Fetches and stores every image and video; the response has the order of `urls`. If one fails, none is stored, and `details` names the problem of each URL. The call takes as long as the other servers need: allow it a minute, more for a large video, and repeat it with the same `Idempotency-Key` when the answer is lost. A file is at most 32 MiB (image) or 1 GiB (video), an image at most 200 megapixels. A HEIC or AVIF image, at most 20 MB and 100 megapixels, is stored as a JPEG made of it, without the data of the camera, where the operator has bound Cloudflare Images; elsewhere it is refused. A PDF file (at most 100 MB) is no media item: it is in `documents`, for the option `document` of the platforms that have one.",
  request: {
    body: jsonBody(ImportMediaBody, { urls: ["https://images.example.net/launch.jpg"] }),
  },
  responses: success(200, "The stored media.", MediaItemList, { media_items: [EXAMPLE_MEDIA_ITEM] }),
});

export const importByUrl = newRouter().openapi(route, async (c) => {
  const { urls } = c.req.valid("json");
  return c.json(presentFiles(await importMedia(c.get("ctx"), { urls })), 200);
});

import { z } from "@hono/zod-openapi";
import { importMedia } from "#media/index.ts";
import { newRouter, operation } from "#api/operation.ts";
import { json } from "#wire/schemas/content.ts";
import { EXAMPLE_MEDIA_ITEM, MediaItemList, MediaUrl, presentMediaItem } from "#wire/schemas/media.ts";

const ImportMediaBody = z
  .object({ urls: z.array(MediaUrl).min(1).max(10).openapi({ description: "Public HTTPS URLs." }) })
  .openapi("ImportMediaBody");

const route = operation("posts:write", {
  method: "post",
  path: "/media",
  operationId: "importMedia",
  tags: ["media"],
  summary: "Import media by URL",
  description:
    "Fetches and stores every image and video; the response has the order of `urls`. If one fails, none is stored. A file is at most 32 MiB (image) or 1 GiB (video), an image at most 200 megapixels.",
  request: {
    body: { required: true, content: json(ImportMediaBody, { urls: ["https://images.example.net/launch.jpg"] }) },
  },
  responses: {
    200: { description: "The stored media.", content: json(MediaItemList, { media_items: [EXAMPLE_MEDIA_ITEM] }) },
  },
});

export const importByUrl = newRouter().openapi(route, async (c) => {
  const { urls } = c.req.valid("json");
  const items = await importMedia(c.get("ctx"), { urls });
  return c.json({ media_items: items.map(presentMediaItem) }, 200);
});

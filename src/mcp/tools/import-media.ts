import { z } from "@hono/zod-openapi";
import { importMedia, MAX_IMPORT_URLS } from "#media/index.ts";
import { mediaLine } from "#mcp/describe/post.ts";
import { defineTool } from "#mcp/tool.ts";
import { MediaUrl, presentMediaItem } from "#wire/schemas/media.ts";

const INPUT = z.object({ urls: z.array(MediaUrl).min(1).max(MAX_IMPORT_URLS).describe("Public https addresses.") });

export const importMediaTool = defineTool({
  name: "import_media",
  title: "Import media",
  description: "Stores images and videos, all or none, and returns the addresses for media_urls.",
  scope: "posts:write",
  hints: { idempotent: true, openWorld: true },
  input: () => INPUT,
  async run({ ctx }, { urls }) {
    const items = (await importMedia(ctx, { urls })).map(presentMediaItem);
    return {
      text: ["Stored; use these addresses in media_urls:", ...items.map(mediaLine)].join("\n"),
      data: { media_items: items },
    };
  },
});

import { z } from "@hono/zod-openapi";
import { importMedia, MAX_IMPORT_URLS } from "#media/index.ts";
import { mediaLine } from "#mcp/describe/media-line.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { MediaUrl, presentFiles } from "#wire/schemas/media.ts";

const INPUT = z.object({ urls: z.array(MediaUrl).min(1).max(MAX_IMPORT_URLS).describe("Public https addresses.") });

export const importMediaTool = defineTool({
  name: "import_media",
  title: "Import media",
  description:
    "Stores images and videos, all or none, and returns addresses for media_urls; those of PDF files are for the option document.",
  scope: "posts:write",
  hints: { idempotent: true, openWorld: true },
  input: () => INPUT,
  async run({ ctx }, { urls }) {
    const data = presentFiles(await importMedia(ctx, { urls }));
    const { media_items: items, documents = [] } = data;
    const lines = [
      ...(items.length > 0 ? ["Stored; use these addresses in media_urls:", ...items.map(mediaLine)] : []),
      ...(documents.length > 0
        ? ["Stored; use as document.url:", ...documents.map(({ url, pages }) => `${url} (${pages ?? "?"} pages)`)]
        : []),
    ];
    return { text: lines.join("\n"), data };
  },
});

import { z } from "@hono/zod-openapi";
import { startUpload } from "#media/index.ts";
import { when } from "#mcp/describe/post.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { presentUpload } from "#wire/schemas/upload.ts";

const INPUT = z.object({
  filename: z.string(),
  content_type: z.string().describe("Such as image/jpeg, video/mp4 or application/pdf."),
  size_bytes: z.int().describe("The exact size."),
});

export const createUploadTool = defineTool({
  name: "create_upload",
  title: "Upload a file",
  description: "An address to which a local file is sent with PUT, without a credential.",
  scope: "posts:write",
  hints: {},
  input: () => INPUT,
  async run({ ctx }, { filename, content_type: contentType, size_bytes: sizeBytes }) {
    const data = presentUpload(await startUpload(ctx, { filename, contentType, sizeBytes }));
    const { method, url, headers, expires_at: expiresAt, parts, complete_url: completeUrl } = data.upload;
    const headerText = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const steps =
      parts === null
        ? [`${method} the bytes to ${url}`]
        : [
            ...parts.map((part) => `${method} bytes of part ${part.part_number} (${part.size_bytes}) to ${part.url}`),
            `then POST to ${completeUrl}`,
          ];
    const text = [
      ...steps,
      ...(headerText.length === 0 ? [] : [`with ${headerText.join(", ")}`]),
      `until ${when(ctx.actor.timeZone, expiresAt)}. Then use ${data.media_item ? `${data.media_item.url} in media_urls` : `${data.document?.url} as document.url`}.`,
    ].join("\n");
    return { text, data };
  },
});

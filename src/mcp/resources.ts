import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Context } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import { isPlatform, PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { rulesOf } from "#wire/schemas/platform-rules.ts";
import { describeRules } from "./describe/rules.ts";

const RULES_CACHE = { ttlMs: HOUR, cacheScope: "private" } as const;

const addressOf = (platform: string) => `almanac://platforms/${platform}`;

/** The rules of the platforms, for hosts that attach resources to a conversation. */
export function registerResources(server: McpServer, ctx: Pick<Context, "config">): void {
  const template = new ResourceTemplate(addressOf("{platform}"), {
    list: () => ({
      resources: PLATFORMS.map((platform) => ({
        uri: addressOf(platform),
        name: platform,
        title: `Rules of ${PLATFORM_NAMES[platform]}`,
        mimeType: "text/plain",
      })),
    }),
    complete: { platform: (start) => PLATFORMS.filter((platform) => platform.startsWith(start)) },
  });
  server.registerResource(
    "platform_rules",
    template,
    {
      title: "Rules of a platform",
      description: "Limits of captions and media, and all platform_options.",
      mimeType: "text/plain",
      cacheHint: RULES_CACHE,
    },
    (uri, { platform }) => {
      if (typeof platform !== "string" || !isPlatform(platform)) {
        throw new ResourceNotFoundError(uri.toString());
      }
      const text = describeRules(rulesOf(ctx, platform));
      return { contents: [{ uri: uri.toString(), mimeType: "text/plain", text }] };
    },
  );
}

import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import type { Context } from "#context.ts";
import { HOUR } from "#core/clock.ts";
import { isPlatform, PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { rulesOf } from "#wire/schemas/platform-rules.ts";
import { CARD_TYPE } from "./cards/bridge.ts";
import { CALENDAR_CARD } from "./cards/calendar-card.ts";
import { PREVIEW_CARD } from "./cards/preview-card.ts";
import { describeRules } from "./describe/rules.ts";

const FOR_AN_HOUR = { ttlMs: HOUR, cacheScope: "private" } as const;

const addressOf = (platform: string) => `almanac://platforms/${platform}`;

/** Registers the platforms' rules as resources, for hosts that let a person attach them to a conversation. */
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
      cacheHint: FOR_AN_HOUR,
    },
    (uri, { platform }) => {
      if (typeof platform !== "string" || !isPlatform(platform)) {
        throw new ResourceNotFoundError(uri.toString());
      }
      const text = describeRules(rulesOf(ctx, platform));
      return { contents: [{ uri: uri.toString(), mimeType: "text/plain", text }] };
    },
  );
  registerCard(server, ctx, "preview", "Preview of a post", PREVIEW_CARD);
  registerCard(server, ctx, "calendar", "Posts by day", CALENDAR_CARD);
}

/** Registers a page that MCP hosts show beside a result. It may load nothing but pictures of this service. */
function registerCard(
  server: McpServer,
  { config }: Pick<Context, "config">,
  name: "preview" | "calendar",
  title: string,
  page: string,
): void {
  const uri = `ui://almanac/${name}`;
  const meta = { ui: { csp: { resourceDomains: [config.origin] }, prefersBorder: true } };
  server.registerResource(
    `${name}_card`,
    uri,
    { title, mimeType: CARD_TYPE, cacheHint: FOR_AN_HOUR, _meta: meta },
    () => ({ contents: [{ uri, mimeType: CARD_TYPE, text: page, _meta: meta }] }),
  );
}

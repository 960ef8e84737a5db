import { z } from "@hono/zod-openapi";
import { describeRules } from "#mcp/describe/rules.ts";
import { PlatformArgument } from "#mcp/tool/post-arguments.ts";
import { defineTool } from "#mcp/tool/tool.ts";
import { rulesOf } from "#wire/schemas/platform-rules.ts";

const INPUT = z.object({ platform: PlatformArgument });

export const getPlatformRulesTool = defineTool({
  name: "get_platform_rules",
  title: "Read a platform's rules",
  description: "Limits of captions and media, and all platform_options, as previews check them.",
  scope: null,
  hints: { readOnly: true },
  input: () => INPUT,
  run({ ctx }, { platform }) {
    const rules = rulesOf(ctx, platform);
    return Promise.resolve({ text: describeRules(rules), data: { rules } });
  },
});

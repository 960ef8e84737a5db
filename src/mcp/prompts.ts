import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "@hono/zod-openapi";
import { quoted } from "./describe/quoted.ts";

const ABOUT_MAX = 500;

const ARGUMENTS = z.object({ about: z.string().max(ABOUT_MAX).describe("What the posts are to be about.") });

function weekText(about: string): string {
  return `Plan my posts for the coming week about ${quoted(about, ABOUT_MAX)}.

1. Call get_overview for the date, my time zone and what is scheduled already, list_accounts for where I can post, and list_posts for the coming seven days.
2. Suggest three to five posts: day, time, accounts and caption each, at other times than what is scheduled. Look at get_platform_rules where you are not sure. Ask me what you need to know, and change what I want changed.
3. For each post that I accept call preview_post and show me the preview. Call confirm_preview only for those that I agree to.`;
}

export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    "plan_my_week",
    {
      title: "Plan my week",
      description: "Suggests posts for the coming week and schedules those you accept.",
      argsSchema: ARGUMENTS,
    },
    ({ about }) => ({ messages: [{ role: "user", content: { type: "text", text: weekText(about) } }] }),
  );
}

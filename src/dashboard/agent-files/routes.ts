import { Hono } from "hono";
import { cors } from "hono/cors";
import type { PageEnv } from "#dashboard/env.ts";
import { llmsTxt } from "./llms-txt.ts";
import { serverCard } from "./server-card.ts";
import skill from "./SKILL.md";

const MAX_AGE_SECONDS = 300;
/** The address in SKILL.md, where whoever reads the repository finds the same text. */
const EXAMPLE_ORIGIN = "https://almanac.example.org";

/** What agents look for before they have a credential: the same for everybody, and readable from any origin. */
export const agentFiles = new Hono<PageEnv>();

for (const path of ["/llms.txt", "/server.json", "/.well-known/mcp/*", "/.well-known/agent-skills/*"]) {
  agentFiles.use(path, cors({ origin: "*", allowMethods: ["GET"] }), async (c, next) => {
    await next();
    c.header("Cache-Control", `public, max-age=${MAX_AGE_SECONDS}`);
    c.header("X-Content-Type-Options", "nosniff");
  });
}

agentFiles.get("/llms.txt", (c) => c.text(llmsTxt(c.var.services.config)));

for (const path of ["/server.json", "/.well-known/mcp/server-card.json"]) {
  agentFiles.get(path, (c) => c.json(serverCard(c.var.services.config)));
}

agentFiles.get("/.well-known/agent-skills/almanac/SKILL.md", (c) => {
  const { origin, baseUrl, mcpUrl } = c.var.services.config;
  const text = skill
    .replaceAll(`${EXAMPLE_ORIGIN}/v1`, baseUrl)
    .replaceAll(`${EXAMPLE_ORIGIN}/mcp`, mcpUrl)
    .replaceAll(EXAMPLE_ORIGIN, origin);
  return c.body(text, 200, { "Content-Type": "text/markdown; charset=utf-8" });
});

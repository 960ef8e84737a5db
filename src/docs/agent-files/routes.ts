import { Hono } from "hono";
import { cors } from "hono/cors";
import { fillAddresses } from "#docs/addresses.ts";
import type { DocsEnv } from "#docs/env.ts";
import { respondWithText } from "#docs/respond.ts";
import { llmsFullTxt, llmsTxt } from "./llms-txt.ts";
import { serverCard } from "./server-card.ts";
import skill from "./SKILL.md";

const MAX_AGE_SECONDS = 300;

/**
 * Serves files that agents read before they have a credential. They are the same for everybody, and any origin may read
 * them.
 */
export const agentFiles = new Hono<DocsEnv>();

for (const path of [
  "/llms.txt",
  "/llms-full.txt",
  "/server.json",
  "/.well-known/mcp/*",
  "/.well-known/agent-skills/*",
]) {
  agentFiles.use(path, cors({ origin: "*", allowMethods: ["GET"] }), async (c, next) => {
    await next();
    c.header("Cache-Control", `public, max-age=${MAX_AGE_SECONDS}`);
    c.header("X-Content-Type-Options", "nosniff");
  });
}

agentFiles.get("/llms.txt", async (c) =>
  respondWithText(c, { body: llmsTxt(c.var.config, await c.var.readSite()), type: "text/plain" }),
);
agentFiles.get("/llms-full.txt", async (c) =>
  respondWithText(c, { body: llmsFullTxt(await c.var.readSite()), type: "text/plain" }),
);

for (const path of ["/server.json", "/.well-known/mcp/server-card.json"]) {
  agentFiles.get(path, (c) => c.json(serverCard(c.var.config)));
}

agentFiles.get("/.well-known/agent-skills/almanac/SKILL.md", (c) =>
  respondWithText(c, { body: fillAddresses(skill, c.var.config), type: "text/markdown" }),
);

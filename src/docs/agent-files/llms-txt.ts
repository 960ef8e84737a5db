import type { Config } from "#config.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { bySection } from "#docs/page.ts";
import type { DocsSite } from "#docs/site.ts";
import { toMarkdown } from "#docs/to-markdown.ts";

/** Makes `llms.txt`, a guide for programs without a session, in the form of https://llmstxt.org */
export function llmsTxt(config: Config, site: DocsSite): string {
  const { origin, baseUrl, authUrl, docsUrl, mcpUrl } = config;
  const platforms = PLATFORMS.filter((platform) => config.app(platform) !== null);
  const names = platforms.map((platform) => PLATFORM_NAMES[platform]).join(", ");
  return `# Almanac

> Schedules posts to social media (${names}). What was previewed and confirmed is exactly what gets published, once, on time.

Nothing is scheduled in one step: a preview shows what would be published and gives a token for 300 seconds, and confirming the token schedules exactly that. The credential of an agent may be one whose confirmations wait until a person approves them in the dashboard.

- Address of the MCP server (streamable HTTP, OAuth 2.1 or an API key): \`${mcpUrl}\`
- Address of the HTTP API (OAuth 2.1 or an API key): \`${baseUrl}\`

## For agents

- [Skill](${origin}/.well-known/agent-skills/almanac/SKILL.md): the two steps, times, errors, approvals, and a journey with curl
- [MCP server card](${origin}/.well-known/mcp/server-card.json): where the MCP server is

## For programs

- [OpenAPI 3.1 document](${baseUrl}/openapi.json): every operation, with examples and every error code
- [Authorization server](${authUrl}/.well-known/oauth-authorization-server): endpoints, registration and scopes of OAuth 2.1
- [The API as a protected resource](${new URL(baseUrl).origin}/.well-known/oauth-protected-resource${new URL(baseUrl).pathname})
- [The MCP server as a protected resource](${new URL(mcpUrl).origin}/.well-known/oauth-protected-resource/mcp)

## For people

- [What Almanac is](${origin}/)
- [Documentation](${docsUrl})
- [Sign in](${origin}/login): API keys, connected apps and how to connect are under AI & API

${listMarkdown(site)}
## Optional

- [Everything in one file](${origin}/llms-full.txt): all of the pages above
`;
}

/** Lists every page of the documentation by section, as links to Markdown. */
function listMarkdown({ pages, config: { docsUrl } }: DocsSite): string {
  return [...bySection(pages.slice(1))]
    .map(
      ([section, some]) =>
        `## ${section}\n\n${some.map(({ path, title, description }) => `- [${title}](${docsUrl}/${path}.md): ${description}\n`).join("")}`,
    )
    .join("\n");
}

export function llmsFullTxt(site: DocsSite): string {
  return site.pages.map((page) => toMarkdown(site, page)).join("\n---\n\n");
}

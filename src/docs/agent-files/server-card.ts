import type { Config } from "#config.ts";

/**
 * Describes the MCP server in the form of the MCP registry's server.json, and names no tools: what they are, an agent learns from the
 * server. The name is the address of this installation in reverse, because the registry gives a namespace to whoever owns a domain.
 */
export function serverCard({ origin, mcpUrl }: Config) {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: `${new URL(mcpUrl).hostname.split(".").toReversed().join(".")}/almanac`,
    title: "Almanac",
    description: "Schedules social media posts: every write is a preview that is confirmed exactly as shown.",
    version: "1.0.0",
    websiteUrl: origin,
    icons: [{ src: `${origin}/icon.svg`, mimeType: "image/svg+xml", sizes: ["any"] }],
    remotes: [{ type: "streamable-http", url: mcpUrl }],
  };
}

import type { Config } from "#config.ts";

/**
 * Describes the MCP server in the form of the MCP registry's server.json. It lists no tools, because the server itself
 * does. The name is the installation's host in reverse, because the registry gives a namespace to the owner of a
 * domain.
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

import type { Config } from "#config.ts";

/** The URLs of an installation that the documentation contains. */
export type Addresses = Pick<Config, "origin" | "baseUrl" | "authUrl" | "docsUrl" | "mcpUrl">;

/** The origin in the repository's documents, which readers there see. Served pages show the installation's own. */
const EXAMPLE_ORIGIN = "https://almanac.example.org";

/** Replaces placeholders such as `{base_url}`, and the example URLs, by the URLs of this installation. */
export function fillAddresses(text: string, { origin, baseUrl, authUrl, docsUrl, mcpUrl }: Addresses): string {
  return text
    .replaceAll("{base_url}", baseUrl)
    .replaceAll("{auth_url}", authUrl)
    .replaceAll("{docs_url}", docsUrl)
    .replaceAll("{mcp_url}", mcpUrl)
    .replaceAll(/\{origin\}/gi, origin)
    .replaceAll(`${EXAMPLE_ORIGIN}/v1`, baseUrl)
    .replaceAll(`${EXAMPLE_ORIGIN}/mcp`, mcpUrl)
    .replaceAll(`${EXAMPLE_ORIGIN}/docs`, docsUrl)
    .replaceAll(EXAMPLE_ORIGIN, origin);
}

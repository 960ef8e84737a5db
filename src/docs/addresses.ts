import type { Config } from "#config.ts";

/** The addresses of one installation, which the texts name. */
export type Addresses = Pick<Config, "origin" | "baseUrl" | "authUrl" | "docsUrl" | "mcpUrl">;

/** The address in the texts, where whoever reads the repository finds them. */
const EXAMPLE_ORIGIN = "https://almanac.example.org";

/** A text with the addresses of this installation: for `{base_url}` and its like, and for those of the example. */
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

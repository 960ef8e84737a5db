import type { Config } from "#config.ts";
import { refuseOAuth } from "./oauth-refusal.ts";

type ResourceUrls = Pick<Config, "baseUrl" | "mcpUrl">;

function normalizeUri(text: string): string | null {
  if (!URL.canParse(text) || text.includes("#")) {
    return null;
  }
  // The URL parser writes only scheme and host in lower case. The case of a path still matters.
  return new URL(text).href.replace(/\/$/, "");
}

/**
 * Finds which server the `resource` parameters name (RFC 8707), the API or the MCP server, in the spelling of the
 * configuration. Undefined without a parameter. Null if they name another server or both, because a token is for one
 * server.
 */
export function findResource(config: ResourceUrls, values: readonly string[]): string | null | undefined {
  const [first, ...others] = values.map(
    (value) => [config.baseUrl, config.mcpUrl].find((url) => normalizeUri(url) === normalizeUri(value)) ?? null,
  );
  return others.every((other) => other === first) ? first : null;
}

export function supportedResources(config: ResourceUrls): string {
  return `resource must be ${config.baseUrl} or ${config.mcpUrl}`;
}

/** Refuses a `resource` parameter that names another server than the grant. The client may omit the parameter. */
export function requireGrantedResource(
  config: ResourceUrls,
  values: readonly string[],
  grantedResource: string | null,
): void {
  const resource = findResource(config, values);
  if (resource === null) {
    refuseOAuth("invalid_target", supportedResources(config));
  }
  if (resource !== undefined && grantedResource !== null && resource !== grantedResource) {
    refuseOAuth("invalid_target", `the user granted access to ${grantedResource}`);
  }
}

import type { Config } from "#config.ts";
import { refuseOAuth } from "./oauth-refusal.ts";

function normalizeUri(text: string): string | null {
  if (!URL.canParse(text) || text.includes("#")) {
    return null;
  }
  // The parser lower-cases only scheme and host.
  return new URL(text).href.replace(/\/$/, "");
}

/** Whether every requested `resource` is this API (RFC 8707); the parameter may be omitted. */
export function isThisResource(config: Pick<Config, "baseUrl">, resources: readonly string[]): boolean {
  const baseUrl = normalizeUri(config.baseUrl);
  return resources.every((resource) => normalizeUri(resource) === baseUrl);
}

export function requireThisResource(config: Pick<Config, "baseUrl">, resources: readonly string[]): void {
  if (!isThisResource(config, resources)) {
    refuseOAuth("invalid_target", `the only supported resource is ${config.baseUrl}`);
  }
}

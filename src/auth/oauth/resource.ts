import type { Config } from "#config.ts";
import { refuseOAuth } from "./refusal.ts";

function normal(text: string): string | null {
  if (!URL.canParse(text) || text.includes("#")) {
    return null;
  }
  // The parser lower-cases scheme and host and nothing else.
  return new URL(text).href.replace(/\/$/, "");
}

/** Whether every `resource` a client named is ours (RFC 8707); naming none is fine. */
export function isOurResource(config: Pick<Config, "baseUrl">, named: readonly string[]): boolean {
  const ours = normal(config.baseUrl);
  return named.every((text) => normal(text) === ours);
}

export function requireOurResource(config: Pick<Config, "baseUrl">, named: readonly string[]): void {
  if (!isOurResource(config, named)) {
    refuseOAuth("invalid_target", `the only resource here is ${config.baseUrl}`);
  }
}

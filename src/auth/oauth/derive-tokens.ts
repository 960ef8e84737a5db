import { signFor } from "#core/derived-key.ts";
import type { Config } from "#config.ts";
import { generateSecret } from "#auth/secrets.ts";

/**
 * Computes the token pair that follows a refresh token. Every use within the grace period gets the same pair, although
 * only hashes are stored. Computing it takes the service's key, so the refresh token alone is not enough. Other scopes
 * give another access token.
 */
export async function deriveNextTokens(
  config: Pick<Config, "tokenKeys" | "tokenKeyId">,
  refreshToken: string,
  scopes: readonly string[],
): Promise<{ accessToken: string; refreshToken: string }> {
  const derive = (label: string) => signFor(config, "refresh rotation", `${label}\n${refreshToken}`);
  const access = await derive(`access ${scopes.join(" ")}`);
  const refresh = await derive("refresh");
  return {
    accessToken: generateSecret({ random: () => access }, "access_token"),
    refreshToken: generateSecret({ random: () => refresh }, "refresh_token"),
  };
}

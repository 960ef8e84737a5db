import { fromBase64 } from "#core/encoding.ts";
import type { Config } from "#config.ts";
import { generateSecret } from "#auth/secrets.ts";

const PURPOSE = new TextEncoder().encode("almanac refresh rotation v1");

/** Derives a key for this purpose only, so that its outputs reveal nothing about other uses of TOKEN_KEYS. */
async function rotationKey(config: Pick<Config, "tokenKeys" | "tokenKeyId">): Promise<CryptoKey> {
  const keys = JSON.parse(config.tokenKeys) as Readonly<Record<string, string>>;
  const material = keys[config.tokenKeyId];
  if (material === undefined) {
    throw new Error("TOKEN_KEY_ID names no key of TOKEN_KEYS");
  }
  const raw = await crypto.subtle.importKey("raw", fromBase64(material), "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: PURPOSE },
    raw,
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["sign"],
  );
}

/**
 * Computes the token pair that follows a refresh token. All uses within the grace period get the same pair, although only hashes are
 * stored. Nobody can compute it without the service's key, even with the refresh token. A refresh with other scopes gets another access
 * token.
 */
export async function deriveNextTokens(
  config: Pick<Config, "tokenKeys" | "tokenKeyId">,
  refreshToken: string,
  scopes: readonly string[],
): Promise<{ accessToken: string; refreshToken: string }> {
  const key = await rotationKey(config);
  const derive = async (label: string) =>
    new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${label}\n${refreshToken}`)));
  const access = await derive(`access ${scopes.join(" ")}`);
  const refresh = await derive("refresh");
  return {
    accessToken: generateSecret({ random: () => access }, "access_token"),
    refreshToken: generateSecret({ random: () => refresh }, "refresh_token"),
  };
}

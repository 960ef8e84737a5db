import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secrets.ts";
import { type Client, expireAccessToken, revokeGrantOfRefreshToken } from "./store.ts";

/**
 * Revokes an access token alone, or the whole grant of a refresh token. An unknown token, or one of another client,
 * changes nothing (RFC 7009).
 */
export async function revokeToken(
  services: Pick<Services, "db" | "clock">,
  client: Client,
  input: { token: string },
): Promise<void> {
  const kind = secretKind(input.token);
  if (kind === "access_token") {
    await expireAccessToken(services.db, await hashSecret(input.token), client.id, services.clock.now());
  } else if (kind === "refresh_token") {
    await revokeGrantOfRefreshToken(services.db, await hashSecret(input.token), client.id, services.clock.now());
  }
}

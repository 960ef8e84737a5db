import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secret-format.ts";
import { type Client, deleteAccessToken, revokeByRefresh } from "./store.ts";

/** An access token ends alone, a refresh token takes its grant along; unknown and foreign ones change nothing (RFC 7009). */
export async function revokeToken(
  services: Pick<Services, "db" | "clock">,
  client: Client,
  input: { token: string },
): Promise<void> {
  const kind = secretKind(input.token);
  if (kind === "access_token") {
    await deleteAccessToken(services.db, await hashSecret(input.token), client.id);
  } else if (kind === "refresh_token") {
    await revokeByRefresh(services.db, await hashSecret(input.token), client.id, services.clock.now());
  }
}

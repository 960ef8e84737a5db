import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { reach } from "./platform-client.ts";
import type { RefreshServices } from "./refresh-tokens.ts";
import { type ErasedLogin, eraseLogin } from "./store-disconnect.ts";
import { openTokens } from "./seal-tokens.ts";

/**
 * Ends a login no account uses any more: its tokens are erased here at once, and withdrawn at the platform after the
 * answer, best effort. Does nothing while an account still uses it, so it may be called after every disconnect.
 */
export async function revokeConnection(
  services: RefreshServices & Pick<Services, "defer">,
  connectionId: string,
): Promise<void> {
  const erased = await eraseLogin(services.db, connectionId);
  // A withdrawn grant ends every login of that person with this app, those of other workspaces too.
  if (erased && erased.siblings === 0) {
    services.defer(withdraw(services, erased));
  }
}

async function withdraw(services: RefreshServices, erased: ErasedLogin): Promise<void> {
  const way = reach(services, erased.platform);
  const { revoke } = way?.adapter.connect ?? {};
  const tokens = await openTokens(services, {
    id: erased.id,
    sealedTokens: erased.sealed_tokens,
    tokenExpiresAt: erased.token_expires_at,
  });
  if (!way || !revoke || !tokens) {
    return;
  }
  try {
    await revoke(way.client, way.app, tokens);
    log("info", "login_revoked", { connection_id: erased.id, platform: erased.platform });
  } catch {
    log("warn", "login_revoke_failed", { connection_id: erased.id, platform: erased.platform });
  }
}

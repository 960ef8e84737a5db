import { log } from "#core/log.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { Services } from "#context.ts";
import { clientForLogin, configuredPlatform } from "#accounts/configured-platform.ts";
import type { RefreshServices } from "#accounts/tokens/refresh-tokens.ts";
import { type ErasedLogin, eraseLogin } from "./store-disconnect.ts";
import { unsealTokens } from "#accounts/tokens/seal-tokens.ts";

/**
 * Ends a login that no connected account uses. Its tokens are erased at once; the platform is asked to revoke them
 * after the response. Does nothing while an account still uses the login, so callers may run it after every disconnect.
 */
export async function revokeConnection(
  services: RefreshServices & Pick<Services, "defer">,
  connection: { readonly id: string; readonly platform: Platform },
): Promise<void> {
  const erased = await eraseLogin(services.db, connection.id, platformsOfSameApp(services, connection.platform));
  // Revoking a grant ends every login that shares it, also in other workspaces and at other platforms. So revoke it
  // only for the last login.
  if (erased && erased.otherLogins === 0) {
    services.defer(revokeAtPlatform(services, erased));
  }
}

/** Other platforms for which the operator entered the same client id. A person's logins there may share one grant. */
function platformsOfSameApp({ config }: Pick<Services, "config">, platform: Platform): readonly Platform[] {
  const clientId = config.app(platform)?.clientId ?? "";
  return clientId === ""
    ? []
    : PLATFORMS.filter((other) => other !== platform && config.app(other)?.clientId === clientId);
}

async function revokeAtPlatform(services: RefreshServices, erased: ErasedLogin): Promise<void> {
  const platform = configuredPlatform(services, erased.platform);
  const { revoke } = platform?.adapter.connect ?? {};
  const tokens = await unsealTokens(services, {
    id: erased.id,
    sealedTokens: erased.sealed_tokens,
    tokenExpiresAt: erased.token_expires_at,
  });
  if (!platform || !revoke || !tokens) {
    return;
  }
  try {
    await revoke(clientForLogin(services, platform.adapter, tokens), platform.app, tokens);
    log("info", "login_revoked", { connection_id: erased.id, platform: erased.platform });
  } catch {
    log("warn", "login_revoke_failed", { connection_id: erased.id, platform: erased.platform });
  }
}

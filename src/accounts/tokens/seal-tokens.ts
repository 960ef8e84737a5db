import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import type { Fault, TokenSet } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { SealingError, seal, unseal } from "#core/aes-gcm.ts";
import type { ConnectionRow } from "#accounts/store-connections.ts";
import type { StoredTokens } from "#accounts/refresh-and-sync-times.ts";

type WithConfig = Pick<Services, "config">;

/** Encrypts tokens for the id of their connection, so that they cannot be decrypted in the row of another one. */
export async function sealTokens(
  services: WithConfig & Pick<Services, "ids">,
  connectionId: string,
  tokens: TokenSet,
  obtainedAt: number,
): Promise<string> {
  const stored: StoredTokens = { ...tokens, obtainedAt };
  return await seal(services.config, services.ids, connectionId, JSON.stringify(stored));
}

/**
 * Decrypts stored tokens. Null if they were erased or cannot be decrypted; the log then tells the operator, who alone
 * can solve it.
 */
export async function unsealTokens(
  services: WithConfig,
  row: Pick<ConnectionRow, "id" | "sealedTokens" | "tokenExpiresAt">,
): Promise<StoredTokens | null> {
  const text = row.sealedTokens === null ? null : await unsealOrNull(services, row.id, row.id, row.sealedTokens);
  // Take the expiry from the column, because a token that a platform refused is marked as expired only there.
  return text === null ? null : { ...(JSON.parse(text) as StoredTokens), expiresAt: row.tokenExpiresAt };
}

/** The purpose for encrypting a token that belongs to one account: the connection and the account. */
const accountPurpose = (connectionId: string, platformAccountId: string) => `${connectionId}/${platformAccountId}`;

export async function sealAccountToken(
  services: WithConfig & Pick<Services, "ids">,
  connectionId: string,
  platformAccountId: string,
  token: string,
): Promise<string> {
  return await seal(services.config, services.ids, accountPurpose(connectionId, platformAccountId), token);
}

export async function unsealAccountToken(
  services: WithConfig,
  connectionId: string,
  platformAccountId: string,
  sealed: string,
): Promise<string | null> {
  return await unsealOrNull(services, connectionId, accountPurpose(connectionId, platformAccountId), sealed);
}

async function unsealOrNull(
  services: WithConfig,
  connectionId: string,
  purpose: string,
  sealed: string,
): Promise<string | null> {
  try {
    return await unseal(services.config, purpose, sealed);
  } catch (error) {
    if (!(error instanceof SealingError)) {
      throw error;
    }
    log("error", "token_unreadable", { connection_id: connectionId, reason: error.code });
    return null;
  }
}

/**
 * The fault for tokens that cannot be decrypted. It is temporary, because the operator may restore the key; the user
 * can do nothing.
 */
export function tokenUnreadable(): Fault {
  return temporary(
    "The stored login could not be decrypted. The operator of this service must check its keys.",
    { httpStatus: null },
    { code: "token_unreadable", category: "internal", whoMustAct: "operator" },
  );
}

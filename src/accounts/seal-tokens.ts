import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import type { Fault, TokenSet } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { SealingError, seal, unseal } from "./encryption.ts";
import type { ConnectionRow } from "./store-connections.ts";
import type { StoredTokens } from "./token-expiry.ts";

type Keys = Pick<Services, "config">;

/** The tokens of a login are sealed for its connection. */
export async function sealTokens(
  services: Keys & Pick<Services, "ids">,
  connectionId: string,
  tokens: TokenSet,
  obtainedAt: number,
): Promise<string> {
  const stored: StoredTokens = { ...tokens, obtainedAt };
  return await seal(services.config, services.ids, connectionId, JSON.stringify(stored));
}

/** Null when they were erased or cannot be opened; the latter is the operator's trouble and stands in the log. */
export async function openTokens(
  services: Keys,
  row: Pick<ConnectionRow, "id" | "sealedTokens" | "tokenExpiresAt">,
): Promise<StoredTokens | null> {
  const text = row.sealedTokens === null ? null : await open(services, row.id, row.id, row.sealedTokens);
  // The column is the truth about expiry: a refused token is made to expire there.
  return text === null ? null : { ...(JSON.parse(text) as StoredTokens), expiresAt: row.tokenExpiresAt };
}

/** The token of one account alone is sealed for its connection and itself. */
const accountPurpose = (connectionId: string, platformAccountId: string) => `${connectionId}/${platformAccountId}`;

export async function sealAccountToken(
  services: Keys & Pick<Services, "ids">,
  connectionId: string,
  platformAccountId: string,
  token: string,
): Promise<string> {
  return await seal(services.config, services.ids, accountPurpose(connectionId, platformAccountId), token);
}

export async function openAccountToken(
  services: Keys,
  connectionId: string,
  platformAccountId: string,
  sealed: string,
): Promise<string | null> {
  return await open(services, connectionId, accountPurpose(connectionId, platformAccountId), sealed);
}

async function open(services: Keys, connectionId: string, purpose: string, sealed: string): Promise<string | null> {
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

/** Not the person's fault and not for ever: the operator may bring the key back. */
export function unreadable(): Fault {
  return temporary(
    "The stored login could not be opened. The operator of this service must look at its keys.",
    { httpStatus: null },
    { code: "token_unreadable", category: "internal", whoMustAct: "operator" },
  );
}

export function notConfigured(): Fault {
  return temporary(
    "The operator of this service has not set up this platform.",
    { httpStatus: null },
    { code: "platform_not_configured", category: "internal", whoMustAct: "operator" },
  );
}

import type { Platform } from "#core/platform.ts";
import type { Health } from "#metrics/index.ts";
import type { ApiVersion, CredentialCheck, ReviewLevel } from "#platforms/contract.ts";

/*
 * The facts about the service for its operator: counts, names, ids of keys and shapes, never a secret. Only the operator's commands of the
 * same version read this form, so any version may change it.
 */

/** One key of TOKEN_KEYS without the key itself. */
export interface KeyFact {
  readonly id: string;
  /** Whether the key is 32 bytes in base64. */
  readonly isRight: boolean;
}

interface TokenKeyFacts {
  /** Whether TOKEN_KEYS is a JSON object; otherwise `keys` is empty. */
  readonly isJson: boolean;
  readonly keys: readonly KeyFact[];
  /** The value of TOKEN_KEY_ID. */
  readonly sealingId: string;
  /** How many texts in the database each key seals, also keys that are no longer configured. */
  readonly sealed: readonly { readonly id: string; readonly rows: number }[];
}

export interface PlatformFacts {
  readonly platform: Platform;
  /** Whether the operator registers an app at the platform; otherwise the service registers itself at each server. */
  readonly needsApp: boolean;
  /** `half`: one of the two credentials is missing. */
  readonly state: "configured" | "half" | "not_configured";
  /** Names of the variables that are missing. */
  readonly missing: readonly string[];
  readonly shapeProblems: readonly string[];
  /** The redirect URI that the app's settings at the platform must contain. */
  readonly redirectUri: string;
  /** The scopes that a login requests; null where each server has its own. */
  readonly scopes: readonly string[] | null;
  /** Listed scopes that no option needs. */
  readonly unusedScopes: readonly string[];
  /** Options that are refused, because the scopes that they need are not listed. */
  readonly unavailableOptions: readonly string[];
  readonly review: ReviewLevel;
  readonly apiVersion: ApiVersion | null;
  /** How many accounts of all users are connected. */
  readonly accounts: number;
}

export interface Facts {
  readonly version: string;
  readonly origin: string;
  /** Whether the platforms are simulated on this machine. */
  readonly isSimulated: boolean;
  /** The service's clock, in milliseconds. */
  readonly now: number;
  readonly tokenKeys: TokenKeyFacts;
  readonly health: Health;
  /** Names of the applied migrations; null if their table cannot be read. */
  readonly migrations: readonly string[] | null;
  /** When the cron last ran, in milliseconds; 0 if never, null if the database does not answer. */
  readonly cronRanAt: number | null;
  readonly mail: { readonly isBound: boolean; readonly from: string | null };
  readonly operator: { readonly hasName: boolean; readonly hasContact: boolean };
  /** Names of the verification files; null if the setting is not a JSON object. */
  readonly verificationFiles: readonly string[] | null;
  readonly signUp: {
    readonly mode: "first" | "open" | "closed";
    readonly lacksCode: boolean;
    readonly hasUsers: boolean;
  };
  readonly platforms: readonly PlatformFacts[];
}

/** A platform's answer to the operator's credentials. */
export interface PlatformCheck extends CredentialCheck {
  readonly platform: Platform;
}

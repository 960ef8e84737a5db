import type { Platform } from "#core/platform.ts";
import type { Health } from "#metrics/index.ts";
import type { ApiVersion, CredentialCheck, ReviewLevel } from "#platforms/contract.ts";

/* The facts about the service that its operator can read: counts, names, ids of keys and forms of values, never a
   secret. Only the operator's commands of the same release read them, so any release may change this form. */

/** One key of TOKEN_KEYS, without the key itself. */
export interface KeyFact {
  readonly id: string;
  /** Whether the key is 32 bytes in base64, as required. */
  readonly isRight: boolean;
}

interface TokenKeyFacts {
  /** Whether TOKEN_KEYS is a JSON object. If not, `keys` is empty. */
  readonly isJson: boolean;
  readonly keys: readonly KeyFact[];
  /** The value of TOKEN_KEY_ID: which key encrypts. */
  readonly sealingId: string;
  /** How many texts in the database each key has encrypted, including keys that are no longer configured. */
  readonly sealed: readonly { readonly id: string; readonly rows: number }[];
}

export interface PlatformFacts {
  readonly platform: Platform;
  /** Whether the operator must register an app at the platform. If not, the service registers itself at each server. */
  readonly needsApp: boolean;
  /** Whether the platform's credentials are set. `half`: one of the two is missing. */
  readonly state: "configured" | "half" | "not_configured";
  /** The names of the variables that are missing for the platform. */
  readonly missing: readonly string[];
  readonly shapeProblems: readonly string[];
  /** The redirect URI that the app's settings at the platform must contain. */
  readonly redirectUri: string;
  /** The scopes that a login requests. Null if each server of the platform has its own. */
  readonly scopes: readonly string[] | null;
  /** Scopes in the operator's settings that no option needs. */
  readonly unusedScopes: readonly string[];
  /** Options that are refused, because the operator's settings do not list the scopes that they need. */
  readonly unavailableOptions: readonly string[];
  readonly review: ReviewLevel;
  readonly apiVersion: ApiVersion | null;
  /** How many accounts of all users are connected. */
  readonly accounts: number;
}

export interface Facts {
  readonly version: string;
  readonly origin: string;
  /** Whether simulators play the platforms on this machine. */
  readonly isSimulated: boolean;
  /** The present time by the service's clock (ms). */
  readonly now: number;
  readonly tokenKeys: TokenKeyFacts;
  readonly health: Health;
  /** The names of the applied migrations. Null if their table cannot be read. */
  readonly migrations: readonly string[] | null;
  /** When (ms) the cron last ran. 0 if never; null if the database does not answer. */
  readonly cronRanAt: number | null;
  readonly mail: { readonly isBound: boolean; readonly from: string | null };
  readonly operator: { readonly hasName: boolean; readonly hasContact: boolean };
  /** The names of the files that prove to platforms who owns this host. Null if the setting is not a JSON object. */
  readonly verificationFiles: readonly string[] | null;
  readonly signUp: {
    readonly mode: "first" | "open" | "closed";
    readonly lacksCode: boolean;
    readonly hasUsers: boolean;
  };
  readonly platforms: readonly PlatformFacts[];
}

/** What a platform answered to the operator's credentials. */
export interface PlatformCheck extends CredentialCheck {
  readonly platform: Platform;
}

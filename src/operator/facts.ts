import type { Platform } from "#core/platform.ts";
import type { Health } from "#metrics/index.ts";
import type { ApiVersion, CredentialCheck, ReviewLevel } from "#platforms/contract.ts";

/*
 * What the service tells its operator about itself: counts, names, ids of keys and shapes, never a secret. The form belongs to
 * the operator's commands of the same version and can change with each.
 */

/** One key of TOKEN_KEYS, without the key. */
export interface KeyFact {
  readonly id: string;
  /** Whether it is 32 bytes in base64. */
  readonly isRight: boolean;
}

/** The keys that seal logins. */
interface TokenKeyFacts {
  /** Whether TOKEN_KEYS is a JSON object; without one there are no `keys`. */
  readonly isJson: boolean;
  readonly keys: readonly KeyFact[];
  /** TOKEN_KEY_ID. */
  readonly sealingId: string;
  /** How many texts in the database each key seals, keys that are not there any more included. */
  readonly sealed: readonly { readonly id: string; readonly rows: number }[];
}

/** One platform as the operator has set it up. */
export interface PlatformFacts {
  readonly platform: Platform;
  /** Whether the operator registers an app there; elsewhere each server is asked for its own. */
  readonly needsApp: boolean;
  /** `half`: one of the two credentials is missing. */
  readonly state: "configured" | "half" | "not_configured";
  /** Names of the variables that are missing. */
  readonly missing: readonly string[];
  readonly shapeProblems: readonly string[];
  /** What has to stand in the app's settings at the platform. */
  readonly redirectUri: string;
  /** What a login asks for; null where each server is asked for its own. */
  readonly scopes: readonly string[] | null;
  /** Listed rights that no option needs. */
  readonly unusedScopes: readonly string[];
  /** Options that are refused, because the rights that they need are not listed. */
  readonly unavailableOptions: readonly string[];
  readonly review: ReviewLevel;
  readonly apiVersion: ApiVersion | null;
  /** Connected accounts of all users. */
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
  /** Names of the applied migrations; null where the table that lists them cannot be read. */
  readonly migrations: readonly string[] | null;
  /** When the cron last ran, in milliseconds; 0 when never, null when the database does not answer. */
  readonly cronRanAt: number | null;
  readonly mail: { readonly isBound: boolean; readonly from: string | null };
  readonly operator: { readonly hasName: boolean; readonly hasContact: boolean };
  /** Names of the verification files; null where the setting is no JSON object. */
  readonly verificationFiles: readonly string[] | null;
  readonly signUp: {
    readonly mode: "first" | "open" | "closed";
    readonly lacksCode: boolean;
    readonly hasUsers: boolean;
  };
  readonly platforms: readonly PlatformFacts[];
}

/** What one platform said of the operator's credentials. */
export interface PlatformCheck extends CredentialCheck {
  readonly platform: Platform;
}

import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, Fault, FaultCode, JobMedia, MediaDescription, TokenSet } from "#platforms/contract.ts";
import { SECRETS } from "./adapter-inputs.ts";
import type { ScriptedResponse } from "./scripted-http-client.ts";

/*
 * What the contract tests need to know of one platform. Each platform's own is test/platforms/<name>/sample.ts, found by its
 * path, so that a new platform joins every suite without an edit elsewhere.
 */

/** The platform's answer when it refuses, and the fault that it must become. */
interface Refusal {
  readonly name: string;
  /** In the order of the requests; the last one answers every further request. */
  readonly responses: readonly [ScriptedResponse, ...ScriptedResponse[]];
  readonly fault: Pick<Fault<FaultCode>, "kind" | "code">;
}

/** One function of a connector with the platform's answers to it. */
export interface ScriptedOperation {
  /** The answers that lead to success, one for each request in its order. */
  readonly responses: readonly [ScriptedResponse, ...ScriptedResponse[]];
  /** Requests (indexes in `responses`) whose failure is ignored, with the reason. */
  readonly optionalRequests?: Readonly<Record<number, string>>;
  /** Requests without whose answer the accounts are listed as partial, with the reason. */
  readonly partialRequests?: Readonly<Record<number, string>>;
  readonly refusals: readonly [Refusal, ...Refusal[]];
}

export interface OAuthSample {
  readonly kind: "oauth";
  /** Values of the method's input fields. */
  readonly input: Readonly<Record<string, string>>;
  /** Null: starting sends no request. */
  readonly start: ScriptedOperation | null;
  /** The query of the callback after a consent. */
  readonly params: Readonly<Record<string, string>>;
  readonly exchangeCode: ScriptedOperation;
}

interface CredentialsSample {
  readonly kind: "credentials";
  /** Values of the method's fields. */
  readonly values: Readonly<Record<string, string>>;
  readonly signIn: ScriptedOperation;
}

type MethodSample = OAuthSample | CredentialsSample;

export interface ConnectSample {
  /** One for each of the connector's methods, in its order. */
  readonly methods: readonly [MethodSample, ...MethodSample[]];
  /** The tokens of a login; its secrets are `SECRETS`. */
  readonly tokens: TokenSet;
  readonly listAccounts: ScriptedOperation;
  /** Null where tokens are not refreshed. Its first refusal is that of an ended grant. */
  readonly refresh: ScriptedOperation | null;
  /** The answers to the calls that revoke a login; null where the platform has no such call. */
  readonly revoke: {
    readonly responses: readonly [ScriptedResponse, ...ScriptedResponse[]];
    /** A login that the platform can revoke, where that is not every one. */
    readonly tokens?: Partial<TokenSet>;
  } | null;
}

export interface LimitedAccount {
  readonly name: string;
  readonly capabilities?: JsonObject;
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PlatformSample {
  /** Kinds of posts whose calls are recorded beside those that every platform is tried with. */
  readonly furtherKinds?: readonly {
    readonly title: string;
    readonly files: readonly string[];
    readonly options: JsonObject;
  }[];
  /** The smallest post that the platform accepts. */
  readonly post: {
    readonly media: readonly MediaDescription[];
    /** The same media as sandbox files, for steps that need the simulator. */
    readonly files: readonly string[];
    readonly options: JsonObject;
    readonly capabilities?: JsonObject;
    /** What the operator states beside the credentials, where the post needs it. */
    readonly settings?: Readonly<Record<string, string>>;
    /** Accounts whose limits are not those of the platform. */
    readonly otherLimits?: readonly LimitedAccount[];
    /** Members of the account that the adapter cannot do without. */
    readonly account?: Partial<AccountAccess>;
  };
  readonly connect: ConnectSample;
  /** What the recorded calls show beyond the first account of an app without settings. */
  readonly recorded?: {
    /** The operator's settings of the platform, without its prefix. */
    readonly settings: Readonly<Record<string, string>>;
    /** How many of the login's accounts post. */
    readonly accounts: number;
    /** A video that the platform accepts, where the sandbox's own is too small. */
    readonly video?: () => Promise<JobMedia>;
  };
  /** Logins of another kind that the operator's settings choose; their calls are recorded in files of their own. */
  readonly otherLogins?: readonly {
    /** Follows the platform's name in the name of the file. */
    readonly file: string;
    /** Follows the platform's name in the title. */
    readonly title: string;
    /** The operator's settings of the platform, without its prefix. */
    readonly settings: Readonly<Record<string, string>>;
  }[];
}

export const TEXT_POST = { media: [], files: [], options: {} } as const satisfies PlatformSample["post"];

/** A token set that expires at `expiresAt`, with secrets that must not show in any result. */
export function secretTokens(overrides: Partial<TokenSet> = {}): TokenSet {
  return {
    accessToken: SECRETS[0],
    refreshToken: SECRETS[1],
    expiresAt: Date.parse("2030-01-01T12:00:00Z"),
    refreshExpiresAt: null,
    scopes: [],
    ...overrides,
  };
}

/** A token endpoint's success of RFC 6749. */
export const tokenResponse = (members: JsonObject = {}): ScriptedResponse => ({
  json: { access_token: "new-access-token", token_type: "bearer", expires_in: 7200, ...members },
});

/** A token endpoint's refusal of RFC 6749. */
export const tokenRefusal = (error: string, status = 400): ScriptedResponse => ({
  status,
  json: { error, error_description: "not accepted" },
});

export const graphRefusal = (code: number, status = 400): ScriptedResponse => ({
  status,
  json: { error: { message: "Not accepted", type: "OAuthException", code } },
});

/** The faults that most refusals become. */
export const LOGIN_ENDED = { kind: "reconnect", code: "auth_expired" } as const;
export const APP_MISCONFIGURED = { kind: "temporary", code: "app_misconfigured" } as const;

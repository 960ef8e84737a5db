import type { JsonObject } from "#core/json.ts";
import type { AppCredentials, PlatformClient } from "./client.ts";
import type { FaultCode, Result } from "./fault.ts";

/*
 * The part of the adapter contract that is about logins: how a user connects, which accounts a login has, and how its tokens
 * are refreshed. Times are milliseconds since 1970 (UTC) unless a name ends in `Seconds`.
 */

/** The tokens of one login; encrypted as JSON at rest. */
export interface TokenSet {
  /** Sent with every call on behalf of the login. */
  readonly accessToken: string;
  /** Null where the platform gives none. */
  readonly refreshToken: string | null;
  /** When the access token expires; null when it does not expire by itself. */
  readonly expiresAt: number | null;
  /** When the refresh token expires; null when unknown or never. */
  readonly refreshExpiresAt: number | null;
  /** The scopes that were granted, which may be fewer than were requested. */
  readonly scopes: readonly string[];
  /** Anything else that the adapter needs later (a region, the login variant, a proof key); reaches every call as `AccountAccess.extra`. */
  readonly extra?: JsonObject;
  /** Hosts that this login fixed for itself (its server); its calls may go there beside `Adapter.hosts`. Absent: none. */
  readonly hosts?: readonly string[];
}

/** One platform user's consent. */
export interface Login {
  /** The platform's id of the user who logged in, as text; the same for every login of that user. */
  readonly externalId: string;
  /**
   * The platform's id of the person whose grant the tokens belong to, where several logins share one: `revoke` is called with
   * the last of them. Null or absent: every login has a grant of its own.
   */
  readonly grantOwner?: string | null;
  /** A name to show; the id where the platform gives no name. */
  readonly displayName: string;
  /** The long-lived tokens, where the platform distinguishes. */
  readonly tokens: TokenSet;
}

/** How a login ended: only logins have the codes of `LoginErrorCode`. */
export type LoginResult = Result<Login, FaultCode>;

/** A profile, page or channel that the login can post to. */
export interface PostableAccount {
  /** The platform's id as text; unique within the platform and stable over logins. */
  readonly platformAccountId: string;
  /** The handle without `@`; the display name where the platform has no handles. */
  readonly username: string;
  /** A name to show. */
  readonly displayName: string;
  /** HTTPS; may expire. */
  readonly avatarUrl: string | null;
  /** HTTPS address of the public profile. */
  readonly profileUrl: string | null;
  /** Scopes that posting needs and the user did not grant; empty means that the account can be used. */
  readonly missingScopes: readonly string[];
  /** What this account may do, in members that the adapter defines; passed back to `validate` and to every step. */
  readonly capabilities: JsonObject;
  /** The account's own token (a Page token); null where the login's access token is used. */
  readonly token: string | null;
}

/** An account of the login that cannot be posted to. */
export interface UnpostableAccount {
  /** The platform's id as text. */
  readonly platformAccountId: string;
  /** A name to show. */
  readonly displayName: string;
  /** One sentence for the user that says why. */
  readonly reason: string;
}

/** One value that a user enters before or while connecting; documented in `GET /platforms` and requested by our page. */
export interface ConnectField {
  /** Stable, snake_case: `server`, `handle`, `app_password`. */
  readonly name: string;
  /** The label on the page. */
  readonly label: string;
  /** One sentence: what to enter. */
  readonly description: string;
  /** A password: entered on our page only, never accepted by the API, never in a URL, a log or a response. */
  readonly isSecret: boolean;
  /** A method is not started without it. */
  readonly isRequired: boolean;
  /** In characters, after trimming. */
  readonly maxLength: number;
  /** A value as a user would enter it. */
  readonly example: string;
  /** What was entered for a connected account, as far as the account tells it; fills the field in when it is connected again. */
  readonly valueOfAccount?: (account: { readonly username: string; readonly profileUrl: string | null }) => string;
}

/**
 * App credentials that individual servers issued to this service, one registration per server; encrypted at rest and never
 * expired by us, because servers limit registrations.
 */
export interface AppRegistrations {
  /** The stored registration of a server, by its host name; null when there is none. */
  find(server: string): Promise<JsonObject | null>;
  /** Stores a registration unless the server has one, and returns the stored one: of two concurrent callers both get the first. */
  keep(server: string, registration: JsonObject): Promise<JsonObject>;
  /** Removes a registration that the server no longer accepts; repeatable. */
  forget(server: string): Promise<void>;
}

/** What this service is to the platform, the same for every login. */
export interface ClientIdentity {
  /** Origin of this service, without a slash at the end. */
  readonly origin: string;
  /** The callback address; the code exchange must send the same as the start. */
  readonly redirectUri: string;
  /** The URL at which `OAuthMethod.clientMetadata` is served. */
  readonly clientMetadataUrl: string;
}

/** One start of a browser login. */
export interface StartRequest extends ClientIdentity {
  /** Returned unchanged in the callback; protects against forged callbacks. */
  readonly state: string;
  /** PKCE verifier, base64url; passed to `exchangeCode` again. */
  readonly codeVerifier: string;
  /** S256 challenge of the verifier, base64url; used where the platform supports PKCE. */
  readonly codeChallenge: string;
  /** The values of the method's `input`, trimmed; contains every required one. */
  readonly input: Readonly<Record<string, string>>;
  /** For platforms with one registration per server; unused by the others. */
  readonly registrations: AppRegistrations;
  /** The current time. */
  readonly now: number;
}

/** A browser login that was started and waits for its callback. */
export interface StartedLogin {
  /** The URL to which the user's browser is sent; contains no secret. */
  readonly url: URL;
  /** What `exchangeCode` needs again; encrypted at rest, deleted with the login's state. */
  readonly state: JsonObject;
}

/** The data of one callback. */
export interface CodeExchange extends ClientIdentity {
  /** Every query parameter of the callback; contains `error` instead of `code` when the user cancelled. */
  readonly params: Readonly<Record<string, string>>;
  /** The PKCE verifier that belongs to `codeChallenge`. */
  readonly codeVerifier: string;
  /** `StartedLogin.state`. */
  readonly started: JsonObject;
  /** As in `StartRequest`. */
  readonly registrations: AppRegistrations;
  /** The current time, for expiry times. */
  readonly now: number;
}

/** A login in the browser at the platform. */
export interface OAuthMethod {
  /** Distinguishes the methods. */
  readonly kind: "oauth";
  /** What must be known before the login can start; empty for platforms with one server. No field is secret. */
  readonly input: readonly ConnectField[];
  /**
   * Starts the login; may send requests (a pushed authorization request, an app registration). Repeatable for the same state:
   * the last result counts. A refusal is a fault whose message is a sentence for the user.
   */
  start(client: PlatformClient, app: AppCredentials, request: StartRequest): Promise<Result<StartedLogin, FaultCode>>;
  /**
   * Exchanges the code, also for a long-lived token where the platform has one. Called inside the callback request, because
   * some codes are valid for 30 seconds only. A code works once: a repeated call is a fault. A cancelled login is the fault `login_cancelled`.
   */
  exchangeCode(client: PlatformClient, app: AppCredentials, exchange: CodeExchange): Promise<LoginResult>;
  /** The public document that describes this service to the platform; null where the platform knows apps by registration. */
  readonly clientMetadata: ((app: AppCredentials, identity: ClientIdentity) => JsonObject) | null;
}

/** A login with values entered on our own page (an app password). */
export interface CredentialsMethod {
  /** Distinguishes the methods. */
  readonly kind: "credentials";
  /** What the user enters; at least one field. */
  readonly fields: readonly [ConnectField, ...ConnectField[]];
  /** Exchanges the values for tokens; the values are not stored. Wrong values are a fault of kind `rejected`, code `login_refused`. */
  signIn(
    client: PlatformClient,
    app: AppCredentials,
    values: Readonly<Record<string, string>>,
    now: number,
  ): Promise<LoginResult>;
}

/** One way to connect. */
export type ConnectMethod = OAuthMethod | CredentialsMethod;

/** Whether and how tokens are refreshed. */
export type TokenRefresh =
  /** Tokens do not expire, or need a new login when they do. */
  | { readonly kind: "none" }
  | {
      readonly kind: "refresh";
      /** How long before its expiry a token is refreshed, in milliseconds. */
      readonly aheadMs: number;
      /** Whether this token set can be refreshed (some apps get no refresh token). */
      canRefresh(tokens: TokenSet): boolean;
      /**
       * Returns a new token set, which replaces the old one as a whole. `reconnect`: the platform said that the grant has
       * ended. `temporary`: the platform did not answer. Some refresh tokens work once, so callers guarantee one call at a
       * time per connection.
       */
      refresh(client: PlatformClient, app: AppCredentials, tokens: TokenSet, now: number): Promise<Result<TokenSet>>;
    };

/** What a platform says about a person who removed the app or asks for the deletion of data. */
export interface SignedRequest {
  /** The platform's id of the person, as `externalId` of a login, or of the account that logged in. */
  readonly externalId: string;
  /** When the platform signed it; a login that is newer is not meant. */
  readonly issuedAt: number;
}

/** Login, tokens and accounts of one platform. Nothing here publishes. */
export interface Connector {
  /** The ways to connect; the first one is offered first. */
  readonly methods: readonly [ConnectMethod, ...ConnectMethod[]];
  /** One sentence about which accounts of a login are connected, where the platform lets the person choose them. */
  readonly choiceOfAccounts?: (app: AppCredentials) => string | null;
  /** Every account of the login at this time, all list pages; a list that cannot be read is a fault. Repeatable. */
  listAccounts(
    client: PlatformClient,
    app: AppCredentials,
    tokens: TokenSet,
  ): Promise<Result<{ accounts: readonly PostableAccount[]; unpostable: readonly UnpostableAccount[] }>>;
  /** The same for every login of the platform; `canRefresh` decides for one token set. */
  readonly tokenRefresh: TokenRefresh;
  /** Withdraws the whole grant at the platform. Never throws and never reports a failure. Null where the platform has no such call. */
  readonly revoke: ((client: PlatformClient, app: AppCredentials, tokens: TokenSet) => Promise<void>) | null;
  /**
   * Reads a call by which the platform says that a person removed the app or asks for the deletion of data; null when it is
   * not signed with the app's secret. Absent where the platform makes no such calls.
   */
  readonly readSignedRequest?: (app: AppCredentials, signedRequest: string) => Promise<SignedRequest | null>;
}

/** What `connect.ts` of a platform with a login in the browser implements of the contract. */
export type ConnectCalls = Pick<OAuthMethod, "start" | "exchangeCode"> &
  Pick<Connector, "listAccounts"> & {
    readonly refresh?: Extract<TokenRefresh, { kind: "refresh" }>["refresh"];
    readonly revoke?: NonNullable<Connector["revoke"]>;
  };

import type { JsonObject } from "#core/json.ts";
import type { AppCredentials, PlatformClient } from "./client.ts";
import type { FaultCode, Result } from "./fault.ts";

/*
 * Logins: how a user connects, which accounts a login has, and how the service refreshes its tokens. Times are milliseconds
 * since 1970 (UTC) unless a name ends in `Seconds`.
 */

/** The tokens of one login. The database holds them as encrypted JSON. */
export interface TokenSet {
  /** Every call on behalf of the login sends it. */
  readonly accessToken: string;
  /** Null where the platform issues none. */
  readonly refreshToken: string | null;
  /** When the access token expires; null when it does not expire by itself. */
  readonly expiresAt: number | null;
  /** When the refresh token expires; null when unknown or never. */
  readonly refreshExpiresAt: number | null;
  /** The scopes that the user granted; may be fewer than the login requested. */
  readonly scopes: readonly string[];
  /** Anything else that later calls need (a region, the login variant, a proof key). Every call gets it as `AccountAccess.extra`. */
  readonly extra?: JsonObject;
  /** Hosts that belong to this login alone (its server). Its calls may go there beside `Adapter.hosts`. Absent: none. */
  readonly hosts?: readonly string[];
}

/** One platform user's consent. */
export interface Login {
  /** The platform's id of the user who logged in, as text; every login of that user has the same. */
  readonly externalId: string;
  /**
   * The platform's id of the person whose grant the tokens belong to, where several logins share one grant. The service
   * calls `revoke` only with the last of them. Null or absent: every login has its own grant.
   */
  readonly grantOwner?: string | null;
  /** A name to show; the id where the platform names nobody. */
  readonly displayName: string;
  /** The long-lived tokens, where the platform also issues short-lived ones. */
  readonly tokens: TokenSet;
}

/** How a login ended. Only logins have the codes of `LoginErrorCode`. */
export type LoginResult = Result<Login, FaultCode>;

/** A profile, page or channel to which the login can post. */
export interface PostableAccount {
  /** The platform's id as text; unique within the platform and the same in every login. */
  readonly platformAccountId: string;
  /** The handle without `@`; the display name where the platform has no handles. */
  readonly username: string;
  readonly displayName: string;
  /** HTTPS; may expire. */
  readonly avatarUrl: string | null;
  /** HTTPS address of the public profile. */
  readonly profileUrl: string | null;
  /** Scopes that posting needs and the user did not grant. Empty: the account can post. */
  readonly missingScopes: readonly string[];
  /** What this account may do, in members that the adapter defines. `validate` and every step get it back. */
  readonly capabilities: JsonObject;
  /** The platform was too busy to say what the account may do: its name, address and capabilities that are stored stay. */
  readonly isPartial?: true;
  /** The account's own token (a Page token); null where calls use the login's access token. */
  readonly token: string | null;
}

/** An account of the login that cannot post. */
export interface UnpostableAccount {
  readonly platformAccountId: string;
  readonly displayName: string;
  /** One sentence that tells the user why. */
  readonly reason: string;
}

/** One value that a user enters before or while connecting. `GET /platforms` documents it, and our page asks for it. */
export interface ConnectField {
  /** Stable, snake_case: `server`, `handle`, `app_password`. */
  readonly name: string;
  readonly label: string;
  /** One sentence: what to enter. */
  readonly description: string;
  /** A password: users enter it only on our page. The API never accepts it; no URL, log or response contains it. */
  readonly isSecret: boolean;
  /** Whether the method needs it to start. */
  readonly isRequired: boolean;
  /** In characters, after trimming. */
  readonly maxLength: number;
  /** A value as a user would type it. */
  readonly example: string;
  /**
   * What the user once entered for this account, as far as the account shows it. Our page fills the field with it when the
   * user connects again.
   */
  readonly valueOfAccount?: (account: { readonly username: string; readonly profileUrl: string | null }) => string;
}

/**
 * App credentials that individual servers issued to this service, one registration per server. The database holds them
 * encrypted. They never expire here, because servers limit registrations.
 */
export interface AppRegistrations {
  /** The stored registration of a server, by its host name; null when nothing is stored. */
  find(server: string): Promise<JsonObject | null>;
  /** Stores a registration unless the server has one, and returns the stored one. Two concurrent callers both get the first. */
  keep(server: string, registration: JsonObject): Promise<JsonObject>;
  /** Removes a registration that the server no longer accepts; repeatable. */
  forget(server: string): Promise<void>;
}

/** What this service is to the platform; the same in every login. */
export interface ClientIdentity {
  /** Origin of this service, without a final slash. */
  readonly origin: string;
  /** The callback address. The code exchange must send the same one as the start. */
  readonly redirectUri: string;
  /** The callback address of one server, by its host name; only for a method with `serverOf`. */
  readonly redirectUriOf: (server: string) => string;
  /** The service serves `OAuthMethod.clientMetadata` at this URL. */
  readonly clientMetadataUrl: string;
}

/** One start of a browser login. */
export interface StartRequest extends ClientIdentity {
  /** The callback returns it unchanged; it protects against forged callbacks. */
  readonly state: string;
  /** PKCE verifier, base64url. `exchangeCode` gets the same one. */
  readonly codeVerifier: string;
  /** S256 challenge of the verifier, base64url; used where the platform supports PKCE. */
  readonly codeChallenge: string;
  /** The values of the method's `input`, trimmed; contains every required one. */
  readonly input: Readonly<Record<string, string>>;
  /** For platforms with one registration per server; all others ignore it. */
  readonly registrations: AppRegistrations;
  /** Now; adapters do not read a clock. */
  readonly now: number;
}

/** A browser login between its start and its callback. */
export interface StartedLogin {
  /** The service sends the user's browser there; contains no secret. */
  readonly url: URL;
  /** What `exchangeCode` needs. The database holds it encrypted and deletes it with the login's state. */
  readonly state: JsonObject;
}

/** The data of one callback. */
export interface CodeExchange extends ClientIdentity {
  /** Every query parameter of the callback. After a cancelled login it contains `error` instead of `code`. */
  readonly params: Readonly<Record<string, string>>;
  /** The PKCE verifier that belongs to `codeChallenge`. */
  readonly codeVerifier: string;
  /** `StartedLogin.state`. */
  readonly started: JsonObject;
  /** As in `StartRequest`. */
  readonly registrations: AppRegistrations;
  /** Now, for expiry times; adapters do not read a clock. */
  readonly now: number;
}

/** A login in the browser at the platform. */
export interface OAuthMethod {
  /** Tells the two kinds of methods apart. */
  readonly kind: "oauth";
  /** What a user enters before the login can start; empty for platforms with one server. No field is secret. */
  readonly input: readonly ConnectField[];
  /**
   * Starts the login; may send requests (a pushed authorization request, an app registration). Repeatable for the same
   * state: the last result counts. A refusal is a fault with a sentence for the user.
   */
  start(client: PlatformClient, app: AppCredentials, request: StartRequest): Promise<Result<StartedLogin, FaultCode>>;
  /**
   * Exchanges the code, also for a long-lived token where the platform has one. The callback request calls it at once,
   * because some codes are valid for only 30 seconds. A code works once: a repeated call is a fault. A cancelled login is
   * the fault `login_cancelled`.
   */
  exchangeCode(client: PlatformClient, app: AppCredentials, exchange: CodeExchange): Promise<LoginResult>;
  /**
   * The server that the state of a started login belongs to, by its host name. The service accepts the callback only at
   * `redirectUriOf` of that server, so that no other server can answer the login (RFC 9700, 4.4.2.2). Absent: every login
   * uses `redirectUri`; where people name servers, `exchangeCode` must then compare `iss` (RFC 9207).
   */
  readonly serverOf?: (started: JsonObject) => string | null;
  /** The public document that describes this service to the platform; null where operators register their app instead. */
  readonly clientMetadata: ((app: AppCredentials, identity: ClientIdentity) => JsonObject) | null;
}

/** A login with values that users enter on our own page (an app password). */
export interface CredentialsMethod {
  /** Tells the two kinds of methods apart. */
  readonly kind: "credentials";
  /** What the user enters; at least one field. */
  readonly fields: readonly [ConnectField, ...ConnectField[]];
  /** Exchanges the values for tokens and does not store them. Wrong values are a fault of kind `rejected`, code `login_refused`. */
  signIn(
    client: PlatformClient,
    app: AppCredentials,
    values: Readonly<Record<string, string>>,
    now: number,
  ): Promise<LoginResult>;
}

export type ConnectMethod = OAuthMethod | CredentialsMethod;

/** How the service refreshes tokens, if it can. */
export type TokenRefresh =
  /** Tokens do not expire, or the user logs in again when they do. */
  | { readonly kind: "none" }
  | {
      readonly kind: "refresh";
      /** How many milliseconds before its expiry the service refreshes a token. */
      readonly aheadMs: number;
      /** Whether the service can refresh this token set (some apps get no refresh token). */
      canRefresh(tokens: TokenSet): boolean;
      /**
       * Returns a new token set, which replaces the old one as a whole. `reconnect`: the platform said that the grant has
       * ended. `temporary`: the platform did not answer. Callers make one call at a time per connection, because some
       * refresh tokens work only once.
       */
      refresh(client: PlatformClient, app: AppCredentials, tokens: TokenSet, now: number): Promise<Result<TokenSet>>;
    };

/** What a platform says about a person who removed the app or asks it to delete data. */
export interface SignedRequest {
  /** The platform's id of the person (`Login.externalId`) or of the account that logged in. */
  readonly externalId: string;
  /** When the platform signed it. It does not concern a newer login. */
  readonly issuedAt: number;
}

/** Login, tokens and accounts of one platform. Nothing here publishes. */
export interface Connector {
  /** The ways to connect; the first one is offered first. */
  readonly methods: readonly [ConnectMethod, ...ConnectMethod[]];
  /** One sentence about which accounts of a login can be connected. Null or absent: a login has one account. */
  readonly choiceOfAccounts?: (app: AppCredentials) => string | null;
  /** The server of a login, by its `externalId`, where people name their servers. Absent: all logins call the same hosts. */
  readonly serverOfLogin?: (externalId: string) => string;
  /** Every account that the login has now, from all list pages. A list that cannot be read is a fault. Repeatable. */
  listAccounts(
    client: PlatformClient,
    app: AppCredentials,
    tokens: TokenSet,
  ): Promise<Result<{ accounts: readonly PostableAccount[]; unpostable: readonly UnpostableAccount[] }>>;
  /** How every login of the platform is refreshed; `canRefresh` decides for one token set. */
  readonly tokenRefresh: TokenRefresh;
  /** Withdraws the whole grant at the platform. Never throws and never reports a failure. Null where the platform has no such call. */
  readonly revoke: ((client: PlatformClient, app: AppCredentials, tokens: TokenSet) => Promise<void>) | null;
  /**
   * Reads a call with which the platform says that a person removed the app or asks it to delete data. Null when the app's
   * secret did not sign it. Absent where the platform makes no such calls.
   */
  readonly readSignedRequest?: (app: AppCredentials, signedRequest: string) => Promise<SignedRequest | null>;
}

/** The part of the contract that `connect.ts` implements on a platform with a login in the browser. */
export type ConnectCalls = Pick<OAuthMethod, "start" | "exchangeCode"> &
  Pick<Connector, "listAccounts"> & {
    readonly refresh?: Extract<TokenRefresh, { kind: "refresh" }>["refresh"];
    readonly revoke?: NonNullable<Connector["revoke"]>;
  };

import type { JsonObject } from "#core/json.ts";
import type { AppCredentials, PlatformClient } from "./client.ts";
import type { FaultCode, Result } from "./fault.ts";

/* Logins: how a user connects, which accounts a login has, and how the service refreshes tokens. Times are
   milliseconds since 1970 (UTC) unless a name ends in `Seconds`. */

/** The tokens of one login. The database contains them as encrypted JSON. */
export interface TokenSet {
  /** The token that calls on behalf of the login send. */
  readonly accessToken: string;
  /** The refresh token. Null if the platform issues none. */
  readonly refreshToken: string | null;
  /** When (ms) the access token expires. Null if it does not expire by itself. */
  readonly expiresAt: number | null;
  /** When (ms) the refresh token expires. Null if it never does, or if nobody knows. */
  readonly refreshExpiresAt: number | null;
  /** The scopes that the user granted, which may be fewer than the login requested. */
  readonly scopes: readonly string[];
  /**
   * Anything else that later calls need: a region, the kind of login, a proof key. Every call gets it as
   * `AccountAccess.extra`.
   */
  readonly extra?: JsonObject;
  /**
   * Hosts that belong only to this login, such as its server. Its calls may reach them in addition to `Adapter.hosts`.
   * Absent: none.
   */
  readonly hosts?: readonly string[];
}

/** The consent of one platform user. */
export interface Login {
  /** The platform's id of the user who logged in, as text. It is the same in every login of this user. */
  readonly externalId: string;
  /**
   * The platform's id of the person to whose grant the tokens belong, if several logins share a grant. The service
   * calls `revoke` only for the last of them. Null or absent: every login has its own grant.
   */
  readonly grantOwner?: string | null;
  /** A name to show. If the platform names nobody, the id. */
  readonly displayName: string;
  /** The login's tokens. If the platform issues short-lived and long-lived ones, the long-lived. */
  readonly tokens: TokenSet;
}

/** The outcome of a login. The codes of `LoginErrorCode` occur only here. */
export type LoginResult = Result<Login, FaultCode>;

/** A profile, page or channel to which the login can post. */
export interface PostableAccount {
  /** The platform's id of the account, as text. It is unique at the platform and the same in every login. */
  readonly platformAccountId: string;
  /** The handle without `@`. If the platform has no handles, the display name. */
  readonly username: string;
  readonly displayName: string;
  /** The HTTPS address of the account's picture, which may expire. */
  readonly avatarUrl: string | null;
  /** The HTTPS address of the public profile. */
  readonly profileUrl: string | null;
  /** Scopes that posting needs but the user did not grant. Empty if the account can post. */
  readonly missingScopes: readonly string[];
  /** What this account may do, in members that only the adapter defines. `validate` and every step get it back. */
  readonly capabilities: JsonObject;
  /**
   * Set if the platform was too busy to say what the account may do. The stored name, address and capabilities then
   * stay.
   */
  readonly isPartial?: true;
  /** The account's own token (a Page token). Null if calls use the login's access token. */
  readonly token: string | null;
}

/** An account of the login to which the service cannot post. */
export interface UnpostableAccount {
  readonly platformAccountId: string;
  readonly displayName: string;
  /** One sentence that tells the user why the service cannot post to it. */
  readonly reason: string;
}

/**
 * A value that a user enters before or while connecting. `GET /platforms` documents it, and the connect page asks for
 * it.
 */
export interface ConnectField {
  /** The stable name in snake_case: `server`, `handle`, `app_password`. */
  readonly name: string;
  readonly label: string;
  /** One sentence that says what to enter. */
  readonly description: string;
  /**
   * True for a password. Users enter it only on the connect page; the API does not accept it, and no URL, log or
   * response contains it.
   */
  readonly isSecret: boolean;
  /** Whether the login cannot start without the value. */
  readonly isRequired: boolean;
  /** The largest number of characters, after trimming. */
  readonly maxLength: number;
  /** An example value as a user would type it. */
  readonly example: string;
  /**
   * What the user once entered for an account, as far as the account shows it. The connect page fills it in when the
   * user connects again.
   */
  readonly valueOfAccount?: (account: { readonly username: string; readonly profileUrl: string | null }) => string;
}

/**
 * App credentials that servers issued to this service, one registration per server. The database contains them
 * encrypted. They never expire here, because servers limit registrations.
 */
export interface AppRegistrations {
  /** Finds the stored registration at a server, by host name. Null if there is none. */
  find(server: string): Promise<JsonObject | null>;
  /**
   * Stores a registration unless the server has one, and returns the stored one. Two parallel callers both get the
   * first.
   */
  keep(server: string, registration: JsonObject): Promise<JsonObject>;
  /** Removes a registration that the server no longer accepts. Can be repeated. */
  forget(server: string): Promise<void>;
}

/** How this service identifies itself to the platform, the same in every login. */
export interface ClientIdentity {
  /** The origin of this service, without a final slash. */
  readonly origin: string;
  /** The callback URL. The start and the code exchange must send the same one. */
  readonly redirectUri: string;
  /** The callback URL for one server, by its host name. Only used if the method has `serverOf`. */
  readonly redirectUriOf: (server: string) => string;
  /** The URL at which the service serves `OAuthMethod.clientMetadata`. */
  readonly clientMetadataUrl: string;
}

/** The start of a login in the browser. */
export interface StartRequest extends ClientIdentity {
  /** The OAuth state, which the callback returns unchanged. It protects against forged callbacks. */
  readonly state: string;
  /** The PKCE verifier (base64url), which `exchangeCode` gets too. */
  readonly codeVerifier: string;
  /** The S256 challenge of the verifier (base64url), for platforms that support PKCE. */
  readonly codeChallenge: string;
  /** The trimmed values of the method's `input`, including every required one. */
  readonly input: Readonly<Record<string, string>>;
  /** The registrations at servers, for platforms with one registration per server. Others ignore them. */
  readonly registrations: AppRegistrations;
  /** The present time (ms), because adapters do not read a clock. */
  readonly now: number;
}

/** A login in the browser, between its start and its callback. */
export interface StartedLogin {
  /** The URL to which the service sends the user's browser. It contains no secret. */
  readonly url: URL;
  /** What `exchangeCode` will need. The database contains it encrypted, and deletes it with the login's state. */
  readonly state: JsonObject;
}

/** The data of one OAuth callback. */
export interface CodeExchange extends ClientIdentity {
  /** Every query parameter of the callback. After a cancelled login it has `error` instead of `code`. */
  readonly params: Readonly<Record<string, string>>;
  /** The PKCE verifier that belongs to `codeChallenge`. */
  readonly codeVerifier: string;
  /** What the start of the login returned (`StartedLogin.state`). */
  readonly started: JsonObject;
  /** The registrations at servers, as in `StartRequest`. */
  readonly registrations: AppRegistrations;
  /** The present time (ms) for expiry times, because adapters do not read a clock. */
  readonly now: number;
}

/** A way to connect by a login in the browser at the platform. */
export interface OAuthMethod {
  /** Tells this kind of method from `credentials`. */
  readonly kind: "oauth";
  /** What a user enters before the login can start. Empty for platforms with one server. No field is secret. */
  readonly input: readonly ConnectField[];
  /**
   * Starts the login, possibly with requests (a pushed authorization request, an app registration). It can be repeated
   * for the same state; the last result counts. A refusal is a fault with a sentence for the user.
   */
  start(client: PlatformClient, app: AppCredentials, request: StartRequest): Promise<Result<StartedLogin, FaultCode>>;
  /**
   * Exchanges the code for tokens, long-lived ones if the platform has them. The callback calls it at once, because
   * some codes are valid for only 30 seconds. A code works once, so a repeated call is a fault. A cancelled login is
   * the fault `login_cancelled`.
   */
  exchangeCode(client: PlatformClient, app: AppCredentials, exchange: CodeExchange): Promise<LoginResult>;
  /**
   * The host name of the server to which a started login belongs. The service accepts the callback only at this
   * server's `redirectUriOf`, so that no other server can answer the login (RFC 9700, 4.4.2.2). Absent: every login
   * uses `redirectUri`. If people name servers, `exchangeCode` must then compare `iss` (RFC 9207).
   */
  readonly serverOf?: (started: JsonObject) => string | null;
  /** The public document that describes this service to the platform. Null if operators register their app instead. */
  readonly clientMetadata: ((app: AppCredentials, identity: ClientIdentity) => JsonObject) | null;
}

/** A way to connect with values that users enter on our own page, such as an app password. */
export interface CredentialsMethod {
  /** Tells this kind of method from `oauth`. */
  readonly kind: "credentials";
  /** What the user enters: at least one field. */
  readonly fields: readonly [ConnectField, ...ConnectField[]];
  /**
   * Exchanges the values for tokens and does not store the values. Wrong values are a fault of kind `rejected`, code
   * `login_refused`.
   */
  signIn(
    client: PlatformClient,
    app: AppCredentials,
    values: Readonly<Record<string, string>>,
    now: number,
  ): Promise<LoginResult>;
}

export type ConnectMethod = OAuthMethod | CredentialsMethod;

/** How the service refreshes tokens, if that is possible. */
export type TokenRefresh =
  /** There is no refresh: tokens do not expire, or the user logs in again when they do. */
  | { readonly kind: "none" }
  | {
      readonly kind: "refresh";
      /** How long (ms) before its expiry the service refreshes a token. */
      readonly aheadMs: number;
      /** Whether this token set can be refreshed. Some apps get no refresh token. */
      canRefresh(tokens: TokenSet): boolean;
      /**
       * Returns a new token set, which replaces the whole old one. `reconnect` means that the platform said the grant
       * has ended; `temporary` that it did not answer. Callers make one call at a time per connection, because some
       * refresh tokens work only once.
       */
      refresh(client: PlatformClient, app: AppCredentials, tokens: TokenSet, now: number): Promise<Result<TokenSet>>;
    };

/** A platform's signed message about a person who removed the app or asks for the deletion of data. */
export interface SignedRequest {
  /** The platform's id of the person (`Login.externalId`), or of the account that logged in. */
  readonly externalId: string;
  /** When (ms) the platform signed the message. It does not concern newer logins. */
  readonly issuedAt: number;
}

/** Logins, tokens and accounts of one platform. Nothing here publishes. */
export interface Connector {
  /** The ways to connect, of which pages offer the first one first. */
  readonly methods: readonly [ConnectMethod, ...ConnectMethod[]];
  /** One sentence about which accounts of a login can be connected. Null or absent if a login has only one account. */
  readonly choiceOfAccounts?: (app: AppCredentials) => string | null;
  /**
   * The server of a login by its `externalId`, if people name their servers. Absent if all logins call the same hosts.
   */
  readonly serverOfLogin?: (externalId: string) => string;
  /**
   * Lists every account that the login has now, from all list pages. A list that cannot be read completely is a fault.
   * Can be repeated.
   */
  listAccounts(
    client: PlatformClient,
    app: AppCredentials,
    tokens: TokenSet,
  ): Promise<Result<{ accounts: readonly PostableAccount[]; unpostable: readonly UnpostableAccount[] }>>;
  /** How logins of the platform are refreshed. `canRefresh` decides for a single token set. */
  readonly tokenRefresh: TokenRefresh;
  /**
   * Withdraws the whole grant at the platform. Never throws and never reports a failure. Null if the platform has no
   * such call.
   */
  readonly revoke: ((client: PlatformClient, app: AppCredentials, tokens: TokenSet) => Promise<void>) | null;
  /**
   * Reads a call with which the platform says that a person removed the app or wants data deleted. Null if the app's
   * secret did not sign it. Absent if the platform makes no such calls.
   */
  readonly readSignedRequest?: (app: AppCredentials, signedRequest: string) => Promise<SignedRequest | null>;
}

/** What `connect.ts` implements for a platform with a login in the browser. */
export type ConnectCalls = Pick<OAuthMethod, "start" | "exchangeCode"> &
  Pick<Connector, "listAccounts"> & {
    readonly refresh?: Extract<TokenRefresh, { kind: "refresh" }>["refresh"];
    readonly revoke?: NonNullable<Connector["revoke"]>;
  };

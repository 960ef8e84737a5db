import type { JsonObject } from "#core/json.ts";

/* How an adapter calls its platform, and on whose behalf. */

/**
 * Sends requests to one platform. A call that throws may still have reached the platform, so a throw in `commit` means
 * "uncertain".
 */
export interface PlatformClient {
  /**
   * Sends one request. Throws for a host that the adapter did not declare, for a lost connection, and after
   * `timeoutMs`. It returns HTTP error statuses and redirects, follows no redirect, and retries nothing.
   */
  fetch(url: string | URL, init?: PlatformRequestInit): Promise<PlatformAnswer>;
}

/** A platform's answer, read to its end. */
export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text. Null if it is larger than 2 MiB. */
  readonly text: string | null;
}

/** The parts of a request that an adapter can set. */
export interface PlatformRequestInit {
  /** The HTTP method; `GET` by default. */
  readonly method?: string;
  /** Header names in any case. The adapter adds the authorization itself. */
  readonly headers?: Record<string, string>;
  /** The body. A stream can be sent only once, so a repeated request needs a new one. */
  readonly body?: BodyInit | null;
  /** The time limit (ms) for the request and its whole response; 20,000 by default. */
  readonly timeoutMs?: number;
}

/** The operator's configuration of one platform, from the variables with the platform's prefix. */
export interface AppCredentials {
  readonly clientId: string;
  /** The value of `{PLATFORM}_CLIENT_SECRET`. It must never be in a log, a message, or a URL that a browser opens. */
  readonly clientSecret: string;
  /**
   * The value of `{PLATFORM}_CLIENT_SECRET_NEXT`, which is tried if the platform refuses `clientSecret`. No call
   * contains both.
   */
  readonly nextClientSecret?: string | undefined;
  /**
   * Every other `{PLATFORM}_*` variable, by its name without the prefix: `QUOTE_MODE`, `API_VERSION`. The values are
   * not validated.
   */
  readonly settings: Readonly<Record<string, string>>;
}

/** What a call on behalf of an account needs. */
export interface AccountAccess {
  /** The platform's id of the account (`PostableAccount.platformAccountId`). */
  readonly platformAccountId: string;
  /** The account's username (`PostableAccount.username`). */
  readonly username: string;
  /** What the account may do, as `listAccounts` or `fetchCapabilities` last returned it. It may be outdated. */
  readonly capabilities: JsonObject;
  /** The account's own token if it has one; otherwise the login's token. */
  readonly accessToken: string;
  /** The access token of the login (`TokenSet.accessToken`). */
  readonly loginToken: string;
  /** Further data of the login (`TokenSet.extra`). Empty if it has none. */
  readonly extra: JsonObject;
  /** The operator's present configuration. It may differ from the one at the time of the login. */
  readonly app: AppCredentials;
}

import type { JsonObject } from "#core/json.ts";

/* How an adapter reaches its platform, and with whose rights. */

/** Sends requests to one platform. A call that throws may have reached the platform, so a throw in `commit` means "uncertain". */
export interface PlatformClient {
  /**
   * Sends one request. Throws for a host that the adapter did not declare, on a lost connection, and after `timeoutMs`. It
   * returns HTTP error statuses and redirects, never follows a redirect, and retries nothing.
   */
  fetch(url: string | URL, init?: PlatformRequestInit): Promise<PlatformAnswer>;
}

/** What a platform answered, read to its end. */
export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text; null when it is larger than 2 MiB. */
  readonly text: string | null;
}

/** The parts of a request that an adapter may set. */
export interface PlatformRequestInit {
  /** Default: `GET`. */
  readonly method?: string;
  /** Header names in any case. The adapter adds the authorization itself. */
  readonly headers?: Record<string, string>;
  /** A stream can be sent only once: a repeated request needs a new one. */
  readonly body?: BodyInit | null;
  /** Covers the request and its whole response. Default: 20,000. */
  readonly timeoutMs?: number;
}

/** The operator's configuration of one platform, from the variables that begin with the platform's prefix. */
export interface AppCredentials {
  readonly clientId: string;
  /** `{PLATFORM}_CLIENT_SECRET`; never in a URL that a browser opens, a log or a message. */
  readonly clientSecret: string;
  /** `{PLATFORM}_CLIENT_SECRET_NEXT`: the second try where the platform refuses `clientSecret`. The two never go into one call. */
  readonly nextClientSecret?: string | undefined;
  /** Every other `{PLATFORM}_*` variable, keys without the prefix: `QUOTE_MODE`, `API_VERSION`. Nobody has validated the values. */
  readonly settings: Readonly<Record<string, string>>;
}

/** What a call on behalf of an account needs. */
export interface AccountAccess {
  /** As in `PostableAccount`. */
  readonly platformAccountId: string;
  /** As in `PostableAccount`. */
  readonly username: string;
  /** As `listAccounts` or `fetchCapabilities` last returned them; may be out of date. */
  readonly capabilities: JsonObject;
  /** The account's own token where it has one, otherwise `loginToken`. */
  readonly accessToken: string;
  /** `TokenSet.accessToken` of the login. */
  readonly loginToken: string;
  /** `TokenSet.extra`; empty when the login has none. */
  readonly extra: JsonObject;
  /** The operator's configuration now; it can differ from that of the login. */
  readonly app: AppCredentials;
}

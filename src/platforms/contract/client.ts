import type { JsonObject } from "#core/json.ts";

/* How an adapter reaches its platform, and in whose name. */

/** Sends requests to one platform. A call that throws may or may not have reached the platform, so a throw in `commit` means "uncertain". */
export interface PlatformClient {
  /**
   * Sends one request. Throws for a host that the adapter did not declare, on a lost connection, and after `timeoutMs`. HTTP
   * error statuses are returned, not thrown. Redirects are returned, never followed. Nothing is retried.
   */
  fetch(url: string | URL, init?: PlatformRequestInit): Promise<Response>;
}

/** The parts of a request that an adapter may set. */
export interface PlatformRequestInit {
  /** Default: `GET`. */
  readonly method?: string;
  /** Header names in any case; authorization is the adapter's own task. */
  readonly headers?: Record<string, string>;
  /** A stream can be sent once only: a repeated request needs a new one. */
  readonly body?: BodyInit | null;
  /** Covers the request and its whole response; default: 20 000. */
  readonly timeoutMs?: number;
}

/** The operator's configuration of one platform, from the variables that begin with the platform's prefix. */
export interface AppCredentials {
  /** `{PLATFORM}_CLIENT_ID`. */
  readonly clientId: string;
  /** `{PLATFORM}_CLIENT_SECRET`; never in a URL that a browser opens, a log or a message. */
  readonly clientSecret: string;
  /** `{PLATFORM}_CLIENT_SECRET_NEXT`: tried where the platform no longer accepts `clientSecret`; never in the same call. */
  readonly nextClientSecret?: string | undefined;
  /** Every other `{PLATFORM}_*` variable, keys without the prefix: `QUOTE_MODE`, `API_VERSION`. Values are not validated. */
  readonly settings: Readonly<Record<string, string>>;
}

/** What a call on behalf of an account needs. */
export interface AccountAccess {
  /** As in `PostableAccount`. */
  readonly platformAccountId: string;
  /** As in `PostableAccount`. */
  readonly username: string;
  /** As last listed or fetched; may be out of date. */
  readonly capabilities: JsonObject;
  /** The account's own token where it has one, otherwise the login's access token. */
  readonly accessToken: string;
  /** The login's access token. */
  readonly loginToken: string;
  /** `TokenSet.extra`; empty when the login has none. */
  readonly extra: JsonObject;
  /** The operator's configuration at this time. */
  readonly app: AppCredentials;
}

import type { Platform } from "#core/platform.ts";
import type {
  Adapter,
  Board,
  Connector,
  Fault,
  PostableAccount,
  Result,
  TokenSet,
  UnpostableAccount,
} from "#platforms/contract.ts";
import { failed, reconnect, succeeded } from "#platforms/fault.ts";
import { BROWSER_LOGIN } from "#platforms/defer-calls.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";
import { adapterFor } from "#platforms/registry.ts";

/** Part of every token, so that a test can search for leaked ones. */
export const SECRET_MARKER = "S3CR3T";

interface PlatformUser {
  readonly externalId: string;
  accounts: readonly PostableAccount[];
  unpostable: readonly UnpostableAccount[];
}

export function postableAccount(platformAccountId: string, more: Partial<PostableAccount> = {}): PostableAccount {
  return {
    platformAccountId,
    username: `user_${platformAccountId}`,
    displayName: `User ${platformAccountId}`,
    avatarUrl: "https://cdn.example.com/a.png",
    profileUrl: null,
    missingScopes: [],
    capabilities: {},
    token: null,
    ...more,
  };
}

/** An in-memory platform with rotating refresh tokens: an old refresh token is invalid at once, as at the strictest platforms. */
export class ScriptedPlatform {
  readonly users = new Map<string, PlatformUser>();
  readonly calls = { exchange: 0, accounts: 0, refresh: 0, revoke: 0 };
  readonly revoked: string[] = [];
  lifetimeMs: number | null = 2 * 3_600_000;
  refreshAheadMs = 300_000;
  /** Faults for the next calls, one each. */
  readonly faults: { exchange: Fault[]; accounts: Fault[]; refresh: (Fault | Error)[] } = {
    exchange: [],
    accounts: [],
    refresh: [],
  };
  canRefresh = true;
  /** Awaited inside a refresh, while the lease is held. */
  beforeRefreshAnswers: () => Promise<void> = () => Promise.resolve();
  /** Awaited inside a listing, before its result. */
  beforeAccountsAnswer: () => Promise<void> = () => Promise.resolve();
  private issuedCount = 0;
  private readonly currentRefreshTokens = new Map<string, string>();
  private readonly accessTokenOwners = new Map<string, string>();

  constructor(readonly platform: Platform) {}

  addUser(
    name: string,
    accounts: readonly PostableAccount[],
    unpostable: readonly UnpostableAccount[] = [],
  ): PlatformUser {
    // Unique per test: a grant shared with another test's login would not be revoked.
    const user = { externalId: `${name}-${crypto.randomUUID()}`, accounts, unpostable };
    this.users.set(name, user);
    return user;
  }

  issue(name: string, now: number): TokenSet {
    this.issuedCount += 1;
    const refreshToken = `${SECRET_MARKER}-refresh-${name}-${this.issuedCount}`;
    const accessToken = `${SECRET_MARKER}-access-${name}-${this.issuedCount}`;
    this.currentRefreshTokens.set(name, refreshToken);
    this.accessTokenOwners.set(accessToken, name);
    return {
      accessToken,
      refreshToken: this.canRefresh ? refreshToken : null,
      expiresAt: this.lifetimeMs === null ? null : now + this.lifetimeMs,
      refreshExpiresAt: null,
      scopes: ["read", "write"],
    };
  }

  /** The result of the next `listBoards`. */
  boards: Result<readonly Board[]> | undefined;
  /** The server of a login; absent at a platform with fixed hosts. */
  serverOfLogin: ((externalId: string) => string) | undefined;

  get adapter(): Adapter {
    const base = adapterFor("x");
    if (!base) {
      throw new Error("no adapter to take the other members from");
    }
    return {
      ...base,
      platform: this.platform,
      hosts: ["api.example.com"],
      connect: this.connect(),
      ...(this.boards && { listBoards: () => Promise.resolve(this.boards ?? succeeded([])) }),
    };
  }

  private connect(): Connector {
    const nextFault = (queue: (Fault | Error)[]): Fault | undefined => {
      const next = queue.shift();
      if (next instanceof Error) {
        throw next;
      }
      return next;
    };
    return {
      methods: [
        {
          ...BROWSER_LOGIN,
          ...redirectLogin({
            authorizeUrl: (app, { redirectUri, state, codeChallenge }) => {
              const url = new URL("https://login.example.com/authorize");
              url.search = String(
                new URLSearchParams({
                  client_id: app.clientId,
                  redirect_uri: redirectUri,
                  state,
                  code_challenge: codeChallenge,
                }),
              );
              return url;
            },
            exchangeCode: (_client, _app, { params, now }) => {
              this.calls.exchange += 1;
              const injectedFault = nextFault(this.faults.exchange);
              const name = params["code"] ?? "";
              const user = this.users.get(name);
              if (injectedFault || !user) {
                return Promise.resolve(
                  failed(injectedFault ?? reconnect("The login was cancelled.", { httpStatus: null })),
                );
              }
              return Promise.resolve(
                succeeded({ externalId: user.externalId, displayName: name, tokens: this.issue(name, now) }),
              );
            },
          }),
        },
      ],
      ...(this.serverOfLogin && { serverOfLogin: this.serverOfLogin }),
      listAccounts: async (_client, _app, tokens) => {
        this.calls.accounts += 1;
        await this.beforeAccountsAnswer();
        const injectedFault = nextFault(this.faults.accounts);
        const user = this.users.get(this.accessTokenOwners.get(tokens.accessToken) ?? "");
        return injectedFault || !user
          ? failed(injectedFault ?? reconnect("The platform does not know this login.", { httpStatus: 401 }))
          : succeeded({ accounts: user.accounts, unpostable: user.unpostable });
      },
      tokenRefresh: {
        kind: "refresh",
        canRefresh: (tokens) => tokens.refreshToken !== null,
        aheadMs: this.refreshAheadMs,
        refresh: async (_client, _app, tokens, now) => {
          this.calls.refresh += 1;
          await this.beforeRefreshAnswers();
          const injectedFault = nextFault(this.faults.refresh);
          if (injectedFault) {
            return failed(injectedFault);
          }
          const name = this.accessTokenOwners.get(tokens.accessToken) ?? "";
          return this.currentRefreshTokens.get(name) === tokens.refreshToken
            ? succeeded(this.issue(name, now))
            : failed(reconnect("The platform no longer accepts this login.", { httpStatus: 400 }));
        },
      },
      revoke: (_client, _app, tokens) => {
        this.calls.revoke += 1;
        this.revoked.push(tokens.accessToken);
        return Promise.resolve();
      },
    };
  }

  /** The user revokes the app's access at the platform. */
  revokeApp(name: string): void {
    this.currentRefreshTokens.delete(name);
    for (const [token, owner] of this.accessTokenOwners) {
      if (owner === name) {
        this.accessTokenOwners.delete(token);
      }
    }
  }
}

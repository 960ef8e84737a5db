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
import { adapterFor } from "#platforms/registry.ts";

/** Stands in every token, so that a leak is found by looking for it. */
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

/** A platform with rotating refresh tokens, played in memory: an old refresh token is dead at once, as at the strict ones. */
export class ScriptedPlatform {
  readonly users = new Map<string, PlatformUser>();
  readonly calls = { exchange: 0, accounts: 0, refresh: 0, revoke: 0 };
  readonly revoked: string[] = [];
  lifetimeMs: number | null = 2 * 3_600_000;
  refreshAheadMs = 300_000;
  /** What the next calls answer instead, one each. */
  readonly faults: { exchange: Fault[]; accounts: Fault[]; refresh: (Fault | Error)[] } = {
    exchange: [],
    accounts: [],
    refresh: [],
  };
  canRefresh = true;
  /** Awaited inside a refresh, while the lease is held. */
  beforeRefreshAnswers: () => Promise<void> = () => Promise.resolve();
  /** Awaited inside a listing, before it answers. */
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
    // Every test has people of its own: a grant shared with another test's login would not be withdrawn.
    const person = { externalId: `${name}-${crypto.randomUUID()}`, accounts, unpostable };
    this.users.set(name, person);
    return person;
  }

  private issue(name: string, now: number): TokenSet {
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

  /** What the next call for boards answers. */
  boards: Result<readonly Board[]> | undefined;

  get adapter(): Adapter {
    const base = adapterFor("x");
    if (!base) {
      throw new Error("no adapter to borrow publishing from");
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
    const fault = (queue: (Fault | Error)[]): Fault | undefined => {
      const next = queue.shift();
      if (next instanceof Error) {
        throw next;
      }
      return next;
    };
    return {
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
      exchangeCode: (_wire, _app, { params, now }) => {
        this.calls.exchange += 1;
        const refused = fault(this.faults.exchange);
        const name = params["code"] ?? "";
        const person = this.users.get(name);
        if (refused || !person) {
          return Promise.resolve(failed(refused ?? reconnect("The login was cancelled.", { httpStatus: null })));
        }
        return Promise.resolve(
          succeeded({ externalId: person.externalId, displayName: name, tokens: this.issue(name, now) }),
        );
      },
      listAccounts: async (_wire, _app, tokens) => {
        this.calls.accounts += 1;
        await this.beforeAccountsAnswer();
        const refused = fault(this.faults.accounts);
        const person = this.users.get(this.accessTokenOwners.get(tokens.accessToken) ?? "");
        return refused || !person
          ? failed(refused ?? reconnect("The platform does not know this login.", { httpStatus: 401 }))
          : succeeded({ accounts: person.accounts, unpostable: person.unpostable });
      },
      refresh: async (_wire, _app, tokens, now) => {
        this.calls.refresh += 1;
        await this.beforeRefreshAnswers();
        const refused = fault(this.faults.refresh);
        if (refused) {
          return failed(refused);
        }
        const name = this.accessTokenOwners.get(tokens.accessToken) ?? "";
        return this.currentRefreshTokens.get(name) === tokens.refreshToken
          ? succeeded(this.issue(name, now))
          : failed(reconnect("The platform no longer accepts this login.", { httpStatus: 400 }));
      },
      canRefresh: (tokens) => tokens.refreshToken !== null,
      refreshAheadMs: this.refreshAheadMs,
      revoke: (_wire, _app, tokens) => {
        this.calls.revoke += 1;
        this.revoked.push(tokens.accessToken);
        return Promise.resolve();
      },
    };
  }

  /** The person withdraws the app at the platform. */
  revokeApp(name: string): void {
    this.currentRefreshTokens.delete(name);
    for (const [token, owner] of this.accessTokenOwners) {
      if (owner === name) {
        this.accessTokenOwners.delete(token);
      }
    }
  }
}

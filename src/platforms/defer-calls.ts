import { once } from "#core/once.ts";
import type * as Registry from "./calls-registry.ts";
import type { Connector, TokenSet, Adapter } from "./contract.ts";

/*
 * `calls.ts` of an adapter's folder sends the requests. The first call evaluates it, so that an isolate that only
 * previews, confirms and lists never does.
 */

const loadCalls = once(() => import("./calls-registry.ts"));

type Calls = (typeof Registry)["CALLS"];

/** A login in the browser that asks for nothing before it starts. */
export const BROWSER_LOGIN = { kind: "oauth", input: [], clientMetadata: null } as const;

/** Wraps functions of the folder's `calls.ts` as functions of the adapter. The result already contains those that every adapter has. */
export function deferCalls<P extends keyof Calls>(platform: P) {
  function defer<Args extends unknown[], Outcome>(
    pick: (calls: Calls[P]) => (...args: Args) => Promise<Outcome>,
  ): (...args: Args) => Promise<Outcome> {
    return async (...args) => {
      const { CALLS } = await loadCalls();
      return await pick(CALLS[platform])(...args);
    };
  }
  const publishing: Pick<Adapter, "prepare" | "commit" | "verify"> = {
    prepare: defer((calls) => calls.prepare),
    commit: defer((calls) => calls.commit),
    verify: defer((calls) => calls.verify),
  };
  const listAccounts: Connector["listAccounts"] = defer((calls) => calls.connect.listAccounts);
  const login = {
    start: defer((calls) => calls.connect.start),
    exchangeCode: defer((calls) => calls.connect.exchangeCode),
  };
  return { defer, publishing, listAccounts, login, browserLogin: { ...BROWSER_LOGIN, ...login } };
}

/** `canRefresh` of platforms that issue a refresh token only to some logins. */
export function hasRefreshToken(tokens: TokenSet): boolean {
  return tokens.refreshToken !== null;
}

import { once } from "#core/once.ts";
import type * as Registry from "./calls-registry.ts";
import type { Connector, TokenSet, Adapter } from "./contract.ts";

/* Loads the code that sends requests (`calls.ts` of each adapter) with the first call. An isolate that only
   previews, confirms and lists never loads it. */

const loadCalls = once(() => import("./calls-registry.ts"));

type Calls = (typeof Registry)["CALLS"];

/** A login in the browser that asks the user for nothing before it starts. */
export const BROWSER_LOGIN = { kind: "oauth", input: [], clientMetadata: null } as const;

/**
 * Wraps functions of an adapter's `calls.ts`, so that they are loaded with the first call. The result already contains
 * the functions that every adapter has.
 */
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

/** Whether a login has a refresh token. Some platforms issue one only to some logins. */
export function hasRefreshToken(tokens: TokenSet): boolean {
  return tokens.refreshToken !== null;
}

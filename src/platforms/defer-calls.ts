import { once } from "#core/once.ts";
import type * as Registry from "./calls-registry.ts";
import type { Connector, TokenSet, Adapter } from "./contract.ts";

/*
 * The half of an adapter that sends requests (`calls.ts` of its folder) is a module of its own, loaded with the first call: an
 * isolate that only previews, confirms and lists never evaluates it.
 */

const loadCalls = once(() => import("./calls-registry.ts"));

type Calls = (typeof Registry)["CALLS"];

/** A login in the browser for which nothing is entered before it. */
export const BROWSER_LOGIN = { kind: "oauth", input: [], clientMetadata: null } as const;

/** Makes functions of an adapter out of those in `calls.ts` of its folder; those that every adapter has are made already. */
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

/** `canRefresh` of platforms that give a refresh token to some logins. */
export function hasRefreshToken(tokens: TokenSet): boolean {
  return tokens.refreshToken !== null;
}

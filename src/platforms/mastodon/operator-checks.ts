import { rememberLostCalls } from "#platforms/credential-check.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import type { OperatorChecks } from "#platforms/contract.ts";
import { parseServer } from "./hosts.ts";
import { discoverInstance } from "./account.ts";

/**
 * The server whose answer shows whether this service can reach servers. There are no credentials to check, because each
 * server issues them.
 */
const SERVER = "mastodon.social";

export const operatorChecks: OperatorChecks = {
  shapeProblems: () => [],

  reviewLevel: () => ({
    state: "none_needed",
    sentence: "No app and no review: each server registers this service by itself",
  }),

  /** Checks whether this service can reach any server. */
  async checkCredentials(client) {
    const typed = parseServer(SERVER);
    const remembering = rememberLostCalls(client);
    const found = typed && (await catchConnectionErrors(() => discoverInstance(remembering, typed)));
    if (found?.ok) {
      return { state: "accepted", words: `${SERVER} answers` };
    }
    return remembering.hasLostCall || !found
      ? { state: "unreachable", words: "" }
      : { state: "unknown", words: found.fault.message };
  },
};

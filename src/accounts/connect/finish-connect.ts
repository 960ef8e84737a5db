import { sha256Hex } from "#core/encoding.ts";
import { log } from "#core/log.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Adapter, FaultCode, Login, Result } from "#platforms/contract.ts";
import { failed } from "#platforms/fault.ts";
import { catchConnectionErrors, withEitherSecret } from "#platforms/oauth-token.ts";
import { clientForConnecting, configuredPlatform, platformNotConfigured } from "#accounts/configured-platform.ts";
import type { SyncServices } from "#accounts/sync/sync-connection.ts";
import type { FinishedConnect } from "#accounts/types.ts";
import { appRegistrations } from "./app-registrations.ts";
import { clientIdentity, oauthMethodOf } from "./connect-methods.ts";
import { INVALID_STATE_MESSAGE, stateLookup } from "./find-connect.ts";
import { type LoginStart, unsealStart } from "./seal-start.ts";
import { consumeState } from "./store-connect-states.ts";
import { storeLoginAndSync } from "./store-login.ts";

export interface FinishConnectInput {
  readonly platform: Platform;
  /** The server in the path of the callback URL. Null if the platform has one callback URL for all servers. */
  readonly server?: string | null;
  /** Every query parameter of the OAuth callback. */
  readonly params: Readonly<Record<string, string>>;
  /** The cookie that the browser got when it started the login. Null in any other browser, which is refused. */
  readonly browserToken: string | null;
  /** The user who is signed in to the browser of the callback, if any. A login that another user started is refused. */
  readonly signedInUserId?: string | null;
}

const OTHER_BROWSER_MESSAGE =
  "This login was not started in this browser. Finish it in the browser in which you opened the link from Almanac, or open that link here and start again.";

const OTHER_SERVER_MESSAGE =
  "Another server answered this login than the one that you named. Start again from Almanac.";

/** Handles the OAuth callback: uses up the state, exchanges the code, and stores the connection with its accounts. */
export async function finishConnect(services: SyncServices, input: FinishConnectInput): Promise<FinishedConnect> {
  const { platform, params, browserToken } = input;
  const link = { platform, state: params["state"] ?? "", signedInUserId: input.signedInUserId ?? null };
  const lookup = await stateLookup(services, link);
  if (lookup && browserToken === null) {
    return refusal(platform, OTHER_BROWSER_MESSAGE);
  }
  const consumed =
    lookup && browserToken !== null ? await consumeState(services.db, lookup, await sha256Hex(browserToken)) : null;
  if (!lookup || !consumed) {
    return refusal(platform, INVALID_STATE_MESSAGE);
  }
  const { userId, workspaceId } = consumed;
  const adapter = services.adapterFor(platform);
  const start = await unsealStart(services, lookup.hash, consumed);
  if (adapter && start && !isOwnCallback(adapter, start, input.server ?? null)) {
    log("warn", "connect_refused", { platform, code: "other_server" });
    return { ...refusal(platform, OTHER_SERVER_MESSAGE), userId, workspaceId };
  }
  const login = start ? await exchangeCode(services, platform, start, params) : null;
  if (!adapter || !login) {
    return { ...refusal(platform, INVALID_STATE_MESSAGE), userId, workspaceId };
  }
  if (!login.ok) {
    const { code, kind, message } = login.fault;
    log("info", "connect_refused", { platform, code });
    return {
      ...refusal(platform, `${PLATFORM_NAMES[platform]}: ${message}${retryAdvice(kind)}`),
      userId,
      workspaceId,
    };
  }
  return await storeLoginAndSync(services, adapter, { ...consumed, stateHash: lookup.hash }, login.value);
}

/**
 * Whether the callback arrived at the address of this login's server. This stops a server from answering for another
 * one.
 */
function isOwnCallback(adapter: Adapter, { started }: LoginStart, server: string | null): boolean {
  const serverOf = oauthMethodOf(adapter)?.serverOf;
  // mutant: any-server-answers
  return serverOf ? server !== null && serverOf(started) === server : server === null;
}

function refusal(platform: Platform, reason: string): FinishedConnect {
  return {
    ok: false,
    platform,
    reason,
    userId: null,
    workspaceId: null,
    choice: null,
    reactivatedAccountIds: [],
    blockedAccountIds: [],
  };
}

function retryAdvice(kind: string): string {
  return kind === "temporary" || kind === "rate_limited"
    ? " Start again from Almanac in a few minutes."
    : " Start again from Almanac when you want to connect the account.";
}

async function exchangeCode(
  services: SyncServices,
  platform: Platform,
  { codeVerifier, started }: LoginStart,
  params: Readonly<Record<string, string>>,
): Promise<Result<Login, FaultCode>> {
  const configured = configuredPlatform(services, platform);
  const method = configured && oauthMethodOf(configured.adapter);
  if (!configured || !method) {
    return failed(platformNotConfigured());
  }
  const { adapter, app } = configured;
  return await catchConnectionErrors(
    async () =>
      await withEitherSecret(
        app,
        async (tried) =>
          await method.exchangeCode(clientForConnecting(services, adapter), tried, {
            ...clientIdentity(services.config.origin, platform),
            params,
            codeVerifier,
            started,
            registrations: appRegistrations(services, platform),
            now: services.clock.now(),
          }),
      ),
  );
}

import { SECOND } from "#core/clock.ts";
import { sha256Base64Url, sha256Hex, toBase64Url } from "#core/encoding.ts";
import { log } from "#core/log.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { CredentialsMethod, Fault, FaultCode, OAuthMethod, PlatformClient } from "#platforms/contract.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import {
  clientForConnecting,
  configuredPlatform,
  type ConfiguredPlatform,
  platformNotConfigured,
  withDeadline,
} from "#accounts/configured-platform.ts";
import type { SyncServices } from "#accounts/sync/sync-connection.ts";
import type { FinishedConnect } from "#accounts/types.ts";
import { appRegistrations } from "./app-registrations.ts";
import { clientIdentity, type FieldProblem, readFields, withoutSecrets } from "./connect-methods.ts";
import { type ConnectLink, type OpenConnect, stateLookup, toOpenConnect } from "./find-connect.ts";
import { sealStart } from "./seal-start.ts";
import { consumeState, findOpenState, saveStart, type StateLookup } from "./store-connect-states.ts";
import { storeLoginAndSync } from "./store-login.ts";

/** The time for all calls that start a login, together. It is short because a user waits for the page. */
const START_TIMEOUT_MS = 20 * SECOND;
const SECRET_BYTES = 32;

export interface StartLoginInput extends ConnectLink {
  /** The kind of the chosen method, as the form sent it. */
  readonly method: string;
  /** Returns the value of a form field; empty if the form does not have it. */
  readonly text: (name: string) => string;
}

export type LoginStartResult =
  /** The browser must go to the platform. Only the browser that has `browserToken` can finish the login. */
  | { readonly state: "redirect"; readonly url: URL; readonly browserToken: string }
  /** The login is done: the entered values were enough, without a visit to the platform. */
  | { readonly state: "finished"; readonly result: FinishedConnect }
  /** The page shows the form again. `values` contains no secrets. */
  | {
      readonly state: "refused";
      readonly connect: OpenConnect;
      readonly method: string;
      readonly values: Readonly<Record<string, string>>;
      readonly problem: { readonly message: string; readonly param?: string };
    }
  | { readonly state: "invalid_link" };

/**
 * Starts a login with the method and the values that the user chose. A repeated start is safe until the login is
 * finished.
 */
export async function startLogin(services: SyncServices, input: StartLoginInput): Promise<LoginStartResult> {
  const { platform } = input;
  const lookup = await stateLookup(services, input);
  const found = lookup && (await findOpenState(services.db, lookup));
  const adapter = services.adapterFor(platform);
  if (!lookup || !found || !adapter) {
    return { state: "invalid_link" };
  }
  const { methods } = adapter.connect;
  const connect = toOpenConnect(services.config, adapter, found);
  const method = methods.find(({ kind }) => kind === input.method);
  if (!method) {
    const problem = { message: "choose how to connect" };
    return { state: "refused", connect, method: "", values: {}, problem };
  }
  const { values, problem } = readFields(method, input.text);
  const refused = (reason: FieldProblem | { readonly message: string }): LoginStartResult => ({
    state: "refused",
    connect,
    method: method.kind,
    values: withoutSecrets(method, values),
    problem: reason,
  });
  if (problem) {
    return refused(problem);
  }
  const configured = configuredPlatform(services, platform);
  if (!configured) {
    return refused({ message: platformNotConfigured().message });
  }
  const client = withDeadline(clientForConnecting(services, adapter), services.clock, START_TIMEOUT_MS);
  const attempt = { configured, client, lookup, values, state: input.state };
  const result =
    method.kind === "oauth" ? await startInBrowser(services, method, attempt) : await signIn(services, method, attempt);
  if (result.state !== "fault") {
    return result;
  }
  log("info", "connect_refused", { platform, code: result.fault.code });
  return refused({ message: faultAdvice(platform, result.fault) });
}

interface LoginAttempt {
  readonly configured: ConfiguredPlatform;
  readonly client: PlatformClient;
  readonly lookup: StateLookup;
  readonly values: Readonly<Record<string, string>>;
  readonly state: string;
}

type AttemptResult =
  | Exclude<LoginStartResult, { state: "refused" }>
  | { readonly state: "fault"; readonly fault: Fault<FaultCode> };

async function startInBrowser(
  services: SyncServices,
  method: OAuthMethod,
  { configured, client, lookup, values, state }: LoginAttempt,
): Promise<AttemptResult> {
  const { db, ids, config, clock } = services;
  const { platform } = configured.adapter;
  const codeVerifier = toBase64Url(ids.random(SECRET_BYTES));
  const codeChallenge = await sha256Base64Url(codeVerifier);
  const started = await catchConnectionErrors(
    async () =>
      await method.start(client, configured.app, {
        ...clientIdentity(config.origin, platform),
        state,
        codeVerifier,
        codeChallenge,
        input: values,
        registrations: appRegistrations(services, platform),
        now: clock.now(),
      }),
  );
  if (!started.ok) {
    return { state: "fault", fault: started.fault };
  }
  const { url, state: adapterState } = started.value;
  // A server that the user named may have sent the address, so the browser must not follow it unchecked.
  if (url.protocol !== "https:") {
    throw new Error("the login address is not https");
  }
  const browserToken = toBase64Url(ids.random(SECRET_BYTES));
  const saved = await saveStart(
    db,
    { ...lookup, now: clock.now() },
    {
      method: method.kind,
      ...(await sealStart(services, lookup.hash, { codeVerifier, started: adapterState })),
      browserHash: await sha256Hex(browserToken),
    },
  );
  return saved ? { state: "redirect", url, browserToken } : { state: "invalid_link" };
}

/**
 * Logs in with the entered values. The link is used up only when the platform accepts them, so that the user can
 * correct a typing error.
 */
async function signIn(
  services: SyncServices,
  method: CredentialsMethod,
  { configured, client, lookup, values }: LoginAttempt,
): Promise<AttemptResult> {
  const { clock } = services;
  const login = await catchConnectionErrors(
    async () => await method.signIn(client, configured.app, values, clock.now()),
  );
  if (!login.ok) {
    return { state: "fault", fault: login.fault };
  }
  const consumed = await consumeState(services.db, { ...lookup, now: clock.now() }, null);
  if (!consumed) {
    return { state: "invalid_link" };
  }
  const owner = { ...consumed, stateHash: lookup.hash };
  return { state: "finished", result: await storeLoginAndSync(services, configured.adapter, owner, login.value) };
}

function faultAdvice(platform: Platform, { kind, message }: Fault<FaultCode>): string {
  const advice =
    kind === "temporary" || kind === "rate_limited" ? "Try again in a few minutes." : "Check what you entered.";
  return `${PLATFORM_NAMES[platform]}: ${message} ${advice}`;
}

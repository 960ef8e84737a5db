import type { ExpectStatic } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { hostMatches } from "#core/host-patterns.ts";
import type { Adapter, AppCredentials, FaultCode, PlatformClient, Result, TokenSet } from "#platforms/contract.ts";
import { CLIENT_IDENTITY, memoryRegistrations } from "../support/call-connector.ts";
import { accountAccess, NOW } from "../support/adapter-inputs.ts";
import { expectNoSecret, FAILURES } from "../support/platform-failures.ts";
import type { ConnectSample, OAuthSample, ScriptedOperation } from "../support/platform-sample.ts";
import { type ScriptedClient, scriptedClient, type SentRequest } from "../support/scripted-http-client.ts";
import { unwrap } from "../support/unwrap.ts";

/*
 * The contract of a connector as functions that throw, so that one suite runs them over every adapter and another one proves
 * that they fail for broken adapters.
 */

/** One function of a connector that returns a result, with the platform's answers to it. */
interface Operation {
  readonly name: string;
  readonly script: ScriptedOperation;
  /** Hosts that the login fixed; "any" while the user can still name one. */
  readonly userNamedHosts: readonly string[] | "any";
  call(client: PlatformClient): Promise<Result<unknown, FaultCode>>;
}

interface Subject {
  readonly adapter: Adapter;
  readonly sample: ConnectSample;
  readonly expect: ExpectStatic;
}

const STATE = "st4te";
const CODE_VERIFIER = "v3rifier".repeat(8);
const CODE_CHALLENGE = "ch4llenge";
const RESULT_CODE = /^[a-z]+(_[a-z]+)*$/;

/** Platforms without operator credentials get empty ones. */
export function appOf(adapter: Adapter): AppCredentials {
  const { app } = accountAccess();
  return adapter.operatorCredentials === "none" ? { ...app, clientId: "", clientSecret: "" } : app;
}

/** The methods of the adapter with their samples. */
function methodsOf({ adapter, sample }: Subject) {
  return adapter.connect.methods.map((method, index) => {
    const methodSample = sample.methods[index];
    if (methodSample?.kind === "oauth" && method.kind === "oauth") {
      return { kind: "oauth", method, sample: methodSample } as const;
    }
    if (methodSample?.kind === "credentials" && method.kind === "credentials") {
      return { kind: "credentials", method, sample: methodSample } as const;
    }
    throw new Error(`the sample of connect method ${index} is not of the kind ${method.kind}`);
  });
}

type OAuthCase = Extract<ReturnType<typeof methodsOf>[number], { kind: "oauth" }>;

/** Starts the login with these answers; the exchange needs what it leaves behind. */
function startOf(adapter: Adapter, { method, sample }: OAuthCase) {
  const registrations = memoryRegistrations();
  const start = async (client: PlatformClient) =>
    await method.start(client, appOf(adapter), {
      ...CLIENT_IDENTITY,
      state: STATE,
      codeVerifier: CODE_VERIFIER,
      codeChallenge: CODE_CHALLENGE,
      input: sample.input,
      registrations,
      now: NOW,
    });
  const exchange = async (client: PlatformClient, params: Readonly<Record<string, string>>, started: JsonObject) =>
    await method.exchangeCode(client, appOf(adapter), {
      ...CLIENT_IDENTITY,
      params,
      codeVerifier: CODE_VERIFIER,
      started,
      registrations,
      now: NOW,
    });
  return { start, exchange };
}

const clientFor = (script: ScriptedOperation | null): ScriptedClient =>
  script ? scriptedClient(...script.responses) : scriptedClient(500);

function operationsOf(subject: Subject): readonly Operation[] {
  const { adapter, sample } = subject;
  const { connect } = adapter;
  const operations: Operation[] = [];
  for (const one of methodsOf(subject)) {
    if (one.kind === "credentials") {
      operations.push({
        name: "signIn",
        script: one.sample.signIn,
        userNamedHosts: "any",
        call: async (client) => await one.method.signIn(client, appOf(adapter), one.sample.values, NOW),
      });
      continue;
    }
    const { start: script } = one.sample;
    if (script) {
      operations.push({
        name: "start",
        script,
        userNamedHosts: "any",
        call: async (client) => await startOf(adapter, one).start(client),
      });
    }
    operations.push({
      name: "exchangeCode",
      script: one.sample.exchangeCode,
      userNamedHosts: "any",
      call: async (client) => {
        const { start, exchange } = startOf(adapter, one);
        const started = unwrap(await start(clientFor(script)));
        return await exchange(client, one.sample.params, throughJson(started.state));
      },
    });
  }
  const userNamedHosts = sample.tokens.hosts ?? [];
  operations.push({
    name: "listAccounts",
    script: sample.listAccounts,
    userNamedHosts,
    call: async (client) => await connect.listAccounts(client, appOf(adapter), sample.tokens),
  });
  const { tokenRefresh } = connect;
  if (tokenRefresh.kind === "refresh" && sample.refresh) {
    operations.push({
      name: "refresh",
      script: sample.refresh,
      userNamedHosts,
      call: async (client) => await tokenRefresh.refresh(client, appOf(adapter), sample.tokens, NOW),
    });
  }
  return operations;
}

const throughJson = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** Every request goes to a host of the adapter or, where users name hosts, to one of the login. */
export function expectHosts(
  expect: ExpectStatic,
  adapter: Adapter,
  client: ScriptedClient,
  userNamedHosts: readonly string[] | "any",
): void {
  for (const { url } of client.requests) {
    expect(url.protocol, url.href).toBe("https:");
    const isUserNamed =
      adapter.hasUserNamedHosts && (userNamedHosts === "any" || userNamedHosts.includes(url.hostname));
    expect(isUserNamed || hostMatches(adapter.hosts, url.hostname), url.hostname).toBe(true);
  }
}

function expectFault(expect: ExpectStatic, result: Result<unknown, FaultCode>, description: string): void {
  expect(result, description).toMatchObject({
    ok: false,
    fault: {
      kind: expect.stringMatching(/^(reconnect|rate_limited|temporary|rejected)$/),
      code: expect.stringMatching(RESULT_CODE),
      message: expect.stringMatching(/\w+ \w+/),
    },
  });
  expectNoSecret(expect, result);
}

const textOf = async ({ url, body }: SentRequest): Promise<string> =>
  `${url.href} ${body === null ? "" : decodeURIComponent(await new Response(body).text())}`;

/** The faults of an unavailable platform, whatever the call. */
const UNAVAILABLE = { "500": "temporary", "503": "temporary", "a lost connection": "temporary" } as const;

async function checkStart(subject: Subject): Promise<void> {
  const { adapter, expect } = subject;
  for (const one of methodsOf(subject)) {
    if (one.kind !== "oauth") {
      continue;
    }
    const client = clientFor(one.sample.start);
    const { url, state } = unwrap(await startOf(adapter, one).start(client));
    expect(client.requests, "requests of the start").toHaveLength(one.sample.start?.responses.length ?? 0);
    expect(url.protocol).toBe("https:");
    expect(throughJson(state)).toEqual(state);
    expectNoSecret(expect, url.href);
    expect(url.href, "the verifier stays with the service").not.toContain(CODE_VERIFIER);
    // A pushed authorization request (RFC 9126) carries the parameters in its body instead of the URL.
    const sent = [decodeURIComponent(url.href), ...(await Promise.all(client.requests.map(textOf)))].join(" ");
    expect(sent).toContain(STATE);
    expect(sent).toContain(CLIENT_IDENTITY.redirectUri);
  }
}

async function checkCancelled(subject: Subject): Promise<void> {
  const { adapter, expect } = subject;
  for (const one of methodsOf(subject)) {
    if (one.kind !== "oauth") {
      continue;
    }
    const { start, exchange } = startOf(adapter, one);
    const { state } = unwrap(await start(clientFor(one.sample.start)));
    const unused = scriptedClient(500);
    const result = await exchange(unused, cancelledParams(one.sample), throughJson(state));
    expect(result).toMatchObject({ ok: false, fault: { kind: "rejected", code: "login_cancelled" } });
    expect(unused.requests).toHaveLength(0);
  }
}

/** RFC 9700, 4.4: where people name servers, a code of another one must not reach the server of the login. */
async function checkMixUp(subject: Subject): Promise<void> {
  const { adapter, expect } = subject;
  for (const one of methodsOf(subject)) {
    if (one.kind !== "oauth" || !adapter.hasUserNamedHosts) {
      continue;
    }
    const { method, sample } = one;
    const { start, exchange } = startOf(adapter, one);
    const { url, state } = unwrap(await start(clientFor(sample.start)));
    const server = method.serverOf?.(throughJson(state));
    if (method.serverOf) {
      expect(server).toBe(url.hostname);
      expect(url.searchParams.get("redirect_uri")).toBe(CLIENT_IDENTITY.redirectUriOf(url.hostname));
    }
    const { iss: _, ...withoutIssuer } = sample.params;
    const otherIssuer = { ...withoutIssuer, iss: "https://elsewhere.example" };
    for (const params of method.serverOf ? [otherIssuer] : [otherIssuer, withoutIssuer]) {
      const unused = scriptedClient(500);
      const result = await exchange(unused, params, throughJson(state));
      expect(result).toMatchObject({ ok: false, fault: { kind: "rejected", code: "login_refused" } });
      expect(unused.requests).toHaveLength(0);
    }
  }
}

function cancelledParams({ params }: OAuthSample): Readonly<Record<string, string>> {
  const { code: _, ...others } = params;
  return { ...others, error: "access_denied", error_description: "no" };
}

async function checkSuccess(subject: Subject): Promise<void> {
  const { adapter, expect } = subject;
  for (const operation of operationsOf(subject)) {
    const client = clientFor(operation.script);
    const result = await operation.call(client);
    expect(result, operation.name).toMatchObject({ ok: true });
    expect(client.requests, `requests of ${operation.name}`).toHaveLength(operation.script.responses.length);
    expectHosts(expect, adapter, client, operation.userNamedHosts);
  }
}

async function checkRefusals(subject: Subject): Promise<void> {
  const { adapter, expect } = subject;
  for (const operation of operationsOf(subject)) {
    for (const { name, responses, fault } of operation.script.refusals) {
      const description = `${operation.name}: ${name}`;
      const client = scriptedClient(...responses);
      const result = await operation.call(client);
      expectFault(expect, result, description);
      expect(result, description).toMatchObject({ ok: false, fault });
      expect(client.requests.length, `requests of ${description}`).toBeGreaterThanOrEqual(responses.length);
      expectHosts(expect, adapter, client, operation.userNamedHosts);
    }
  }
}

async function checkFailures(subject: Subject): Promise<void> {
  const { adapter, expect } = subject;
  for (const operation of operationsOf(subject)) {
    const { responses, optionalRequests = {}, partialRequests = {} } = operation.script;
    for (const index of responses.keys()) {
      for (const [name, failure] of FAILURES) {
        const description = `${operation.name}: ${name} for request ${index}`;
        const client = scriptedClient(...responses.slice(0, index), failure);
        const result = await operation.call(client);
        expect(client.requests.length, `requests of ${description}`).toBeGreaterThan(index);
        expectHosts(expect, adapter, client, operation.userNamedHosts);
        if (index in optionalRequests) {
          expect(result, description).toMatchObject({ ok: true });
          continue;
        }
        if (index in partialRequests && result.ok) {
          expect(result, description).toMatchObject({ value: { accounts: [{ isPartial: true }] } });
          continue;
        }
        expectFault(expect, result, description);
        if (name.startsWith("429")) {
          expect(result, description).toMatchObject({ fault: { kind: "rate_limited" } });
        } else if (name in UNAVAILABLE) {
          expect(result, description).toMatchObject({ fault: { kind: "temporary" } });
        }
      }
    }
  }
}

async function checkEndedGrant(subject: Subject): Promise<void> {
  const { sample, expect } = subject;
  const refresh = operationsOf(subject).find(({ name }) => name === "refresh");
  expect(refresh === undefined, "the sample refreshes tokens if the adapter does").toBe(sample.refresh === null);
  const endedGrant = sample.refresh?.refusals[0];
  if (refresh && endedGrant) {
    const client = scriptedClient(...endedGrant.responses);
    expect(await refresh.call(client)).toMatchObject({ ok: false, fault: { kind: "reconnect" } });
    expect(client.requests.length).toBeGreaterThan(0);
  }
}

async function checkRevoke({ adapter, sample, expect }: Subject): Promise<void> {
  const { revoke } = adapter.connect;
  expect(revoke === null, "the sample revokes logins if the adapter does").toBe(sample.revoke === null);
  if (!revoke || !sample.revoke) {
    return;
  }
  const tokens: TokenSet = { ...sample.tokens, ...sample.revoke.tokens };
  const client = scriptedClient(...sample.revoke.responses);
  await revoke(client, appOf(adapter), tokens);
  expect(client.requests, "requests of revoke").toHaveLength(sample.revoke.responses.length);
  expectHosts(expect, adapter, client, tokens.hosts ?? []);
  const sent = await Promise.all(
    client.requests.map(async (request) => `${await textOf(request)} ${request.headers.get("authorization") ?? ""}`),
  );
  const isTokenSent = [tokens.accessToken, tokens.refreshToken].some(
    (token) => token && sent.join(" ").includes(token),
  );
  expect(isTokenSent, "the call names the login").toBe(true);
  for (const [name, failure] of FAILURES) {
    const failing = scriptedClient(failure);
    await expect(revoke(failing, appOf(adapter), tokens), name).resolves.toBeUndefined();
    expect(failing.requests.length, name).toBeGreaterThan(0);
  }
}

export const CONNECT_CHECKS = {
  "a login starts with the state and the redirect URI and discloses no secret": checkStart,
  "a cancelled login is a fault and sends no request": checkCancelled,
  "the answer of another server than the one that a person named is refused before any request": checkMixUp,
  "every function succeeds with the platform's answers and sends exactly their requests": checkSuccess,
  "a refusal of the platform is its fault": checkRefusals,
  "a failure of any request is a fault, not a throw and not a success": checkFailures,
  "an ended grant is the fault reconnect": checkEndedGrant,
  "revoking names the login and never throws": checkRevoke,
} as const satisfies Readonly<Record<string, (subject: Subject) => Promise<void>>>;

export type ConnectCheck = keyof typeof CONNECT_CHECKS;
export const CONNECT_CHECK_NAMES = Object.keys(CONNECT_CHECKS) as ConnectCheck[];

/** The names of the checks that the adapter fails, of all or of these. */
export async function failedChecks(
  subject: Subject,
  names: readonly ConnectCheck[] = CONNECT_CHECK_NAMES,
): Promise<ConnectCheck[]> {
  const failed: ConnectCheck[] = [];
  for (const name of names) {
    try {
      await CONNECT_CHECKS[name](subject);
    } catch {
      failed.push(name);
    }
  }
  return failed;
}

import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { clientIdentity } from "#accounts/connect/connect-methods.ts";
import { checkUrl } from "#core/public-address/check-url.ts";
import { sha256Hex, toBase64Url } from "#core/encoding.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type {
  AccountAccess,
  Adapter,
  AppCredentials,
  CommitOutcome,
  MediaDescription,
  Fault,
  Job,
  JobFile,
  JobMedia,
  LoginResult,
  PrepareOutcome,
  TokenSet,
  PlatformClient,
} from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { openPlatformClient, reachableHosts } from "#platforms/client.ts";
import { userAgent } from "#core/user-agent.ts";
import type { PublishedPost } from "#sandbox/contract.ts";
import { sandboxOutbound } from "#sandbox/index.ts";
import { connectInputOf, findSimulator } from "#sandbox/registry.ts";
import { exports } from "cloudflare:workers";
import { exchangeCode, memoryRegistrations, startLogin } from "./call-connector.ts";
import { unwrap } from "./unwrap.ts";

export { unwrap } from "./unwrap.ts";

/*
 * Runs an adapter against the simulator of its platform without the service: a short replacement for the publisher handles
 * the outcomes, and tests set the clock.
 */

const ORIGIN = "http://localhost:8787";

/** Sees every call of an adapter to a simulator: a copy of the request, and the status of the answer. */
export type CallListener = (request: Request, status: number) => Promise<void>;

let listener: CallListener | null = null;

/** Reports the calls made while `work` runs. */
export async function withCallListener<T>(onCall: CallListener, work: () => Promise<T>): Promise<T> {
  listener = onCall;
  try {
    return await work();
  } finally {
    listener = null;
  }
}

async function fetchFromSimulator(request: Request): Promise<Response> {
  if (!listener) {
    return await sandboxOutbound(env).platformFetch(request);
  }
  // Read first: a simulator that answers without reading the body would leave a copy of the stream waiting.
  const bytes = await request.arrayBuffer();
  const body = bytes.byteLength === 0 ? null : bytes;
  const { method, headers, signal } = request;
  const withBody = () => new Request(request.url, { method, headers, signal, redirect: "manual", body });
  const response = await sandboxOutbound(env).platformFetch(withBody());
  await listener(withBody(), response.status);
  return response;
}

export function simulatedClient(adapter: Adapter): PlatformClient {
  const hosts = reachableHosts(adapter, {
    userNamed: "any",
    checkAddress: (url) => Promise.resolve(checkUrl(url.href, null)),
    userAgent: userAgent(ORIGIN),
  });
  return openPlatformClient(fetchFromSimulator, hosts);
}

async function callSandbox(path: string, body?: unknown): Promise<Response> {
  return await exports.default.fetch(
    new Request(ORIGIN + path, {
      method: body === undefined ? "GET" : "POST",
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    }),
  );
}

export async function injectFault(adapter: Adapter, fault: JsonObject): Promise<void> {
  const response = await callSandbox(`/sandbox/platforms/${adapter.platform}/faults`, fault);
  if (!response.ok) {
    throw new Error(await response.text());
  }
}

export async function revokeAtPlatform(adapter: Adapter, account: string): Promise<void> {
  await callSandbox(`/sandbox/platforms/${adapter.platform}/revoke`, { account });
}

export async function publishedPosts(adapter: Adapter, account: string): Promise<readonly PublishedPost[]> {
  const response = await callSandbox(`/sandbox/platforms/${adapter.platform}/posts`);
  const { posts } = await response.json<{ posts: PublishedPost[] }>();
  return posts.filter((post) => post.account === account);
}

/** Without settings of their own, tests have those of the sandbox's operator. */
export function sandboxCredentials(
  adapter: Adapter,
  settings: Readonly<Record<string, string>> = findSimulator(adapter.platform)?.operatorApp?.variables ?? {},
) {
  // A login through another platform uses the app of that platform.
  const app = settings["LOGIN_VARIANT"] ?? adapter.platform;
  return adapter.operatorCredentials === "none"
    ? { clientId: "", clientSecret: "", settings }
    : { clientId: `sandbox-${app}`, clientSecret: `sandbox-${app}-secret`, settings };
}

export interface ConnectedLogin {
  readonly tokens: TokenSet;
  readonly externalId: string;
  readonly accounts: readonly (AccountAccess & { readonly displayName: string })[];
  readonly unpostable: readonly { readonly displayName: string; readonly reason: string }[];
}

export interface BrowserLogin {
  /** The query of the callback after the user's consent. */
  readonly params: Readonly<Record<string, string>>;
  readonly exchange: (params: Readonly<Record<string, string>>, app?: AppCredentials) => Promise<LoginResult>;
}

/** A browser login up to the callback; `consent` is added to the address of the consent page (`untick`). */
export async function logInAtPlatform(
  adapter: Adapter,
  userName: string,
  settings?: Record<string, string>,
  consent: Record<string, string> = {},
): Promise<BrowserLogin> {
  const client = simulatedClient(adapter);
  const credentials = sandboxCredentials(adapter, settings);
  const identity = clientIdentity(ORIGIN, adapter.platform);
  // Authorization servers may accept a challenge once only.
  const codeVerifier = toBase64Url(crypto.getRandomValues(new Uint8Array(48)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier));
  const registrations = memoryRegistrations();
  const { url: loginUrl, state: started } = await startLogin(adapter.connect, client, credentials, {
    ...identity,
    state: "some-state",
    codeVerifier,
    codeChallenge: toBase64Url(new Uint8Array(digest)),
    input: connectInputOf(adapter.platform, userName),
    registrations,
    now: Date.now(),
  });
  for (const [name, value] of Object.entries({ login: userName, ...consent })) {
    loginUrl.searchParams.set(name, value);
  }
  const redirect = await fetchFromSimulator(new Request(loginUrl, { redirect: "manual" }));
  const location = redirect.headers.get("location");
  if (!location) {
    throw new Error(`the login did not redirect: ${redirect.status} ${await redirect.text()}`);
  }
  return {
    params: Object.fromEntries(new URL(location).searchParams),
    exchange: async (params, app = credentials) =>
      await exchangeCode(adapter.connect, client, app, {
        ...identity,
        params,
        codeVerifier,
        started,
        registrations,
        now: Date.now(),
      }),
  };
}

/** The whole login: redirect, code exchange and list of accounts. */
export async function logIn(
  adapter: Adapter,
  userName: string,
  settings?: Record<string, string>,
): Promise<ConnectedLogin> {
  const client = simulatedClient(adapter);
  const credentials = sandboxCredentials(adapter, settings);
  const { params, exchange } = await logInAtPlatform(adapter, userName, settings);
  const login = unwrap(await exchange(params));
  const { accounts, unpostable } = unwrap(await adapter.connect.listAccounts(client, credentials, login.tokens));
  return {
    tokens: login.tokens,
    externalId: login.externalId,
    unpostable,
    accounts: accounts.map((account) => ({
      platformAccountId: account.platformAccountId,
      username: account.username,
      displayName: account.displayName,
      capabilities: account.capabilities,
      accessToken: account.token ?? login.tokens.accessToken,
      loginToken: login.tokens.accessToken,
      extra: login.tokens.extra ?? {},
      app: credentials,
    })),
  };
}

const sampleBytes = new Map<string, Uint8Array<ArrayBuffer>>();

/** A media file of the sandbox as a stored file of a job. */
export async function sampleMedia(
  name: string,
  facts: Partial<Omit<MediaDescription, "cover">> = {},
): Promise<JobMedia> {
  const bytes =
    sampleBytes.get(name) ?? new Uint8Array(await (await callSandbox(`/sandbox/media/${name}`)).arrayBuffer());
  sampleBytes.set(name, bytes);
  const type = name.endsWith(".mp4") ? "video" : "image";
  const contentTypes: Record<string, string> = {
    jpg: "image/jpeg",
    png: "image/png",
    gif: "image/gif",
    mp4: "video/mp4",
    webp: "image/webp",
  };
  return {
    id: name,
    type,
    contentType: contentTypes[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
    sizeBytes: bytes.byteLength,
    width: null,
    height: null,
    durationSeconds: null,
    facts: {},
    ...facts,
    sha256: await sha256Hex(bytes),
    url: `${ORIGIN}/sandbox/media/${name}`,
    filename: name,
    read: (range) =>
      Promise.resolve(new Blob([range ? bytes.subarray(range.offset, range.offset + range.length) : bytes]).stream()),
  };
}

export interface PostContent {
  readonly caption: string;
  readonly media?: readonly JobMedia[];
  /** Of the parts of a thread after the first. */
  readonly partMedia?: readonly (readonly JobMedia[])[];
  /** The file that the option `document` names. */
  readonly document?: JobFile;
  readonly options?: JsonObject;
}

export type PublishResult =
  | { readonly state: "published"; readonly remoteId: string; readonly url: string | null }
  | { readonly state: "failed"; readonly fault: Fault }
  | { readonly state: "unknown"; readonly detail: string };

const throughJson = (value: JsonValue): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;
const MAX_STEPS = 120;

/** Calls `prepare` against the simulator until it returns a reference. */
export async function prepareUntilReady(adapter: Adapter, post: Job): Promise<JsonValue> {
  const client = simulatedClient(adapter);
  let cursor: JsonValue | undefined;
  for (let count = 0; count < MAX_STEPS; count++) {
    const outcome = await adapter.prepare(client, { ...post, now: Date.now() }, cursor);
    switch (outcome.state) {
      case "ready":
        return throughJson(outcome.ref);
      case "again":
        cursor = throughJson(outcome.cursor);
        vi.setSystemTime(Date.now() + Math.max(0.25, outcome.afterSeconds) * 1000);
        break;
      case "refused":
        throw new Error(`${outcome.fault.code}: ${outcome.fault.message}`);
    }
  }
  throw new Error("prepare did not become ready");
}

/** Calls the steps of one target like the publisher, and passes every stored value through JSON like its journal. */
export async function publishUntilSettled(
  adapter: Adapter,
  account: AccountAccess,
  post: PostContent,
  beforeCommit?: () => Promise<void>,
): Promise<PublishResult & { readonly steps: readonly string[] }> {
  const client = simulatedClient(adapter);
  const media = post.media ?? [];
  const validation = adapter.validate({
    caption: post.caption,
    postType: media.length === 0 ? "text" : media.some((item) => item.type === "video") ? "video" : "image",
    media,
    ...(post.partMedia && { partMedia: post.partMedia }),
    options: post.options ?? {},
    account,
    settings: account.app.settings,
  });
  if (validation.problems.length > 0) {
    throw new Error(`validation failed: ${JSON.stringify(validation.problems)}`);
  }
  const run = {
    committedAt: null as number | null,
    lastCommittedAt: null as number | null,
    progress: null as JsonValue,
  };
  const job = (): Job => ({
    postId: crypto.randomUUID(),
    accountId: "account",
    account,
    caption: post.caption,
    postType: media.length === 0 ? "text" : media.some((item) => item.type === "video") ? "video" : "image",
    options: validation.options,
    media,
    ...(post.partMedia && { partMedia: post.partMedia }),
    ...(post.document && { document: post.document }),
    dueAt: Date.now(),
    ...run,
    siblings: [],
    now: Date.now(),
  });
  const advanceClock = (seconds: number) => vi.setSystemTime(Date.now() + Math.max(0.25, seconds) * 1000);
  const steps: string[] = [];
  const recordStep = (step: string, outcome: { readonly state: string }) => steps.push(`${step}:${outcome.state}`);
  let cursor: JsonValue | undefined;
  let ref: JsonValue | undefined;
  let step: "prepare" | "commit" | "verify" = "prepare";
  let isBeforeCommitDone = false;
  const postId = crypto.randomUUID();

  for (let count = 0; count < MAX_STEPS; count++) {
    const currentJob = { ...job(), postId };
    if (step === "prepare") {
      const outcome = await adapter.prepare(client, currentJob, cursor).catch((): PrepareOutcome => ({
        state: "refused",
        fault: temporary("thrown", { httpStatus: null }),
      }));
      recordStep(step, outcome);
      if (outcome.state === "again") {
        cursor = throughJson(outcome.cursor);
        advanceClock(outcome.afterSeconds);
      } else if (outcome.state === "ready") {
        ref = throughJson(outcome.ref);
        step = "commit";
      } else if (outcome.fault.kind === "temporary" || outcome.fault.kind === "rate_limited") {
        advanceClock(outcome.fault.retryAfterSeconds ?? 30);
      } else {
        return { state: "failed", fault: outcome.fault, steps };
      }
    } else if (step === "commit") {
      if (!isBeforeCommitDone) {
        isBeforeCommitDone = true;
        await beforeCommit?.();
      }
      run.committedAt ??= Date.now();
      run.lastCommittedAt = Date.now();
      const outcome: CommitOutcome = await adapter
        .commit(client, { ...job(), postId }, ref ?? null)
        .catch((): CommitOutcome => ({ state: "uncertain", detail: "thrown", httpStatus: null }));
      recordStep(step, outcome);
      switch (outcome.state) {
        case "published":
          return { ...outcome, steps };
        case "accepted":
          ref = throughJson(outcome.ref);
          step = "verify";
          advanceClock(outcome.afterSeconds);
          break;
        case "more":
          advanceClock(outcome.afterSeconds ?? 0);
          ref = throughJson(outcome.ref);
          run.progress = throughJson(outcome.progress);
          run.committedAt = null;
          run.lastCommittedAt = null;
          cursor = undefined;
          step = outcome.prepareFirst ? "prepare" : "commit";
          break;
        case "stale":
          cursor = undefined;
          run.committedAt = null;
          run.lastCommittedAt = null;
          step = "prepare";
          break;
        case "uncertain":
          ref = outcome.ref === undefined ? ref : throughJson(outcome.ref);
          step = "verify";
          advanceClock(1);
          break;
        case "refused":
          if (outcome.fault.kind !== "rate_limited") {
            return { state: "failed", fault: outcome.fault, steps };
          }
          run.committedAt = null;
          run.lastCommittedAt = null;
          advanceClock(outcome.fault.retryAfterSeconds ?? 30);
      }
    } else {
      const outcome = await adapter.verify(client, currentJob, ref ?? null);
      recordStep(step, outcome);
      switch (outcome.state) {
        case "published":
          return { ...outcome, steps };
        case "again":
          ref = outcome.ref === undefined ? ref : throughJson(outcome.ref);
          advanceClock(Math.max(1, outcome.afterSeconds));
          break;
        case "absent":
          step = "commit";
          break;
        case "more":
          advanceClock(outcome.afterSeconds ?? 0);
          ref = throughJson(outcome.ref);
          run.progress = throughJson(outcome.progress);
          run.committedAt = null;
          run.lastCommittedAt = null;
          cursor = undefined;
          step = outcome.prepareFirst ? "prepare" : "commit";
          break;
        case "stale":
          cursor = undefined;
          run.committedAt = null;
          run.lastCommittedAt = null;
          step = "prepare";
          break;
        case "refused":
          return { state: "failed", fault: outcome.fault, steps };
        case "cannot_tell":
          return { state: "unknown", detail: outcome.detail, steps };
      }
    }
  }
  throw new Error(`the target did not settle: ${steps.join(" ")}`);
}

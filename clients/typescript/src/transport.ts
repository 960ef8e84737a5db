import { AlmanacConnectionError, AlmanacError, isErrorBody } from "./errors.ts";
import type { ErrorCode } from "./generated/types.gen.ts";

/** Why a call is sent once more. */
export type RetryReason =
  | "connection"
  | "timeout"
  | "rate_limited"
  | "unavailable"
  | "server_error"
  | "key_in_use"
  | "token_not_visible";

/** What is told about a call that will be sent once more. */
export interface Retry {
  /** The method of the call. */
  readonly method: string;
  /** The path of the call, below the address of the service. */
  readonly path: string;
  /** Why. */
  readonly reason: RetryReason;
  /** How often it was sent so far. */
  readonly attempts: number;
  /** How long the client waits first. */
  readonly delayMs: number;
}

/** How often, and how long after each other, a call is repeated. */
export interface RetryOptions {
  /** How often a call is repeated at most; 0 for never. 5 when absent. */
  readonly maxRetries?: number;
  /** The longest wait before the first repetition; it doubles with each further one. 500 when absent. */
  readonly baseDelayMs?: number;
  /** The longest wait that the client chooses itself. 8000 when absent. */
  readonly maxDelayMs?: number;
  /** The longest `Retry-After` that is waited for; a longer one is thrown at once. 60 when absent. */
  readonly maxRetryAfterSeconds?: number;
}

/** Why a token is asked for. */
export interface TokenRequest {
  /** The token that the service refused just now, for a provider that can get a new one. */
  readonly refused: string | undefined;
}

/** An API key or access token, or a function that has one: it is called before each call, and once more after a 401. */
export type TokenSource = string | ((request: TokenRequest) => string | Promise<string>);

/** What the transport needs to know. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly token: TokenSource;
  readonly workspace: string | undefined;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number | undefined;
  readonly retry: Required<RetryOptions>;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

/** How one kind of call may be repeated. */
export interface RepeatPolicy {
  /** Whether the client makes an `Idempotency-Key` for a write that has none. */
  readonly addsKey: boolean;
  /** Whether the call has the same effect when it runs twice, even after a 500. */
  readonly isRepeatable: boolean;
  /** Whether a key that is still in use is waited for; otherwise the refusal is thrown. */
  readonly waitsForKey: boolean;
}

/** What ends by itself is waited for, however often that takes. */
const MAX_WAIT_MS = {
  /** The service gives up the call that still holds the key after 60 seconds. */
  key_in_use: 65_000,
  /** A preview of another location is visible everywhere after 90 seconds. */
  token_not_visible: 95_000,
} as const;

const DEFAULT_TIMEOUT_MS = 60_000;
/** The service fetches files of other servers within these calls, up to a gigabyte each, or asks every platform. */
const SLOW_TIMEOUT_MS = 600_000;
const SLOW_CALLS = new Set([
  "POST /posts/preview",
  "POST /posts/edit/preview",
  "POST /posts/bulk/preview",
  "POST /drafts/{id}/preview",
  "POST /media",
  "POST /accounts/sync",
]);

/** Writes nothing that a second run would write twice, so that a key would only cost the service rows. */
const REPEATABLE_CALLS = new Set([...SLOW_CALLS, "POST /accounts"]);

/** A call by its path in the document, where that has an id. */
const nameOf = (method: string, path: string): string =>
  `${method} ${path.replace(/^\/drafts\/[^/]+\/preview$/, "/drafts/{id}/preview")}`;

/** Answers of what stands between client and service: nobody knows whether the service has done its work. */
const isGatewayError = (status: number): boolean =>
  status === 502 || status === 504 || (status >= 520 && status <= 530);

/** Sends calls, and sends them again where that is safe. */
export interface Transport {
  /** The function that the generated client calls. */
  readonly fetch: typeof fetch;
  /** The same for calls with another policy. */
  with(policy: RepeatPolicy): typeof fetch;
}

/** One call, as it is sent each time. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | Blob | Uint8Array<ArrayBuffer> | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** False for a signed URL, which must not get the credential. */
  readonly isAuthorized: boolean;
}

/** An answer with its whole body: one that broke off was lost like one that never came. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Waits, or throws the reason of the signal as soon as it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
  signal?.throwIfAborted();
}

/** The wait that a `Retry-After` asks for: seconds, or a date. */
function retryAfterSeconds(headers: Headers, now: number = Date.now()): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) {
    return undefined;
  }
  if (/^\d+$/.test(text)) {
    return Number(text);
  }
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

/** A random wait, so that clients which failed together do not come back together. */
function backoffMs({ baseDelayMs, maxDelayMs }: Required<RetryOptions>, retries: number): number {
  return Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** retries);
}

/** What the generated client throws for an answer that is no success. */
export function toError(error: unknown, response: Response | undefined): unknown {
  if (isErrorBody(error) && response) {
    return new AlmanacError(response.status, error, retryAfterSeconds(response.headers));
  }
  if (error instanceof Error || !response) {
    return error;
  }
  return new AlmanacConnectionError(`the answer with status ${response.status} is not the service's`, {
    attempts: 1,
    status: response.status,
    cause: error,
  });
}

/** Sends one call, again and again where that is safe. */
export async function sendCall(options: TransportOptions, call: Call, policy: RepeatPolicy): Promise<Response> {
  const { retry } = options;
  let attempts = 0;
  let retries = 0;
  let waitEnds: number | undefined;
  let refusedToken: string | undefined;
  for (;;) {
    const token = call.isAuthorized ? await tokenFrom(options.token, refusedToken) : undefined;
    const result = await attempt(options, call, token);
    attempts += 1;
    if ("answer" in result) {
      const { answer } = result;
      if (
        answer.status === 401 &&
        typeof options.token === "function" &&
        token !== undefined &&
        refusedToken === undefined
      ) {
        // A refused credential has changed nothing, and its owner may have a newer one.
        refusedToken = token;
        continue;
      }
      const reason = reasonToRepeat(answer, call, policy);
      if (reason === undefined) {
        return toResponse(answer);
      }
      const wait = retryAfterSeconds(answer.headers);
      if (reason === "key_in_use" || reason === "token_not_visible") {
        waitEnds ??= Date.now() + MAX_WAIT_MS[reason];
        if (Date.now() > waitEnds) {
          return toResponse(answer);
        }
      } else if (retries >= retry.maxRetries || (wait ?? 0) > retry.maxRetryAfterSeconds) {
        return toResponse(answer);
      } else {
        retries += 1;
      }
      // Not all at the same moment, although all were told the same.
      const delayMs =
        wait === undefined ? backoffMs(retry, retries - 1) : wait * 1000 + Math.random() * retry.baseDelayMs;
      await pause(options, call, { reason, attempts, delayMs });
      continue;
    }
    call.signal?.throwIfAborted();
    const isSafe = call.method === "GET" || policy.isRepeatable || call.headers.has("idempotency-key");
    if (!isSafe || retries >= retry.maxRetries) {
      throw new AlmanacConnectionError(
        result.timedOut
          ? `${call.method} ${call.path}: no answer within ${call.timeoutMs} ms`
          : `${call.method} ${call.path}: the connection failed`,
        { attempts, cause: result.cause },
      );
    }
    const delayMs = backoffMs(retry, retries);
    retries += 1;
    await pause(options, call, { reason: result.timedOut ? "timeout" : "connection", attempts, delayMs });
  }
}

async function tokenFrom(source: TokenSource, refused: string | undefined): Promise<string> {
  return typeof source === "string" ? source : await source({ refused });
}

async function pause(
  { onRetry }: TransportOptions,
  { method, path, signal }: Call,
  retry: Pick<Retry, "reason" | "attempts" | "delayMs">,
): Promise<void> {
  onRetry?.({ method, path, ...retry });
  await sleep(retry.delayMs, signal);
}

type AttemptResult = { readonly answer: Answer } | { readonly timedOut: boolean; readonly cause: unknown };

async function attempt({ fetch }: TransportOptions, call: Call, token: string | undefined): Promise<AttemptResult> {
  const headers = new Headers(call.headers);
  if (token !== undefined) {
    headers.set("authorization", `Bearer ${token}`);
  }
  const timeout = AbortSignal.timeout(call.timeoutMs);
  try {
    const response = await fetch(call.url, {
      method: call.method,
      headers,
      ...(call.body !== undefined && { body: call.body }),
      signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
    });
    return { answer: { status: response.status, headers: response.headers, text: await response.text() } };
  } catch (cause) {
    return { timedOut: timeout.aborted, cause };
  }
}

function reasonToRepeat(
  { status, text }: Answer,
  { method, headers }: Call,
  policy: RepeatPolicy,
): RetryReason | undefined {
  const isRead = method === "GET";
  if (status === 429) {
    return "rate_limited";
  }
  if (status === 503) {
    return "unavailable";
  }
  if (status === 409 && isRefusedWith(text, "token_not_visible_yet")) {
    return "token_not_visible";
  }
  if (status === 409 && policy.waitsForKey) {
    return "key_in_use";
  }
  if (isGatewayError(status)) {
    return isRead || policy.isRepeatable || headers.has("idempotency-key") ? "connection" : undefined;
  }
  // The key of a call that ended with 500 is free again, so that a second run could do a second write.
  return status === 500 && (isRead || policy.isRepeatable) ? "server_error" : undefined;
}

function isRefusedWith(text: string, code: ErrorCode): boolean {
  try {
    const body: unknown = JSON.parse(text);
    return isErrorBody(body) && body.code === code;
  } catch {
    return false;
  }
}

function toResponse({ status, headers, text }: Answer): Response {
  // 204 and its like may have no body, not even an empty one.
  return new Response(text === "" ? null : text, { status, headers });
}

/** The calls of the generated client come here. */
export function createTransport(options: TransportOptions): Transport {
  const prefix = new URL(options.baseUrl).pathname.replace(/\/$/, "");
  const send = async (request: Request, policy?: RepeatPolicy): Promise<Response> => {
    const { method, url } = request;
    const { pathname } = new URL(url);
    const path = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : pathname;
    const isRepeatable = method === "GET" || REPEATABLE_CALLS.has(nameOf(method, path));
    const applied = policy ?? { addsKey: !isRepeatable, isRepeatable, waitsForKey: true };
    const headers = new Headers(request.headers);
    if (applied.addsKey && !headers.has("idempotency-key")) {
      headers.set("idempotency-key", crypto.randomUUID());
    }
    if (options.workspace !== undefined && !headers.has("almanac-workspace")) {
      headers.set("almanac-workspace", options.workspace);
    }
    const body = request.body === null ? undefined : await request.text();
    const timeoutMs =
      options.timeoutMs ?? (SLOW_CALLS.has(nameOf(method, path)) ? SLOW_TIMEOUT_MS : DEFAULT_TIMEOUT_MS);
    return await sendCall(
      options,
      { method, path, url, headers, body, signal: request.signal, timeoutMs, isAuthorized: true },
      applied,
    );
  };
  const asFetch =
    (policy?: RepeatPolicy): typeof fetch =>
    async (input, init) =>
      await send(new Request(input, init), policy);
  return { fetch: asFetch(), with: asFetch };
}

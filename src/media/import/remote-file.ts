import type { Services } from "#context.ts";
import type { Clock } from "#core/clock.ts";
import type { ImportLimits } from "#media/limits.ts";
import { openBody, type RemoteResponse } from "#core/fetch-answer.ts";
import { checkPublicUrl } from "#core/public-address/check-public-url.ts";
import { withTimeout } from "#core/with-timeout.ts";
import { openChunkReader, TransferInterrupted } from "#media/chunk-reader.ts";
import { type CheckResult, checkFailed } from "#media/types.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A file at a public URL, which is read chunk by chunk. */
export interface RemoteFile {
  /** The URL after all redirects. */
  readonly url: URL;
  /** The length that the server stated. Null if it stated none, or the length of compressed bytes. */
  readonly statedBytes: number | null;
  readonly compressed: boolean;
  /** Returns the next chunk, which is valid until the next call; null at the end. Throws `TransferInterrupted`. */
  read(): Promise<Uint8Array | null>;
  /** Closes the connection at any time, and never throws. */
  close(): void;
}

type RequestServices = Pick<Services, "outbound" | "config" | "clock">;

function withTransferTimeout<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
  return withTimeout(work, ms, () => new TransferInterrupted(message));
}

async function checkHop({ outbound, config }: RequestServices, url: string): Promise<CheckResult<URL>> {
  const rules = {
    publicFetch: (request: Request) => outbound.publicFetch(request),
    resolver: config.setting("MEDIA_DOH_URL"),
    trustedOrigin: outbound.trustedMediaOrigin,
  };
  return await checkPublicUrl(rules, url);
}

/** Discards a response's body, because an unread body keeps its connection open. */
function discardBody(response: RemoteResponse): void {
  openBody(response)
    ?.cancel()
    .catch(() => undefined);
}

function unexpectedStatus(status: number): CheckResult<never> {
  const advice =
    status === 401 || status === 403
      ? "make the file public"
      : status === 404 || status === 410
        ? "check that the file is still there"
        : "try again later";
  return checkFailed("source_refused", `the source answered with status ${status} instead of the file; ${advice}`, {
    limit: 200,
    actual: status,
  });
}

function toRemoteFile(
  clock: Clock,
  response: RemoteResponse,
  url: URL,
  limits: ImportLimits,
  deadline: number,
): RemoteFile | null {
  const body = openBody(response);
  if (!body) {
    return null;
  }
  const encoding = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  const compressed = encoding !== "" && encoding !== "identity";
  const contentLength = response.headers.get("content-length");
  const reader = openChunkReader(body);
  return {
    url,
    compressed,
    statedBytes:
      !compressed && contentLength !== null && /^\d{1,15}$/.test(contentLength) ? Number(contentLength) : null,
    read() {
      const remainingMs = deadline - clock.now();
      return remainingMs < limits.idleMs
        ? withTransferTimeout(
            reader.next(),
            remainingMs,
            `the transfer took longer than ${limits.totalMs / 1000} s in total`,
          )
        : withTransferTimeout(reader.next(), limits.idleMs, `the source sent nothing for ${limits.idleMs / 1000} s`);
    },
    close: () => reader.close(),
  };
}

/**
 * Requests a public URL. It follows redirects itself, so that every URL is checked first. The server's statements of
 * type and length are not trusted.
 */
export async function openRemoteFile(
  services: RequestServices,
  url: string,
  limits: ImportLimits,
): Promise<CheckResult<RemoteFile>> {
  const deadline = services.clock.now() + limits.totalMs;
  let nextUrl = url;
  for (let hop = 0; hop <= limits.maxRedirects; hop += 1) {
    const checked = await checkHop(services, nextUrl);
    if (!checked.ok) {
      return hop === 0
        ? checked
        : { ok: false, problem: { ...checked.problem, message: `redirected: ${checked.problem.message}` } };
    }
    const response = await sendRequest(
      services,
      checked.value,
      Math.min(limits.idleMs, deadline - services.clock.now()),
    );
    if (response === null) {
      return checkFailed("source_unreachable", "the source did not answer; check the URL or try again later");
    }
    if (!REDIRECTS.has(response.status)) {
      if (response.status !== 200) {
        discardBody(response);
        return unexpectedStatus(response.status);
      }
      const source = toRemoteFile(services.clock, response, checked.value, limits, deadline);
      return source ? { ok: true, value: source } : checkFailed("media_empty", "the source sent an empty file");
    }
    discardBody(response);
    const location = response.headers.get("location");
    if (location === null || !URL.canParse(location, checked.value)) {
      return checkFailed(
        "source_refused",
        `the source answered with redirect ${response.status} without a valid target; use the final URL`,
      );
    }
    nextUrl = new URL(location, checked.value).href;
  }
  return checkFailed(
    "too_many_redirects",
    `the source redirects more than ${limits.maxRedirects} times; use the final URL`,
    {
      limit: limits.maxRedirects,
      actual: limits.maxRedirects + 1,
    },
  );
}

async function sendRequest(services: RequestServices, url: URL, waitMs: number): Promise<RemoteResponse | null> {
  const abort = new AbortController();
  try {
    const request = new Request(url, {
      headers: {
        accept: "image/*, video/*, application/pdf",
        "accept-encoding": "identity",
        "user-agent": "Almanac-Media/1.0",
      },
      redirect: "manual",
      signal: abort.signal,
    });
    return await withTransferTimeout(services.outbound.publicFetch(request), waitMs, "no answer");
  } catch {
    abort.abort();
    return null;
  }
}

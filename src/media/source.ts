import type { Services } from "#context.ts";
import type { Clock } from "#core/clock.ts";
import { checkAddress } from "./address-gate.ts";
import type { ImportLimits } from "./limits.ts";
import { checkName } from "./name-check.ts";
import { openPieces, SourceStopped } from "./pieces.ts";
import { type Checked, bad } from "./types.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What a source said it is, and a way to read it piece by piece. */
export interface Source {
  /** Where the redirects ended. */
  readonly url: URL;
  /** Length by its own word; null when it did not say, or said it of a compressed form. */
  readonly statedBytes: number | null;
  readonly compressed: boolean;
  /** The next piece, valid until the next call; null at the end. Throws `SourceStopped`. */
  read(): Promise<Uint8Array | null>;
  /** Lets go of the connection; safe to call at any time, never throws. */
  close(): void;
}

type Gate = Pick<Services, "outbound" | "config" | "clock">;

function withinTime<T>(work: Promise<T>, ms: number, sentence: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SourceStopped(sentence)), Math.max(0, ms));
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function checkHop(gate: Gate, address: string): Promise<Checked<URL>> {
  const checked = checkAddress(address, gate.outbound.trustedMediaOrigin);
  if (!checked.ok || checked.value.origin === gate.outbound.trustedMediaOrigin) {
    return checked;
  }
  return checkName(gate.outbound, gate.config.setting("MEDIA_DOH_URL"), checked.value);
}

/** An answer whose body nobody wants must not keep its connection. */
function drop(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

function refusedStatus(status: number): Checked<never> {
  const next =
    status === 401 || status === 403
      ? "make the file public"
      : status === 404 || status === 410
        ? "check that the file is still there"
        : "try again later";
  return bad("source_refused", `the source answered with status ${status} instead of the file; ${next}`, {
    limit: 200,
    actual: status,
  });
}

function describe(clock: Clock, response: Response, url: URL, limits: ImportLimits, deadline: number): Source | null {
  if (!response.body) {
    return null;
  }
  const body = response.body;
  const encoding = response.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  const compressed = encoding !== "" && encoding !== "identity";
  const stated = response.headers.get("content-length");
  const pieces = openPieces(body);
  return {
    url,
    compressed,
    statedBytes: !compressed && stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : null,
    read() {
      const left = deadline - clock.now();
      return left < limits.idleMs
        ? withinTime(pieces.next(), left, `the transfer took longer than ${limits.totalMs / 1000} s in total`)
        : withinTime(pieces.next(), limits.idleMs, `the source sent nothing for ${limits.idleMs / 1000} s`);
    },
    close: () => pieces.close(),
  };
}

/**
 * Opens a public address: the gate is asked before every hop, redirects are followed by hand, and the answer's word about
 * type and length is only a word.
 */
export async function openSource(gate: Gate, address: string, limits: ImportLimits): Promise<Checked<Source>> {
  const deadline = gate.clock.now() + limits.totalMs;
  let next = address;
  for (let hop = 0; hop <= limits.maxRedirects; hop += 1) {
    const checked = await checkHop(gate, next);
    if (!checked.ok) {
      return hop === 0
        ? checked
        : { ok: false, problem: { ...checked.problem, message: `redirected: ${checked.problem.message}` } };
    }
    const response = await ask(gate, checked.value, Math.min(limits.idleMs, deadline - gate.clock.now()));
    if (response === null) {
      return bad("source_unreachable", "the source did not answer; check the address or try again later");
    }
    if (!REDIRECTS.has(response.status)) {
      if (response.status !== 200) {
        drop(response);
        return refusedStatus(response.status);
      }
      const source = describe(gate.clock, response, checked.value, limits, deadline);
      return source ? { ok: true, value: source } : bad("media_empty", "the source sent an empty file");
    }
    drop(response);
    const location = response.headers.get("location");
    if (location === null || !URL.canParse(location, checked.value)) {
      return bad(
        "source_refused",
        `the source answered with redirect ${response.status} to nowhere; use the final address`,
      );
    }
    next = new URL(location, checked.value).href;
  }
  return bad(
    "too_many_redirects",
    `the source redirects more than ${limits.maxRedirects} times; use the final address`,
    {
      limit: limits.maxRedirects,
      actual: limits.maxRedirects + 1,
    },
  );
}

async function ask(gate: Gate, url: URL, waitMs: number): Promise<Response | null> {
  const abort = new AbortController();
  try {
    const request = new Request(url, {
      headers: { accept: "image/*, video/*", "accept-encoding": "identity", "user-agent": "Almanac-Media/1.0" },
      redirect: "manual",
      signal: abort.signal,
    });
    return await withinTime(gate.outbound.publicFetch(request), waitMs, "no answer");
  } catch {
    abort.abort();
    return null;
  }
}

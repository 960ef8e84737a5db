import type { Fault, FaultCategory, Result } from "./contract.ts";

/** What the answer itself said; everything a fault keeps of it. */
export interface FaultSource {
  readonly httpStatus: number | null;
  readonly platformCode?: string | null;
  readonly retryAfterSeconds?: number | undefined;
}

interface Wording {
  readonly code: string;
  readonly category: FaultCategory;
  readonly message: string;
  readonly whoMustAct: Fault["whoMustAct"];
}

function build(kind: Fault["kind"], wording: Wording, source: FaultSource): Fault {
  return {
    kind,
    ...wording,
    platformCode: source.platformCode ?? null,
    httpStatus: source.httpStatus,
    ...(source.retryAfterSeconds !== undefined && { retryAfterSeconds: source.retryAfterSeconds }),
  };
}

/** Only the person can help, by logging in again. */
export function reconnect(message: string, source: FaultSource, wording: Partial<Wording> = {}): Fault {
  return build(
    "reconnect",
    { code: "auth_expired", category: "auth", whoMustAct: "user", message, ...wording },
    source,
  );
}

/** Later, and it costs no attempt. */
export function rateLimited(message: string, source: FaultSource, wording: Partial<Wording> = {}): Fault {
  return build(
    "rate_limited",
    { code: "rate_limited", category: "rate_limit", whoMustAct: "nobody", message, ...wording },
    source,
  );
}

/** Later, and it costs an attempt; a `commit` never says so. */
export function temporary(message: string, source: FaultSource, wording: Partial<Wording> = {}): Fault {
  return build(
    "temporary",
    { code: "platform_unavailable", category: "platform", whoMustAct: "platform", message, ...wording },
    source,
  );
}

/** Never again by itself. */
export function rejected(message: string, source: FaultSource, wording: Partial<Wording> = {}): Fault {
  return build("rejected", { code: "rejected", category: "content", whoMustAct: "user", message, ...wording }, source);
}

export function failed<T>(fault: Fault): Result<T> {
  return { ok: false, fault };
}

export function succeeded<T>(value: T): Result<T> {
  return { ok: true, value };
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}]+/gu;
const TOKEN_LIKE = /[\w.~+/=|%-]{24,}/g;
const MAX_QUOTED = 300;

/** A platform's own words made fit to show: one line, bounded, and nothing in it that could be a token. */
export function quoted(words: string): string {
  const line = words
    .slice(0, 4 * MAX_QUOTED)
    .replace(CONTROL, " ")
    .replace(TOKEN_LIKE, "…")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line;
}

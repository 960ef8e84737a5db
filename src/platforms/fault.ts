import { replaceInvisible } from "#core/text.ts";
import type { TargetErrorCode } from "#core/codes.ts";
import type { Fault, FaultCategory, FaultCode, Result } from "./contract.ts";

/** The part of a response that a fault keeps. */
export interface FaultSource {
  readonly httpStatus: number | null;
  readonly platformCode?: string | null;
  readonly retryAfterSeconds?: number | undefined;
}

interface FaultDetails<Code extends FaultCode = TargetErrorCode> {
  readonly code: Code;
  readonly category: FaultCategory;
  readonly message: string;
  readonly whoMustAct: Fault["whoMustAct"];
}

function createFault<Code extends FaultCode>(
  kind: Fault["kind"],
  details: FaultDetails<Code>,
  source: FaultSource,
): Fault<Code> {
  return {
    kind,
    ...details,
    platformCode: source.platformCode ?? null,
    httpStatus: source.httpStatus,
    ...(source.retryAfterSeconds !== undefined && { retryAfterSeconds: source.retryAfterSeconds }),
  };
}

/** A fault that ends only if the user logs in again. */
export function reconnect(message: string, source: FaultSource, details: Partial<FaultDetails> = {}): Fault {
  return createFault(
    "reconnect",
    { code: "auth_expired", category: "auth", whoMustAct: "user", message, ...details },
    source,
  );
}

/** A fault after which the publisher repeats the call later and uses up no attempt. */
export function rateLimited(message: string, source: FaultSource, details: Partial<FaultDetails> = {}): Fault {
  return createFault(
    "rate_limited",
    { code: "rate_limited", category: "rate_limit", whoMustAct: "nobody", message, ...details },
    source,
  );
}

/** A fault after which the publisher repeats the call later and uses up an attempt. `commit` never returns it. */
export function temporary(message: string, source: FaultSource, details: Partial<FaultDetails> = {}): Fault {
  return createFault(
    "temporary",
    { code: "platform_unavailable", category: "platform", whoMustAct: "platform", message, ...details },
    source,
  );
}

/** A fault after which the publisher does not repeat the call. */
export function rejected(message: string, source: FaultSource, details?: Partial<FaultDetails>): Fault;
/** A fault of a login, which has further codes. */
export function rejected(
  message: string,
  source: FaultSource,
  details: Partial<FaultDetails<FaultCode>>,
): Fault<FaultCode>;
export function rejected(
  message: string,
  source: FaultSource,
  details: Partial<FaultDetails<FaultCode>> = {},
): Fault<FaultCode> {
  return createFault(
    "rejected",
    { code: "rejected", category: "content", whoMustAct: "user", message, ...details },
    source,
  );
}

export function failed<T, Code extends FaultCode = TargetErrorCode>(fault: Fault<Code>): Result<T, Code> {
  return { ok: false, fault };
}

export function succeeded<T>(value: T): Result<T> {
  return { ok: true, value };
}

const TOKEN_LIKE = /[\w.~+/=|%-]{24,}/g;
const MAX_MESSAGE_LENGTH = 300;

/** Makes a platform's error text safe to show: one line of limited length, without anything that could be a token. */
export function sanitizeMessage(text: string): string {
  const line = replaceInvisible(text.slice(0, 4 * MAX_MESSAGE_LENGTH), " ")
    .replace(TOKEN_LIKE, "…")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line;
}

import { DAY, SECOND } from "#core/clock.ts";

/** The longest wait (ms) that a receiver may ask for. */
const MAX_RETRY_AFTER_MS = DAY;

/** What the status of a receiver's answer means. Null if there was no answer. */
export type AnswerMeaning =
  | { readonly kind: "delivered" }
  /** The receiver wants no more events at all. */
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly retryAfterMs: number | null };

export function readAnswer(
  answer: { readonly status: number; readonly retryAfter: string | null } | null,
  now: number,
): AnswerMeaning {
  if (answer === null) {
    return { kind: "failed", retryAfterMs: null };
  }
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) {
    return { kind: "delivered" };
  }
  if (status === 410) {
    return { kind: "gone" };
  }
  const mayAsk = status === 429 || status === 503;
  return { kind: "failed", retryAfterMs: mayAsk ? parseRetryAfter(retryAfter, now) : null };
}

/** The header `Retry-After`: seconds or an HTTP date (RFC 9110 10.2.3). Null for other text. */
function parseRetryAfter(text: string | null, now: number): number | null {
  const value = text?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) {
    return Math.min(Number(value) * SECOND, MAX_RETRY_AFTER_MS);
  }
  // `Date.parse` also accepts bare numbers and other forms, but a date in a header begins with the day of the week.
  const at = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), MAX_RETRY_AFTER_MS);
}

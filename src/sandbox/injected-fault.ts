import { z } from "zod";

export const FAULTS_MAX = 1000;
export const DELAY_MAX_MS = 600_000;

const text = (max: number) => z.string().min(1).max(max);

/**
 * A fault that a test injects: which calls it matches and what happens to them. `match.path` is a prefix, or a pattern
 * for the whole path if it contains a `*`.
 */
export const InjectedFault = z.strictObject({
  match: z
    .strictObject({
      method: z
        .string()
        .regex(/^[A-Za-z]{3,7}$/, "match.method is an HTTP method")
        .transform((method) => method.toUpperCase())
        .optional(),
      path: text(500).startsWith("/", "match.path begins with a slash").optional(),
    })
    .default({}),
  times: z.int().min(1).max(1_000_000).default(1),
  effect: z.enum(["answer", "drop_before", "drop_after", "answer_after", "delay", "late"]),
  status: z.int().min(200).max(599).optional(),
  /** The response's body. A string is sent as it is, any other value as JSON. */
  body: z.json().optional(),
  headers: z
    .record(
      z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/),
      z
        .string()
        .regex(/^[\t\x20-\x7e]*$/)
        .max(2000),
    )
    .optional(),
  delay_ms: z.int().min(0).max(DELAY_MAX_MS).optional(),
});
export type InjectedFault = z.infer<typeof InjectedFault>;

function pathMatches(pattern: string, path: string): boolean {
  if (!pattern.includes("*")) {
    return path.startsWith(pattern);
  }
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (!path.startsWith(first) || path.length < first.length + last.length || !path.endsWith(last)) {
    return false;
  }
  // Taking the leftmost match of each piece is enough: a star matches any text, and the first and last piece are
  // checked above.
  let from = first.length;
  for (const part of rest) {
    const at = path.indexOf(part, from);
    if (at < 0) {
      return false;
    }
    from = at + part.length;
  }
  return from <= path.length - last.length;
}

export function faultMatches(fault: Pick<InjectedFault, "match">, method: string, path: string): boolean {
  const { method: expectedMethod, path: pattern } = fault.match;
  return (
    (expectedMethod === undefined || expectedMethod === method) && (pattern === undefined || pathMatches(pattern, path))
  );
}

const STATUSES_WITHOUT_BODY = new Set([204, 205, 304]);

/** The response that the effects `answer` and `answer_after` send. */
export function faultResponse(fault: InjectedFault): Response {
  const status = fault.status ?? 500;
  const { body } = fault;
  const headers = new Headers(fault.headers);
  if (body !== undefined && typeof body !== "string" && !headers.has("content-type")) {
    headers.set("content-type", "application/json");
  }
  const payload = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  return new Response(STATUSES_WITHOUT_BODY.has(status) ? null : payload, { status, headers });
}

import { z } from "zod";

export const FAULTS_MAX = 1000;
export const DELAY_MAX_MS = 600_000;

const text = (max: number) => z.string().min(1).max(max);

/** A fault as it is planned; `path` is a prefix, or a pattern of the whole path when it holds a `*`. */
export const Fault = z.strictObject({
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
  effect: z.enum(["answer", "drop_before", "drop_after", "answer_after", "delay"]),
  status: z.int().min(200).max(599).optional(),
  /** Text as it is, anything else as JSON. */
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
export type Fault = z.infer<typeof Fault>;

function pathMatches(pattern: string, path: string): boolean {
  if (!pattern.includes("*")) {
    return path.startsWith(pattern);
  }
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (!path.startsWith(first) || path.length < first.length + last.length || !path.endsWith(last)) {
    return false;
  }
  // Leftmost matches are enough: a star takes anything, and the ends are pinned.
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

export function faultMatches(fault: Pick<Fault, "match">, method: string, path: string): boolean {
  const { method: wanted, path: pattern } = fault.match;
  return (wanted === undefined || wanted === method) && (pattern === undefined || pathMatches(pattern, path));
}

const BODYLESS = new Set([204, 205, 304]);

/** The planned answer of `answer` and `answer_after`. */
export function faultAnswer(fault: Fault): Response {
  const status = fault.status ?? 500;
  const { body } = fault;
  const headers = new Headers(fault.headers);
  if (body !== undefined && typeof body !== "string" && !headers.has("content-type")) {
    headers.set("content-type", "application/json");
  }
  const payload = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  return new Response(BODYLESS.has(status) ? null : payload, { status, headers });
}

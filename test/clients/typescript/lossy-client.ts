import { env, exports } from "cloudflare:workers";
import { MINUTE } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import { canonicalJson, type JsonObject } from "#core/json.ts";
import { Almanac, type AlmanacOptions, type Retry } from "../../../clients/typescript/src/index.ts";
import type { ApiCaller } from "../../support/create-caller.ts";
import { ORIGIN } from "../../support/origin.ts";

/** What happens to a call between the client and the service. */
type Fate =
  /** It arrives, and so does its answer. */
  | "arrives"
  /** It never arrives. */
  | "call lost"
  /** It does its work, and its answer never arrives. */
  | "answer lost"
  /** The same, but the answer breaks off in the middle. */
  | "answer cut"
  /** The service is killed in the middle, so that the key of the call stays in use. */
  | "killed before the write"
  | "killed after the write"
  /** Something in between answers instead of the service. */
  | Response;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

export interface LossyClient {
  readonly almanac: Almanac;
  /** The calls that the client sent, in order. */
  readonly sent: readonly Sent[];
  readonly retries: readonly Retry[];
}

/** Waits of a millisecond: tests count repetitions, they do not time them. */
const QUICK = { baseDelayMs: 1, maxDelayMs: 1 };

function cut(response: Response): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"posts":['));
    },
    pull(controller) {
      controller.error(new TypeError("the connection was lost"));
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** What a call leaves behind that is killed before it has written anything else. */
async function leaveKeyInUse({ userId }: Pick<ApiCaller, "userId">, request: Request): Promise<void> {
  const { pathname } = new URL(request.url);
  const body = canonicalJson(await request.clone().json<JsonObject>());
  const now = Date.now();
  await env.DB.prepare(
    "INSERT INTO idempotency_records (user_id, key, request_hash, created_at, lease_until) VALUES (?, ?, ?, ?, ?)",
  )
    .bind(
      userId,
      request.headers.get("idempotency-key"),
      await sha256Hex(`${request.method}\n${pathname.replace("/v1", "")}\n${body}`),
      now,
      now + MINUTE,
    )
    .run();
}

/** What a call leaves behind that is killed before it has stored its answer. */
async function forgetAnswers({ userId }: Pick<ApiCaller, "userId">): Promise<void> {
  await env.DB.prepare(
    "UPDATE idempotency_records SET status = NULL, body = NULL, reference = NULL, lease_until = ? WHERE user_id = ?",
  )
    .bind(Date.now() + MINUTE, userId)
    .run();
}

/** A client of the service under test; `fates` tells for calls to `method path`, or `method *end-of-path`, what happens to one after the other. */
export function createLossyClient(
  caller: Pick<ApiCaller, "key" | "userId">,
  fates: Readonly<Record<string, readonly Fate[]>> = {},
  options: Partial<AlmanacOptions> = {},
): LossyClient {
  const waiting = new Map(Object.entries(fates).map(([call, list]) => [call, [...list]]));
  const fatesOf = (method: string, path: string): Fate[] | undefined =>
    Array.from(waiting).find(([call]) => {
      const [calledMethod, calledPath = ""] = call.split(" ");
      return (
        method === calledMethod &&
        (calledPath.startsWith("*") ? path.endsWith(calledPath.slice(1)) : path === calledPath)
      );
    })?.[1];
  const sent: Sent[] = [];
  const retries: Retry[] = [];
  const almanac = new Almanac({
    baseUrl: `${ORIGIN}/v1`,
    token: caller.key,
    onRetry: (retry) => retries.push(retry),
    async fetch(input, init) {
      const request = new Request(input, init);
      const path = new URL(request.url).pathname.replace("/v1", "");
      sent.push({ method: request.method, path, headers: request.headers });
      const fate = fatesOf(request.method, path)?.shift() ?? "arrives";
      if (fate instanceof Response) {
        return fate;
      }
      if (fate === "call lost" || fate === "killed before the write") {
        await (fate === "call lost" ? undefined : leaveKeyInUse(caller, request));
        throw new TypeError("the connection was lost");
      }
      const response = await exports.default.fetch(request);
      if (fate === "answer lost" || fate === "killed after the write") {
        await response.arrayBuffer();
        await (fate === "answer lost" ? undefined : forgetAnswers(caller));
        throw new TypeError("the connection was lost");
      }
      return fate === "answer cut" ? cut(response) : response;
    },
    ...options,
    retry: { ...QUICK, ...options.retry },
  });
  return { almanac, sent, retries };
}

/** All items of an iteration. */
export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}

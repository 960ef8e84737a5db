import type { PostPublisher } from "./floor.ts";
import { FLOOR_SQL } from "./floor-sql.ts";

/* The code with which every answer of the floor begins and ends. */

export interface FloorEnv {
  readonly DB: D1Database;
  readonly TOKENS: KVNamespace;
  readonly POSTS: DurableObjectNamespace<PostPublisher>;
  readonly LIMIT_SCALE: RateLimit;
  readonly LIMIT_USER_SCALE: RateLimit;
  readonly LIMIT_ANONYMOUS: RateLimit;
}

interface Credential {
  readonly id: string;
  readonly user_id: string;
}

type Row = Readonly<Record<string, string>>;

const HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Allow, Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id",
  "cache-control": "no-store",
  "content-type": "application/json",
  "x-content-type-options": "nosniff",
};
const POLICY = '"scale";q=1200;w=60, "scale-user";q=2400;w=60';
const CHALLENGE =
  'Bearer resource_metadata="https://almanac.example.org/.well-known/oauth-protected-resource/v1", scope="accounts:read posts:read workspaces:read", error="invalid_token"';

const encoder = new TextEncoder();

export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  let hex = "";
  for (const byte of digest) {
    hex += (byte < 16 ? "0" : "") + byte.toString(16);
  }
  return hex;
}

export function respond(body: string, status = 200, id: string = crypto.randomUUID()): Response {
  return new Response(body, { status, headers: { ...HEADERS, "x-request-id": id, "ratelimit-policy": POLICY } });
}

export function respondNotFound(): Response {
  const id = crypto.randomUUID();
  return respond(`{"error":"post not found","code":"not_found","request_id":"${id}"}`, 404, id);
}

export async function respondUnknownCredential(env: FloorEnv): Promise<Response> {
  await env.LIMIT_ANONYMOUS.limit({ key: "invalid-credential:unknown" });
  const id = crypto.randomUUID();
  return new Response(
    `{"error":"the credential is unknown, expired or revoked","code":"unauthenticated","request_id":"${id}"}`,
    { status: 401, headers: { ...HEADERS, "x-request-id": id, "www-authenticate": CHALLENGE } },
  );
}

/** The one batch; the first statement is the credential's. The rows of the others, null for an unknown credential. */
export async function batch(
  env: FloorEnv,
  request: Request,
  statements: (hash: string, now: number) => D1PreparedStatement[],
): Promise<{ readonly rows: Row[]; readonly credential: Credential; readonly hash: string } | null> {
  const hash = await sha256((request.headers.get("authorization") ?? "").slice("Bearer ".length));
  const now = Date.now();
  const results = await env.DB.batch<Row>([
    env.DB.prepare(FLOOR_SQL.credential).bind(hash, now),
    ...statements(hash, now),
  ]);
  const credential = results[0]?.results[0] as unknown as Credential | undefined;
  if (credential === undefined) {
    return null;
  }
  await env.LIMIT_SCALE.limit({ key: credential.id });
  await env.LIMIT_USER_SCALE.limit({ key: credential.user_id });
  return { rows: results.slice(1).flatMap(({ results: found }) => found.slice(0, 1)), credential, hash };
}

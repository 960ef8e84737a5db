import { createMcpHandler } from "@modelcontextprotocol/server";
import { authenticate, presentedCredential, rememberedCaller } from "#auth/index.ts";
import type { Env } from "#config.ts";
import { type Context, createServices, type Outbound, type Services } from "#context.ts";
import type { Refusal } from "#core/errors.ts";
import { isJsonObject } from "#core/json.ts";
import { log } from "#core/log.ts";
import type { Scope } from "#core/scope.ts";
import { isOverloaded, OVERLOADED_RETRY_SECONDS } from "#db/errors.ts";
import { bearerChallenge } from "#wire/bearer-challenge.ts";
import { countInvalidCredential, countRequest, rateLimitPolicy, WINDOW_SECONDS } from "#wire/rate-limit.ts";
import { decodeUtf8, readBytes } from "#wire/read-bytes.ts";
import { describeError } from "#wire/refusal-body.ts";
import { getRequestId } from "#wire/request-id.ts";
import { MALFORMED_WORKSPACE, UNKNOWN_WORKSPACE, WORKSPACE_HEADER } from "#wire/workspace-header.ts";
import { HttpError, toResponse } from "./http-error.ts";
import { namedByMessage, UNKNOWN_ARGUMENT } from "./named-workspace.ts";
import { type Answering, createServer } from "./server.ts";

/**
 * The scopes that a challenge names, because clients request exactly these. Connecting accounts and changing workspaces
 * need others.
 */
const USUAL_SCOPES: readonly Scope[] = ["accounts:read", "posts:read", "posts:write", "workspaces:read"];

/**
 * Any origin may call the MCP server. It accepts no cookies, so a page of another site cannot use its visitor's
 * credentials.
 */
const COMMON_HEADERS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": `WWW-Authenticate, ${WORKSPACE_HEADER}, MCP-Protocol-Version, Retry-After, RateLimit-Policy, X-Request-Id`,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Methods": "POST",
  "Access-Control-Allow-Headers": `Authorization, Content-Type, Accept, ${WORKSPACE_HEADER}, MCP-Protocol-Version, Mcp-Method, Mcp-Name, MCP-Session-Id, Last-Event-ID, X-Request-Id`,
  "Access-Control-Max-Age": "86400",
};

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Checks the host names of a request. A web page can make its own name resolve to this host (DNS rebinding), but its
 * browser then sends that name.
 */
function checkHost(request: Request, mcpUrl: string): void {
  const expected = new URL(mcpUrl);
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const origin = request.headers.get("origin");
  const isLocalOrigin = origin !== null && URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname);
  if (host !== expected.host || (LOOPBACK.has(expected.hostname) && origin !== null && !isLocalOrigin)) {
    throw new HttpError(403, "invalid_request", `this server answers at ${mcpUrl} only`, { kind: "request" });
  }
}

/** Reads the single message of a request. A batch is refused, because a hundred calls would count as one request. */
async function readMessage(request: Request): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes === null) {
    throw new HttpError(413, "payload_too_large", "the body is over 1 MiB", { kind: "request" });
  }
  let message: unknown;
  try {
    message = JSON.parse(decodeUtf8(bytes) ?? "");
  } catch {
    throw new HttpError(400, "invalid_request", "the body is not valid JSON", { kind: "parse" });
  }
  if (Array.isArray(message)) {
    throw new HttpError(400, "invalid_request", "send one message at a time, not a batch", { kind: "request" });
  }
  return message;
}

const retryAfter = (seconds: number) => ({ "Retry-After": String(seconds) });

async function refuseUnauthenticated(
  mcpUrl: string,
  env: Env,
  { headers }: Request,
  reason: "missing" | "invalid",
): Promise<never> {
  const isMissing = reason === "missing";
  if (!isMissing && !(await countInvalidCredential(env, headers))) {
    throw new HttpError(429, "rate_limited", "too many invalid credentials from this address: wait a minute", {
      headers: retryAfter(WINDOW_SECONDS),
    });
  }
  const message = isMissing
    ? "send an API key or an access token as `Authorization: Bearer <token>`"
    : "the credential is unknown, expired, revoked or was granted for another resource";
  throw new HttpError(401, "unauthenticated", message, {
    headers: { "WWW-Authenticate": bearerChallenge(mcpUrl, USUAL_SCOPES, isMissing ? undefined : "invalid_token") },
  });
}

async function enforceRateLimit(env: Env, actor: Parameters<typeof countRequest>[1]): Promise<void> {
  const exceeded = await countRequest(env, actor);
  if (exceeded) {
    throw new HttpError(429, "rate_limited", exceeded.message, {
      headers: { ...retryAfter(WINDOW_SECONDS), "RateLimit-Policy": rateLimitPolicy(actor) },
    });
  }
}

async function serve(request: Request, env: Env, services: Services, requestId: string): Promise<Response> {
  const { mcpUrl } = services.config;
  checkHost(request, mcpUrl);
  if (request.method === "OPTIONS") {
    return new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });
  }
  if (request.method !== "POST") {
    throw new HttpError(405, "method_not_allowed", `${request.method} is not allowed here: use POST`, {
      kind: "request",
      headers: { Allow: "OPTIONS, POST" },
    });
  }
  const message = await readMessage(request);
  const named = namedByMessage(request.headers, message);
  const authorization = request.headers.get("authorization");
  const presented = await presentedCredential(authorization, mcpUrl, named.id);
  if (!presented.ok) {
    return refuseUnauthenticated(mcpUrl, env, request, presented.reason);
  }
  const answer = (ctx: Context, namesWorkspaces: boolean, refusal = named.refusal) =>
    answerMessage(request, message, ctx, { requestId, namesWorkspaces, refusal });
  // Only a tool call may run before the credential is verified. Other messages can answer with an endless stream, of
  // which no part may be sent before that.
  const mayBeRemembered = isToolCall(message) && !named.headerIsMalformed;
  const remembered = mayBeRemembered ? await rememberedCaller(services, presented) : null;
  let mayRun = true;
  if (remembered !== null && (await countRequest(env, remembered.ctx.actor)) === null) {
    const response = await answer(remembered.ctx, false);
    const text = await response.text();
    const verification = await remembered.verify();
    if (verification === "unchanged") {
      return new Response(text, response);
    }
    mayRun = verification === "changed";
  }
  const authentication = await authenticate(services, presented);
  if (!authentication.ok && authentication.reason !== "unknown_workspace") {
    return refuseUnauthenticated(mcpUrl, env, request, authentication.reason);
  }
  await enforceRateLimit(env, authentication.ok ? authentication.actor : authentication.caller);
  if (named.headerIsMalformed) {
    throw refusedName(400, MALFORMED_WORKSPACE);
  }
  if (!mayRun) {
    throw new Error("the answer of the database to a write was lost");
  }
  if (authentication.ok) {
    return answer({ ...services, actor: authentication.actor }, authentication.namesWorkspaces);
  }
  // A tool refuses its own argument in words for the model, and needs a caller for that.
  const plain = named.isArgument ? await presentedCredential(authorization, mcpUrl) : presented;
  const caller = plain.ok && named.isArgument ? await authenticate(services, plain) : authentication;
  if (!caller.ok) {
    throw refusedName(404, UNKNOWN_WORKSPACE);
  }
  return answer({ ...services, actor: caller.actor }, false, UNKNOWN_ARGUMENT);
}

function refusedName(status: 400 | 404, { code, message }: Refusal): HttpError {
  return new HttpError(status, code, message, { kind: "request" });
}

function isToolCall(message: unknown): boolean {
  return isJsonObject(message) && message["method"] === "tools/call";
}

async function answerMessage(
  request: Request,
  message: unknown,
  ctx: Context,
  answering: Answering,
): Promise<Response> {
  const { actor, config } = ctx;
  const handler = createMcpHandler(({ era }) => createServer(ctx, answering, era), {
    onerror: (error) => log("warn", "mcp.protocol_error", { request_id: answering.requestId, name: error.name }),
  });
  const response = await handler.fetch(request, {
    parsedBody: message,
    // The protocol library needs no token, so it does not get the secret.
    authInfo: { token: "", clientId: actor.credential.id, scopes: [...actor.scopes], resource: new URL(config.mcpUrl) },
  });
  const headers = new Headers(response.headers);
  headers.set(WORKSPACE_HEADER, actor.workspaceId);
  return new Response(response.body, { status: response.status, headers });
}

function toErrorResponse(error: unknown, requestId: string): Response {
  if (error instanceof HttpError) {
    return toResponse(error, requestId);
  }
  if (isOverloaded(error)) {
    const headers = retryAfter(OVERLOADED_RETRY_SECONDS);
    return toResponse(new HttpError(503, "overloaded", "the service is overloaded", { headers }), requestId);
  }
  log("error", "mcp.unexpected", { request_id: requestId, ...describeError(error) });
  return toResponse(new HttpError(500, "internal_error", "internal error", { kind: "internal" }), requestId);
}

export async function serveMcp(
  request: Request,
  env: Env,
  executionCtx: ExecutionContext,
  createOutbound: (env: Env) => Outbound,
): Promise<Response> {
  const services = createServices(env, createOutbound(env), (work) => executionCtx.waitUntil(work));
  const requestId = getRequestId(request, services.ids);
  const response = await serve(request, env, services, requestId).catch((error: unknown) =>
    toErrorResponse(error, requestId),
  );
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries({ ...COMMON_HEADERS, "X-Request-Id": requestId })) {
    headers.set(name, value);
  }
  return new Response(response.body, { status: response.status, headers });
}

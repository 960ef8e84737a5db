import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { type Operation, topMembers } from "#sandbox/operation.ts";
import { authenticate, type Caller } from "./authorization.ts";
import { currentNonce } from "./dpop.ts";
import { isLenient } from "./leniency.ts";
import { xrpcOperation } from "./operations.ts";
import { takeCall } from "./rate-limits.ts";
import { invalidXrpc, payloadTooLarge, xrpcError } from "./responses.ts";
import type { Pds } from "./test-users.ts";

/* The checks of every XRPC call, in this order: params, auth, body, rate limit, handler (section 4, rule 15; xs
   server.ts). */

const MAX_JSON_BYTES = 1_000_000;

export interface XrpcCall {
  readonly request: Request;
  readonly sim: SimulatorContext;
  readonly host: string;
  /** The PDS of the host; undefined if the host is none. */
  readonly pds: Pds | undefined;
  readonly query: URLSearchParams;
  /** The JSON body; empty for a method without one. */
  readonly body: JsonObject;
}

/** The form of a method's call. operations.ts lists the accepted names and bodies. */
interface MethodShape {
  readonly verb: "GET" | "POST";
  readonly hosts: "pds" | "pds_or_entryway" | "any" | "app_view" | "video_service";
  /** The query parameters that the call requires. */
  readonly required?: readonly string[];
}

type Answer = Response | Promise<Response>;

export type XrpcMethod = MethodShape &
  (
    | { readonly auth: "none"; readonly handle: (call: XrpcCall) => Answer }
    /** Who may call the method. `identity`: a deactivated account may too. */
    | { readonly auth: "access" | "identity"; readonly handle: (call: XrpcCall, caller: Caller) => Answer }
  );

function findParamProblem(
  sim: SimulatorContext,
  { required = [] }: MethodShape,
  { query: accepted = [], repeatable = [] }: Operation,
  query: URLSearchParams,
): string | null {
  const names = [...query.keys()];
  const missing = required.find((name) => !query.get(name));
  if (missing !== undefined) {
    return `Params must have the property "${missing}"`;
  }
  const unknown = names.find((name) => !accepted.includes(name));
  if (unknown !== undefined && !isLenient(sim, "unknown_parameters")) {
    return `Unknown parameter "${unknown}"`;
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index && !repeatable.includes(name));
  return repeated === undefined ? null : `Parameter "${repeated}" is repeated`;
}

async function readJson(
  request: Request,
  sim: SimulatorContext,
  members: readonly string[],
): Promise<JsonObject | Response> {
  const contentType = request.headers.get("content-type");
  if (contentType === null) {
    return invalidXrpc("Request encoding (Content-Type) required but not provided");
  }
  if (!/^application\/json(?:;|$)/.test(contentType)) {
    return invalidXrpc(`Wrong request encoding (Content-Type): ${contentType}`);
  }
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength === 0) {
    return invalidXrpc("A request body is expected but none was provided");
  }
  if (bytes.byteLength > MAX_JSON_BYTES) {
    return payloadTooLarge();
  }
  let body: JsonValue;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)) as JsonValue;
  } catch {
    return invalidXrpc("The request body is not valid JSON");
  }
  if (!isJsonObject(body)) {
    return invalidXrpc("Input must be an object");
  }
  const unknown = Object.keys(body).find((name) => !members.includes(name));
  return unknown === undefined || isLenient(sim, "unknown_parameters")
    ? body
    : invalidXrpc(`Unknown input member "${unknown}"`);
}

/** The problem of a raw body. It needs both headers, and a stream without a length is refused. */
function findBytesProblem(request: Request): string | null {
  if (!request.headers.get("content-type")) {
    return "Request encoding (Content-Type) required but not provided";
  }
  return /^\d+$/.test(request.headers.get("content-length") ?? "")
    ? null
    : "Request length (Content-Length) required but not provided";
}

async function readInput(
  request: Request,
  sim: SimulatorContext,
  operation: Operation,
): Promise<JsonObject | Response> {
  if (operation.body?.types.includes("json")) {
    return readJson(request, sim, topMembers(operation));
  }
  if (operation.body) {
    const problem = findBytesProblem(request);
    return problem === null ? {} : invalidXrpc(problem);
  }
  return (await request.arrayBuffer()).byteLength > 0
    ? invalidXrpc("A request body was provided when none was expected")
    : {};
}

/** Adds the headers of the tightest rate limit: the handler's, or that of the caller's address. */
function addRateLimitHeaders(response: Response, headers: Record<string, string>): void {
  const own = response.headers.get("ratelimit-remaining");
  if (own === null || Number(own) > Number(headers["ratelimit-remaining"])) {
    for (const [name, value] of Object.entries(headers)) {
      response.headers.set(name, value);
    }
  }
}

async function respond(call: Omit<XrpcCall, "body">, method: XrpcMethod): Promise<Response> {
  const { request, sim, host, query } = call;
  if (request.method !== method.verb) {
    return xrpcError(405, "InvalidRequest", `Incorrect HTTP method (${request.method}) expected ${method.verb}`);
  }
  const operation = xrpcOperation(new URL(request.url).pathname);
  const problem = findParamProblem(sim, method, operation, query);
  if (problem !== null) {
    return invalidXrpc(`Error: ${problem}`);
  }
  const caller = method.auth === "none" ? null : await authenticate(request, sim, host, method.auth === "identity");
  if (caller instanceof Response) {
    return caller;
  }
  const body = await readInput(request, sim, operation);
  if (body instanceof Response) {
    return body;
  }
  const window = takeCall(sim, host);
  if (!window.allowed) {
    return window.refusal();
  }
  const full: XrpcCall = { ...call, body };
  const response = await (method.auth === "none" || caller === null
    ? (method.handle as (call: XrpcCall) => Answer)(full)
    : method.handle(full, caller));
  addRateLimitHeaders(response, window.headers);
  return response;
}

/** Handles an XRPC call. Every answer to a DPoP token contains the host's nonce (rule 5). */
export async function handleXrpc(call: Omit<XrpcCall, "body">, method: XrpcMethod | undefined): Promise<Response> {
  const { request, sim, host } = call;
  const response = method
    ? await respond(call, method)
    : xrpcError(501, "MethodNotImplemented", "Method Not Implemented");
  if (request.body && !request.bodyUsed) {
    await request.body.cancel();
  }
  if (request.headers.get("authorization")?.startsWith("DPoP ")) {
    response.headers.set("dpop-nonce", await currentNonce(sim, host));
  }
  return response;
}

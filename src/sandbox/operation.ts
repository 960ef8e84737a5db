import { hostMatches } from "#core/host-patterns.ts";
import type { JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "./contract.ts";

/*
 * The requests that each operation of a platform accepts, as data. Any other request is refused before the simulator acts, so that an
 * adapter cannot send what the platform does not know. docs/sandbox-operations.md is generated from the same data.
 */

export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD";
  /** Exact host names, or patterns such as `*.example.com`. */
  readonly hosts: readonly string[];
  /** The path as in the platform's documentation. `{id}` stands for one segment, `{path...}` for the rest. */
  readonly path: string;
  /** The names of the query parameters. */
  readonly query?: readonly string[];
  /** Query parameters that may appear more than once. */
  readonly repeatable?: readonly string[];
  /** The body that the operation accepts. If absent, a body is refused. */
  readonly body?: OperationBody;
  /** The names of headers that the platform requires, in lower case. */
  readonly headers?: readonly string[];
  /**
   * Whether a browser opens the address as a page. Such a request has the browser's headers, and the sandbox's own
   * `login`, `account` and `untick`.
   */
  readonly isPage?: boolean;
  /** The address of the platform's documentation of the operation, outside this repository. */
  readonly source: string;
}

/** `bytes` is a file, or a form that the simulator reads as a stream and checks itself. */
type BodyType = "json" | "form" | "multipart" | "bytes";

interface OperationBody {
  readonly types: readonly BodyType[];
  /** Whether the query may contain the members too, as in the Graph API. */
  readonly isAlsoQuery?: boolean;
  /**
   * The names of fields. For JSON they are the paths of the values, such as `media.media_ids[]`; `settings.*` accepts
   * everything below `settings`.
   */
  readonly members?: readonly string[];
}

/** The problem with a request. `name` is the member, parameter, header or content type. */
export interface UnacceptedRequest {
  readonly kind:
    | "unknown_parameter"
    | "repeated_parameter"
    | "unknown_member"
    | "unexpected_body"
    | "content_type"
    | "missing_header"
    | "user_agent";
  readonly name: string;
}

/**
 * Rules that the sandbox checks before it calls `handle`. `refuse` makes the platform's answer to a request that its
 * operation does not accept.
 */
interface RulesOfSandbox {
  readonly operations: readonly Operation[];
  readonly checkedBy?: "sandbox";
  readonly refuse: (problem: UnacceptedRequest, request: Request, sim: SimulatorContext) => Response;
}

/**
 * Rules that the simulator checks itself, with the names in `operations`; the sandbox then checks nothing. A simulator
 * must do so if other checks come first, such as throttles and authentication, or if a setting switches the refusal
 * off.
 */
interface RulesOfSimulator {
  readonly operations: readonly Operation[];
  readonly checkedBy: "simulator";
}

/** The operations of one simulator, and whether the sandbox or the simulator refuses other requests. */
export type OperationRules = RulesOfSandbox | RulesOfSimulator;

/** Parameters that the sandbox adds to the address of a consent page. An adapter never sends them. */
const SANDBOX_PARAMETERS = ["login", "account", "untick"];

/**
 * A user agent with product, version, and the origin of the service in brackets: `Almanac/1.0
 * (+https://post.example.org)`.
 */
const USER_AGENT = /^[A-Za-z][\w-]*\/\d+(?:\.\d+)* \(\+https?:\/\/[^\s()]+\)$/;

const CONTENT_TYPES = {
  json: /^application\/json\b/,
  form: /^application\/x-www-form-urlencoded\b/,
  multipart: /^multipart\/form-data\b/,
  bytes: /^/,
} as const satisfies Record<BodyType, RegExp>;

function pathPattern(path: string): RegExp {
  const source = path
    .split("/")
    .map((segment) =>
      segment.replaceAll(/\{\w+(?<rest>\.\.\.)?\}|[^{]+/g, (text, rest: string | undefined) =>
        text.startsWith("{") ? (rest === undefined ? "[^/]+" : ".*") : text.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&"),
      ),
    )
    .join("/");
  return new RegExp(`^${source}/?$`);
}

const patterns = new Map<string, RegExp>();

function matchesPath(path: string, pathname: string): boolean {
  let pattern = patterns.get(path);
  if (!pattern) {
    pattern = pathPattern(path);
    patterns.set(path, pattern);
  }
  return pattern.test(pathname);
}

/** The operation that the request calls; undefined if the platform has no such address. */
export function findOperation(operations: readonly Operation[], method: string, url: URL): Operation | undefined {
  return operations.find(
    (operation) =>
      operation.method === method &&
      hostMatches(operation.hosts, url.hostname) &&
      matchesPath(operation.path, url.pathname),
  );
}

/** Yields the path of every value in a JSON body. A list position is `[]`. */
function* memberPaths(value: JsonValue, path = ""): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) {
      yield* memberPaths(item as JsonValue, `${path}[]`);
    }
    return;
  }
  if (value !== null && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) {
      const memberPath = path === "" ? name : `${path}.${name}`;
      yield memberPath;
      yield* memberPaths(member, memberPath);
    }
  }
}

/**
 * Whether the list accepts a member: it contains the member, a value below it, or everything below one of its parents.
 */
function acceptsMember(members: readonly string[], path: string): boolean {
  return members.some(
    (member) =>
      member === path ||
      member.startsWith(`${path}.`) ||
      member.startsWith(`${path}[]`) ||
      (member.endsWith(".*") && path.startsWith(member.slice(0, -1))),
  );
}

async function readMembers(bytes: ArrayBuffer, contentType: string): Promise<readonly string[]> {
  if (CONTENT_TYPES.multipart.test(contentType)) {
    const form = await new Response(bytes, { headers: { "content-type": contentType } }).formData();
    return [...form.keys()];
  }
  const text = new TextDecoder().decode(bytes);
  if (CONTENT_TYPES.form.test(contentType)) {
    return [...new URLSearchParams(text).keys()];
  }
  try {
    return [...memberPaths(JSON.parse(text) as JsonValue)];
  } catch {
    // The simulator refuses a body that is not JSON, because each platform does so with its own words.
    return [];
  }
}

async function findBodyProblem(operation: Operation, request: Request): Promise<UnacceptedRequest | undefined> {
  const contentType = request.headers.get("content-type") ?? "";
  const { body } = operation;
  if (request.body === null || body?.types.includes("bytes")) {
    return undefined;
  }
  // A copy is read, so that the simulator can read the body again.
  const bytes = await request.clone().arrayBuffer();
  // Over HTTP even an empty body is a stream, so the length is checked.
  if (bytes.byteLength === 0) {
    return undefined;
  }
  if (!body) {
    return { kind: "unexpected_body", name: contentType };
  }
  if (!body.types.some((type) => CONTENT_TYPES[type].test(contentType))) {
    return { kind: "content_type", name: contentType };
  }
  const members = body.members ?? [];
  const unknown = (await readMembers(bytes, contentType)).find((path) => !acceptsMember(members, path));
  return unknown === undefined ? undefined : { kind: "unknown_member", name: unknown };
}

function findQueryProblem(operation: Operation, url: URL): UnacceptedRequest | undefined {
  const accepted = new Set([
    ...(operation.query ?? []),
    ...(operation.body?.isAlsoQuery ? (operation.body.members ?? []) : []),
    ...(operation.isPage ? SANDBOX_PARAMETERS : []),
  ]);
  const names = [...url.searchParams.keys()];
  const unknown = names.find((name) => !accepted.has(name));
  if (unknown !== undefined) {
    return { kind: "unknown_parameter", name: unknown };
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index && !operation.repeatable?.includes(name));
  return repeated === undefined ? undefined : { kind: "repeated_parameter", name: repeated };
}

/** The top-level names of the body, for a simulator that checks names itself. */
export function topMembers({ body }: Operation): readonly string[] {
  return [...new Set((body?.members ?? []).map((member) => member.replace(/[.[].*$/, "")))];
}

/** The problem of a request whose user agent lacks the product or the origin. */
export function findUserAgentProblem(request: Request): UnacceptedRequest | undefined {
  const name = request.headers.get("user-agent") ?? "";
  return USER_AGENT.test(name) ? undefined : { kind: "user_agent", name };
}

/** The first problem with the request. */
export async function findUnaccepted(operation: Operation, request: Request): Promise<UnacceptedRequest | undefined> {
  const userAgentProblem = operation.isPage ? undefined : findUserAgentProblem(request);
  if (userAgentProblem) {
    return userAgentProblem;
  }
  const missing = operation.headers?.find((name) => !request.headers.has(name));
  if (missing !== undefined) {
    return { kind: "missing_header", name: missing };
  }
  return findQueryProblem(operation, new URL(request.url)) ?? (await findBodyProblem(operation, request));
}

/** The platform's refusal of a request; undefined if the simulator may act or checks the request itself. */
export async function refuseUnaccepted(
  rules: OperationRules,
  request: Request,
  sim: SimulatorContext,
): Promise<Response | undefined> {
  if (rules.checkedBy === "simulator") {
    return undefined;
  }
  const operation = findOperation(rules.operations, request.method, new URL(request.url));
  const problem = operation && (await findUnaccepted(operation, request));
  return problem && rules.refuse(problem, request, sim);
}

/** The problem as a sentence for a platform's error message. */
export function describeProblem({ kind, name }: UnacceptedRequest): string {
  switch (kind) {
    case "unknown_parameter":
      return `The parameter ${name} is not known`;
    case "repeated_parameter":
      return `The parameter ${name} is given twice`;
    case "unknown_member":
      return `The field ${name} is not known`;
    case "unexpected_body":
      return "The call takes no body";
    case "content_type":
      return `The content type ${name === "" ? "(none)" : name} is not supported`;
    case "missing_header":
      return `The header ${name} is required`;
    case "user_agent":
      return "The header User-Agent must name the product and its origin";
  }
}

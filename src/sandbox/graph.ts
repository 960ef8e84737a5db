import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim } from "./contract.ts";
import { bearer, fromBase64OrEmpty, liveToken, readForm, type Token } from "./grants.ts";

/* What the Graph family of APIs does alike: parameters from anywhere, one error envelope, field selection, cursors. */

export type Params = ReadonlyMap<string, JsonValue>;

/** Parameters may come in the query, as a form (either kind) or as JSON; later sources win. */
export async function readParams(request: Request, url: URL): Promise<Params> {
  const params = new Map<string, JsonValue>(url.searchParams);
  const type = request.headers.get("content-type") ?? "";
  if (request.method === "GET" || request.method === "DELETE") {
    return params;
  }
  if (type.startsWith("application/json")) {
    const text = await request.text();
    const body: unknown = text === "" ? {} : JSON.parse(text);
    for (const [name, value] of Object.entries(body as JsonObject)) {
      params.set(name, value);
    }
  } else if (type.startsWith("application/x-www-form-urlencoded")) {
    for (const [name, value] of await readForm(request)) {
      params.set(name, value);
    }
  } else if (type.startsWith("multipart/form-data")) {
    for (const [name, value] of await request.formData()) {
      if (typeof value === "string") {
        params.set(name, value);
      }
    }
  }
  return params;
}

export function textOf(params: Params, name: string): string | null {
  const value = params.get(name);
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : null;
}

/** A list or object that may have come as JSON text inside a form field. */
export function jsonOf(params: Params, name: string): JsonValue | undefined {
  const value = params.get(name);
  if (typeof value !== "string") {
    return value;
  }
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    return value;
  }
}

export function flagOf(params: Params, name: string): boolean | null {
  const value = params.get(name);
  if (value === true || value === "true" || value === "1") {
    return true;
  }
  return value === false || value === "false" || value === "0" ? false : null;
}

export interface GraphProblem {
  readonly code: number;
  readonly subcode?: number;
  readonly message: string;
  readonly status?: number;
  readonly type?: string;
  readonly title?: string;
  readonly userMessage?: string;
  readonly transient?: boolean;
}

export function graphError(sim: Sim, problem: GraphProblem): Response {
  return Response.json(
    {
      error: {
        message: problem.message,
        type: problem.type ?? "OAuthException",
        code: problem.code,
        ...(problem.subcode !== undefined && { error_subcode: problem.subcode }),
        is_transient: problem.transient ?? false,
        ...(problem.title !== undefined && { error_user_title: problem.title }),
        ...(problem.userMessage !== undefined && { error_user_msg: problem.userMessage }),
        fbtrace_id: sim.secret("A").slice(0, 11),
      },
    },
    { status: problem.status ?? 400 },
  );
}

/** The caller's token from the header or the `access_token` parameter, or the refusal it earns. */
export function graphSession(sim: Sim, request: Request, params: Params): Token | Response {
  const secret = bearer(request) ?? textOf(params, "access_token") ?? "";
  const live = liveToken(sim, secret, "access");
  if (live) {
    return live;
  }
  const known = sim.store.get(`token:${secret}`) as Token | undefined;
  return graphError(
    sim,
    known
      ? {
          status: 401,
          code: 190,
          subcode: known.revoked ? 458 : 463,
          message: `Error validating access token: ${known.revoked ? "The user has not authorized application" : "Session has expired"}.`,
        }
      : { status: 401, code: 190, message: "Invalid OAuth access token - Cannot parse access token" },
  );
}

/** One field of a selection: `attachments.limit(2){target{id}}`. */
interface Field {
  readonly name: string;
  readonly limit: number | null;
  /** Null asks for the whole. */
  readonly inner: readonly Field[] | null;
}

/** Reads `a,b{c},d.limit(2){e{f}}`; braces nest to any depth. */
function readFields(text: string): readonly Field[] {
  // A name and its modifiers, whose arguments may hold commas.
  const head = /(?:\([^()]*\)|[^,{}])*/y;
  let at = 0;
  const list = (): readonly Field[] => {
    const fields: Field[] = [];
    while (at < text.length && text[at] !== "}") {
      head.lastIndex = at;
      const whole = head.exec(text)?.[0] ?? "";
      at += whole.length;
      let inner: readonly Field[] | null = null;
      if (text[at] === "{") {
        at += 1;
        inner = list();
        at += 1;
      }
      const limit = /\.limit\((?<count>\d+)\)/.exec(whole)?.groups?.["count"];
      fields.push({
        name: whole.split(".")[0]?.trim() ?? "",
        limit: limit === undefined ? null : Number(limit),
        inner,
      });
      if (text[at] === ",") {
        at += 1;
      }
    }
    return fields;
  };
  return list();
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function pick(object: JsonObject, fields: readonly Field[]): JsonObject {
  const wanted = new Map(fields.map((field) => [field.name, field]));
  const kept = Object.entries(object).filter(([name]) => name === "id" || wanted.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, narrow(value, wanted.get(name))]));
}

function narrow(value: JsonValue, field: Field | undefined): JsonValue {
  if (!field) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.slice(0, field.limit ?? value.length).map((one: JsonValue) => narrow(one, { ...field, limit: null }));
  }
  if (!isObject(value)) {
    return value;
  }
  // Edges and pictures wrap what they hold.
  return "data" in value
    ? { ...value, data: narrow(value["data"] ?? null, field) }
    : field.inner === null
      ? value
      : pick(value, field.inner);
}

/** Only the fields that were asked for, and the id. */
export function select(object: JsonObject, fields: string | null): JsonObject {
  return fields === null ? object : pick(object, readFields(fields));
}

/** The first field that the object does not have. */
export function strangeField(object: JsonObject, fields: string | null): string | undefined {
  return readFields(fields ?? "").find(({ name }) => name !== "" && !(name in object))?.name;
}

/** Where a page begins; a cursor of nobody's is the end of every list. */
function positionOf(cursor: string | null): number {
  if (cursor === null) {
    return 0;
  }
  const position = new TextDecoder().decode(fromBase64OrEmpty(cursor));
  return /^\d{1,9}$/.test(position) ? Number(position) : Number.MAX_SAFE_INTEGER;
}

/** One page of a list with cursors, newest first as it was handed in. */
export function pageOf(url: URL, items: readonly JsonObject[], usual: number): Response {
  const limit = Math.min(100, Math.max(1, Number.parseInt(url.searchParams.get("limit") ?? "", 10) || usual));
  const start = positionOf(url.searchParams.get("after"));
  const end = start + limit;
  const next = new URL(url);
  next.searchParams.set("after", btoa(String(end)));
  next.searchParams.delete("access_token");
  return Response.json({
    data: items.slice(start, end),
    paging: {
      cursors: { before: btoa(String(start)), after: btoa(String(end)) },
      ...(end < items.length && { next: next.href }),
    },
  });
}

/** The two usage headers every answer carries. */
export function withUsage(response: Response, account: string, kind: string): Response {
  const headers = new Headers(response.headers);
  headers.set("x-app-usage", JSON.stringify({ call_count: 1, total_cputime: 1, total_time: 1 }));
  headers.set(
    "x-business-use-case-usage",
    JSON.stringify({
      [account]: [{ type: kind, call_count: 1, total_cputime: 1, total_time: 1, estimated_time_to_regain_access: 0 }],
    }),
  );
  return new Response(response.body, { status: response.status, headers });
}

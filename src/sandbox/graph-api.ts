import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "./contract.ts";
import { bearerToken, fromBase64OrEmpty, findValidToken, readForm, type Token } from "./oauth-server.ts";

/* What Meta's Graph APIs share: parameters from query or body, the error envelope, field selection and cursors. */

export type Params = ReadonlyMap<string, JsonValue>;

/** Reads parameters from the query, a form of either kind, or JSON. Later sources replace earlier ones. */
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

export function textParam(params: Params, name: string): string | null {
  const value = params.get(name);
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : null;
}

/** A parameter that is a list or an object. In a form it is JSON text. */
export function jsonParam(params: Params, name: string): JsonValue | undefined {
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

export function booleanParam(params: Params, name: string): boolean | null {
  const value = params.get(name);
  if (value === true || value === "true" || value === "1") {
    return true;
  }
  return value === false || value === "false" || value === "0" ? false : null;
}

export interface GraphErrorFields {
  readonly code: number;
  readonly subcode?: number;
  readonly message: string;
  readonly status?: number;
  readonly type?: string;
  readonly title?: string;
  readonly userMessage?: string;
  readonly transient?: boolean;
  readonly data?: JsonObject;
}

export function graphError(sim: SimulatorContext, error: GraphErrorFields): Response {
  return Response.json(
    {
      error: {
        message: error.message,
        type: error.type ?? "OAuthException",
        code: error.code,
        ...(error.subcode !== undefined && { error_subcode: error.subcode }),
        is_transient: error.transient ?? false,
        ...(error.data !== undefined && { error_data: error.data }),
        ...(error.title !== undefined && { error_user_title: error.title }),
        ...(error.userMessage !== undefined && { error_user_msg: error.userMessage }),
        fbtrace_id: sim.newSecret("A").slice(0, 11),
      },
    },
    { status: error.status ?? 400 },
  );
}

/**
 * The token from the header or the body, or the error response. This is stricter than the platform, which also accepts
 * it in the query: a token must not be in a URL.
 */
export function authenticateGraphCall(sim: SimulatorContext, request: Request, params: Params): Token | Response {
  if (new URL(request.url).searchParams.has("access_token")) {
    return secretInUrl(sim, "access_token");
  }
  const secret = bearerToken(request) ?? textParam(params, "access_token") ?? "";
  const validToken = findValidToken(sim, secret, "access");
  if (validToken) {
    return validToken;
  }
  const stored = sim.store.get(`token:${secret}`) as Token | undefined;
  return graphError(
    sim,
    stored
      ? {
          status: 401,
          code: 190,
          subcode: stored.revoked ? 458 : 463,
          message: `Error validating access token: ${stored.revoked ? "The user has not authorized application" : "Session has expired"}.`,
        }
      : { status: 401, code: 190, message: "Invalid OAuth access token - Cannot parse access token" },
  );
}

export const secretInUrl = (sim: SimulatorContext, name: string): Response =>
  graphError(sim, {
    code: 100,
    message: `The sandbox refuses ${name} in the URL: send it in the Authorization header or the body.`,
  });

/** One field of a selection, such as `attachments.limit(2){target{id}}`. */
interface Field {
  readonly name: string;
  readonly limit: number | null;
  /** The selected members of the field. Null selects the whole value. */
  readonly subfields: readonly Field[] | null;
}

/** Parses a selection such as `a,b{c},d.limit(2){e{f}}`. Braces nest to any depth. */
function parseFields(text: string): readonly Field[] {
  // Matches a name and its modifiers, whose arguments may contain commas.
  const fieldPattern = /(?:\([^()]*\)|[^,{}])*/y;
  let position = 0;
  const parseList = (): readonly Field[] => {
    const fields: Field[] = [];
    while (position < text.length && text[position] !== "}") {
      fieldPattern.lastIndex = position;
      const fieldText = fieldPattern.exec(text)?.[0] ?? "";
      position += fieldText.length;
      let subfields: readonly Field[] | null = null;
      if (text[position] === "{") {
        position += 1;
        subfields = parseList();
        position += 1;
      }
      const limit = /\.limit\((?<count>\d+)\)/.exec(fieldText)?.groups?.["count"];
      fields.push({
        name: fieldText.split(".")[0]?.trim() ?? "",
        limit: limit === undefined ? null : Number(limit),
        subfields,
      });
      if (text[position] === ",") {
        position += 1;
      }
    }
    return fields;
  };
  return parseList();
}

function pickFields(object: JsonObject, fields: readonly Field[]): JsonObject {
  const selected = new Map(fields.map((field) => [field.name, field]));
  const entries = Object.entries(object).filter(([name]) => name === "id" || selected.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, narrowValue(value, selected.get(name))]));
}

function narrowValue(value: JsonValue, field: Field | undefined): JsonValue {
  if (!field) {
    return value;
  }
  if (Array.isArray(value)) {
    return value
      .slice(0, field.limit ?? value.length)
      .map((item: JsonValue) => narrowValue(item, { ...field, limit: null }));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  // Edges and pictures have their value inside `data`.
  return "data" in value
    ? { ...value, data: narrowValue(value["data"] ?? null, field) }
    : field.subfields === null
      ? value
      : pickFields(value, field.subfields);
}

/** The selected fields of an object, and its id. */
export function selectFields(object: JsonObject, fields: string | null): JsonObject {
  return fields === null ? object : pickFields(object, parseFields(fields));
}

/** The first selected field that an object lacks. */
export function unknownField(object: JsonObject, fields: string | null): string | undefined {
  return parseFields(fields ?? "").find(({ name }) => name !== "" && !(name in object))?.name;
}

/** The first selected field that is not in `known`. */
export function unknownNameOf(known: ReadonlySet<string>, fields: string): string | undefined {
  return parseFields(fields).find(({ name }) => name !== "" && !known.has(name))?.name;
}

/** The offset at which a page starts. An invalid cursor leads to an empty page. */
function decodeCursor(cursor: string | null): number {
  if (cursor === null) {
    return 0;
  }
  const position = new TextDecoder().decode(fromBase64OrEmpty(cursor));
  return /^\d{1,9}$/.test(position) ? Number(position) : Number.MAX_SAFE_INTEGER;
}

/** One page of `items` with cursors, in the given order. */
export function paginate(url: URL, items: readonly JsonObject[], defaultLimit: number): Response {
  const limit = Math.min(100, Math.max(1, Number.parseInt(url.searchParams.get("limit") ?? "", 10) || defaultLimit));
  const start = decodeCursor(url.searchParams.get("after"));
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

/** Adds the two usage headers (of the app and of the account) that every response has. */
export function withUsageHeaders(response: Response, account: string, kind: string): Response {
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

/** The names in a setting such as `"a,b"`; null when the setting is absent. */
export function namesOf(setting: JsonValue | undefined): readonly string[] | null {
  return typeof setting === "string" ? setting.split(",") : null;
}

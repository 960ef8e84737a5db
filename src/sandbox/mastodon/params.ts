/* Parameters of a request. Those of query, form, multipart body and JSON count the same (D client/intro.md). */

/** Thrown when a request has parameters that the endpoint does not know. The real server would ignore most of them. */
export class ParamError extends Error {
  readonly status: 400 | 415 | 422;
  constructor(message: string, status: 400 | 415 | 422 = 422) {
    super(message);
    this.status = status;
  }
}

export class Params {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #repeated: readonly string[];

  constructor(values: ReadonlyMap<string, unknown>, repeated: readonly string[]) {
    this.#values = values;
    this.#repeated = repeated;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  raw(name: string): unknown {
    return this.#values.get(name);
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name) ?? undefined;
    if (value !== undefined && typeof value !== "string") {
      throw new ParamError(`${name} must be a string`);
    }
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.#values.get(name) ?? undefined;
    if (value === undefined || typeof value === "boolean") {
      return value;
    }
    if (value !== "true" && value !== "false" && value !== "1" && value !== "0") {
      throw new ParamError(`${name} must be a boolean`);
    }
    return value === "true" || value === "1";
  }

  list(name: string): readonly string[] | undefined {
    const value = this.#values.get(name) ?? undefined;
    if (value === undefined) {
      return undefined;
    }
    if (!Array.isArray(value) || !value.every((item): item is string => typeof item === "string")) {
      throw new ParamError(`${name} must be an array of strings`);
    }
    return value;
  }

  file(name: string): File | undefined {
    const value = this.#values.get(name);
    return value instanceof File ? value : undefined;
  }

  unknownName(known: readonly string[]): string | undefined {
    return this.#values.keys().find((name) => !known.includes(name));
  }

  /** A name that query and body contain more than once although it is not a list; undefined without one. */
  repeatedName(): string | undefined {
    return this.#repeated[0];
  }
}

/** Adds pairs to the values. Returns the names that were already set. */
function addPairs(values: Map<string, unknown>, pairs: Iterable<readonly [string, unknown]>): readonly string[] {
  const repeated: string[] = [];
  for (const [name, value] of pairs) {
    if (name.endsWith("[]")) {
      const listName = name.slice(0, -2);
      const list = values.get(listName);
      values.set(listName, Array.isArray(list) ? [...(list as unknown[]), value] : [value]);
    } else {
      if (values.has(name)) {
        repeated.push(name);
      }
      values.set(name, value);
    }
  }
  return repeated;
}

export function queryParams(url: URL): Params {
  const values = new Map<string, unknown>();
  const repeated = addPairs(values, url.searchParams);
  return new Params(values, repeated);
}

async function readJson(request: Request): Promise<Iterable<readonly [string, unknown]>> {
  const text = await request.text();
  if (text === "") {
    return [];
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ParamError("The body is not valid JSON", 400);
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ParamError("The body must be a JSON object", 400);
  }
  return Object.entries(body);
}

/** Reads the query and the body. A body of another content type is refused. */
export async function readParams(request: Request, url: URL): Promise<Params> {
  const values = new Map<string, unknown>();
  const repeated = [...addPairs(values, url.searchParams)];
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  switch (type.trim().toLowerCase()) {
    case "application/json":
      repeated.push(...addPairs(values, await readJson(request)));
      break;
    case "application/x-www-form-urlencoded":
      // The form is read as bytes, because the runtime logs a warning for forms read as text.
      repeated.push(...addPairs(values, new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()))));
      break;
    case "multipart/form-data":
      repeated.push(...addPairs(values, await readMultipart(request)));
      break;
    default:
      if ((await request.arrayBuffer()).byteLength > 0) {
        throw new ParamError("Unsupported Media Type", 415);
      }
  }
  return new Params(values, repeated);
}

async function readMultipart(request: Request): Promise<FormData> {
  try {
    return await request.formData();
  } catch {
    throw new ParamError("The multipart body cannot be parsed", 400);
  }
}

/*
 * What the product asked of its bindings during one request, written down so that the floor can ask the same: word for
 * word, in the same order, and after the answer what was asked after the answer.
 */

/** A text that is JSON is kept as what it says: the floor writes it again, as any Worker has to. */
export type Parameter = string | number | null | { readonly json: unknown };

export interface Statement {
  /** Where the text stands in `Traces.sql`. */
  readonly sql: number;
  readonly parameters: readonly Parameter[];
}

export type Call =
  | { readonly to: "d1"; readonly how: "batch"; readonly statements: readonly Statement[] }
  | { readonly to: "d1"; readonly how: "first" | "all" | "run" | "raw"; readonly statements: readonly [Statement] }
  | { readonly to: "kv"; readonly how: "get"; readonly key: string; readonly type: "text" | "json" }
  | {
      readonly to: "kv";
      readonly how: "put";
      readonly key: string;
      readonly value: Parameter;
      readonly options: KVNamespacePutOptions;
    }
  | { readonly to: "object"; readonly name: string; readonly hint: unknown }
  | { readonly to: "limiter"; readonly binding: string; readonly key: string }
  | { readonly to: "digest"; readonly algorithm: string; readonly text: string };

/** One request. */
export interface Trace {
  readonly before: readonly Call[];
  readonly after: readonly Call[];
}

/** A call of an object's storage. */
export interface Step {
  readonly on: "storage" | "kv";
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Everything the floor replays. */
export interface Traces {
  readonly sql: readonly string[];
  readonly steps: readonly Step[];
  readonly operations: Readonly<Record<string, readonly Trace[]>>;
}

export function toParameter(value: unknown): Parameter {
  if (value === null || typeof value === "number") {
    return value;
  }
  if (typeof value !== "string") {
    throw new TypeError(`a parameter of type ${typeof value} cannot be replayed`);
  }
  return /^[[{]/.test(value) ? { json: JSON.parse(value) as unknown } : value;
}

export function fromParameter(parameter: Parameter): string | number | null {
  return typeof parameter === "object" && parameter !== null ? JSON.stringify(parameter.json) : parameter;
}

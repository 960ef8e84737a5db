/*
 * The binding calls of the product during one request. The baseline repeats them unchanged and in the same order, and those
 * after the response also after its response.
 */

/** JSON text is stored parsed, so that the baseline has the cost of serializing it, like any Worker. */
export type Parameter = string | number | null | { readonly json: unknown };

export interface Statement {
  /** The index of the SQL text in `Traces.sql`. */
  readonly sql: number;
  readonly parameters: readonly Parameter[];
}

export type BindingCall =
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

/** The calls of one request. */
export interface Trace {
  readonly beforeResponse: readonly BindingCall[];
  readonly afterResponse: readonly BindingCall[];
}

/** A call of a Durable Object's storage. */
export interface StorageCall {
  readonly target: "storage" | "kv";
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Everything that the baseline replays. */
export interface Traces {
  readonly sql: readonly string[];
  readonly storageCalls: readonly StorageCall[];
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

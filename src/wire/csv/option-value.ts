import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { splitList } from "./lists.ts";

function typesOf(schema: JsonValue | undefined): ReadonlySet<string> {
  if (!isJsonObject(schema)) {
    return new Set();
  }
  const { type, anyOf } = schema;
  const own = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  const others = Array.isArray(anyOf) ? anyOf.flatMap((one) => [...typesOf(one)]) : [];
  return new Set([...own, ...others]);
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Converts a cell to the option's type. A value that does not fit stays text, which the platform's own check refuses.
 */
export function optionValue(schema: JsonObject, cell: string): JsonValue {
  const types = typesOf(schema);
  const text = cell.trim();
  // Spreadsheets write booleans as TRUE and FALSE.
  if (types.has("boolean") && /^(?:true|false)$/i.test(text)) {
    return text.toLowerCase() === "true";
  }
  if ((types.has("number") || types.has("integer")) && text !== "" && Number.isFinite(Number(text))) {
    return Number(text);
  }
  if ((types.has("array") && text.startsWith("[")) || (types.has("object") && text.startsWith("{"))) {
    return parseJson(text) ?? text;
  }
  return types.has("array") ? splitList(cell) : types.has("string") ? cell : text;
}

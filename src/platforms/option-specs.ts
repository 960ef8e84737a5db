import type { JsonObject, JsonValue } from "#core/json.ts";
import { isJsonObject } from "#core/json.ts";
import type { Adapter, OptionField } from "./contract.ts";
import { toOptionsSchema } from "./options-schema.ts";

/** One form field of a platform's options: its words, and what the schema says about it. */
export interface OptionSpec extends OptionField {
  /** The name of the option: `title`, or `link_card.uri` for a member of an object. */
  readonly key: string;
  readonly type: "boolean" | "choice" | "number" | "text" | "texts";
  readonly values: readonly string[];
  /** The value of an option that was not set. Undefined if the platform or the account decides. */
  readonly defaultValue: JsonValue | undefined;
  readonly isRequired: boolean;
}

type OptionsOwner = Pick<Adapter, "options" | "optionForm">;

/**
 * The fields of each adapter. They are kept, because generating the JSON Schema is expensive and options never change.
 */
const cache = new WeakMap<OptionsOwner, readonly OptionSpec[]>();

/** The fields of a platform's options in the order of its form. */
export function optionSpecs(adapter: OptionsOwner): readonly OptionSpec[] {
  const cached = cache.get(adapter);
  if (cached) {
    return cached;
  }
  const schema = toOptionsSchema(adapter);
  const specs = Object.entries(adapter.optionForm?.fields ?? {}).map(([key, field]) => toSpec(key, field, schema));
  cache.set(adapter, specs);
  return specs;
}

function toSpec(key: string, field: OptionField, schema: JsonObject): OptionSpec {
  const [name = "", member] = key.split(".");
  const option = memberOf(member === undefined ? schema : memberOf(memberOf(schema, "properties"), name), "properties");
  const property = memberOf(option, member ?? name);
  const [value] = Array.isArray(property["anyOf"])
    ? (property["anyOf"] as JsonObject[]).filter(({ type }) => type !== "null")
    : [property];
  const values = Array.isArray(value?.["enum"]) ? value["enum"].map(String) : [];
  return {
    ...field,
    key,
    type: typeOf(value ?? {}, values),
    values,
    defaultValue: property["default"],
    isRequired:
      member === undefined && Array.isArray(schema["required"]) && (schema["required"] as JsonValue[]).includes(name),
  };
}

function typeOf({ type }: JsonObject, values: readonly string[]): OptionSpec["type"] {
  if (type === "boolean") {
    return "boolean";
  }
  if (type === "integer") {
    return "number";
  }
  if (type === "array") {
    return "texts";
  }
  return values.length > 0 ? "choice" : "text";
}

function memberOf(value: JsonObject, name: string): JsonObject {
  const member = value[name];
  return isJsonObject(member) ? member : {};
}

import { inlineCode, table } from "#docs/markdown/markdown.ts";
import { nameOf, type Schema } from "./document.ts";

export type SchemaLink = (name: string) => string;

const MAX_DEPTH = 4;
const MAX_LISTED = 12;

/** The type of a value in words, such as `string (uuid)`, `array of Target` or `integer or null`. */
export function typeOf(schema: Schema, link: SchemaLink): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return `[${name}](${link(name)})`;
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) {
    return [...new Set(options.map((option) => typeOf(option, link)))].join(" or ");
  }
  if (schema.allOf !== undefined) {
    return schema.allOf.map((part) => typeOf(part, link)).join(" and ");
  }
  if (schema.const !== undefined) {
    return inlineCode(schema.const);
  }
  const types = schema.type === undefined ? ["any"] : typeof schema.type === "string" ? [schema.type] : schema.type;
  return types
    .map((type) => {
      if (type === "array" && schema.items !== undefined) {
        return `array of ${typeOf(schema.items, link)}`;
      }
      return type === "string" && schema.format !== undefined ? `string (${schema.format})` : type;
    })
    .join(" or ");
}

/** The limits that a schema sets, in words. */
function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, ...schema }: Schema): string[] {
  const range = (min: number | undefined, max: number | undefined, unit: string): string[] => {
    if (min === undefined && max === undefined) {
      return [];
    }
    const safe = (value: number | undefined) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
    const parts = [safe(min) && `at least ${min}`, safe(max) && `at most ${max}`].filter(Boolean);
    return parts.length === 0 ? [] : [`${parts.join(", ")}${unit}`];
  };
  return [
    ...range(minimum, maximum, ""),
    ...range(minLength === 0 ? undefined : minLength, maxLength, " characters"),
    ...range(minItems === 0 ? undefined : minItems, maxItems, " items"),
    ...(schema.default === undefined ? [] : [`default ${inlineCode(schema.default)}`]),
  ];
}

/** The values of an enum, with their meanings if the document explains them. */
function valuesOf(schema: Schema): string {
  const values = schema.enum?.filter((value) => value !== null) ?? [];
  const meanings = schema["x-enum-descriptions"];
  if (values.length === 0) {
    return "";
  }
  if (meanings !== undefined && values.length <= MAX_LISTED) {
    return values.map((value, at) => `${inlineCode(value)}: ${(meanings[at] ?? "").replace(/\.$/, "")}`).join("; ");
  }
  return values.map(inlineCode).join(", ");
}

/** Describes a schema: its description, values and limits. */
export function describeSchema(schema: Schema): string {
  const values = valuesOf(schema.items?.enum === undefined ? schema : schema.items);
  const limits = limitsOf(schema);
  const description = schema.description?.trim() ?? "";
  const isSentence = values === "" || description === "" || /[.!?:]$/.test(description);
  return [
    isSentence ? description : `${description}.`,
    values === "" ? "" : `${schema.enum?.length === 1 ? "Always" : "One of"} ${values}.`,
    limits.length === 0 ? "" : `(${limits.join("; ")})`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** The table rows for an object's members. Members of unnamed objects inside it are included as `outer.inner`. */
function rowsOf(schema: Schema, link: SchemaLink, prefix: string, depth: number): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) === true;
    const within = member.items ?? member;
    const inner = within.properties !== undefined && depth < MAX_DEPTH;
    const suffix = member.items === undefined ? "." : "[].";
    return [
      [`\`${path}\`${isRequired ? "" : " (optional)"}`, typeOf(member, link), describeSchema(member)],
      ...(inner ? rowsOf(within, link, `${path}${suffix}`, depth + 1) : []),
    ];
  });
}

/** Writes an object schema as a table of its members, and any other schema as its type and description. */
export function schemaMarkdown(schema: Schema, link: SchemaLink): string {
  const rows = rowsOf(schema, link, "", 1);
  return rows.length > 0
    ? table(["Member", "Type", "What it is"], rows)
    : `${[typeOf(schema, link), describeSchema({ ...schema, description: "" })].filter(Boolean).join(". ")}\n`;
}

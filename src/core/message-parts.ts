import { toIsoInstant } from "./clock.ts";

/** A request member that a message names. Pages show the label of its form field instead. */
interface NamedMember {
  readonly member: string;
}

/** A time that a message names. Pages show it in the person's time zone. */
interface NamedInstant {
  readonly instant: number;
}

/** A name of the API in parentheses inside a message. Pages leave it out. */
interface ApiName {
  readonly apiName: string;
}

/** A message in parts, because pages name members and times differently from the API. */
export type MessageParts = readonly (string | NamedMember | NamedInstant)[];

export const member = (name: string): NamedMember => ({ member: name });
export const instant = (at: number): NamedInstant => ({ instant: at });
export const apiName = (name: string): ApiName => ({ apiName: name });

type Part = MessageParts[number] | ApiName;
type Value = Part | number | readonly NamedMember[];

/**
 * Makes a message from a template, as one text for programs and as parts for pages. Lists of members are joined by
 * commas.
 */
export function naming(
  texts: TemplateStringsArray,
  ...values: readonly Value[]
): { readonly message: string; readonly parts: MessageParts } {
  const parts = texts.flatMap((text, index) => [text, ...partsOf(values[index] ?? "")]).filter((part) => part !== "");
  return {
    message: parts.map(textOf).join(""),
    parts: parts.filter((part): part is MessageParts[number] => typeof part === "string" || !("apiName" in part)),
  };
}

function partsOf(value: Value): readonly Part[] {
  if (typeof value !== "object") {
    return [String(value)];
  }
  return "member" in value || "instant" in value || "apiName" in value
    ? [value]
    : value.flatMap((item, index) => (index === 0 ? [item] : [", ", item]));
}

function textOf(part: Part): string {
  if (typeof part === "string") {
    return part;
  }
  return "member" in part ? part.member : "apiName" in part ? ` (${part.apiName})` : toIsoInstant(part.instant);
}

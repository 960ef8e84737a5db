import { toIsoInstant } from "./clock.ts";

/** The name of a request member inside a message. Pages replace it with the label of their form field. */
interface NamedMember {
  readonly member: string;
}

/** A time inside a message. Pages show it in the person's time zone. */
interface NamedInstant {
  readonly instant: number;
}

/** An API name in parentheses. Pages leave it out. */
interface ApiName {
  readonly apiName: string;
}

/** A message in parts, because pages show members and times in other words than the API. */
export type MessageParts = readonly (string | NamedMember | NamedInstant)[];

export const member = (name: string): NamedMember => ({ member: name });
export const instant = (at: number): NamedInstant => ({ instant: at });
export const apiName = (name: string): ApiName => ({ apiName: name });

type Part = MessageParts[number] | ApiName;
type Value = Part | number | readonly NamedMember[];

/** Makes one text for programs and parts for pages from a template. A list of members is joined by commas. */
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

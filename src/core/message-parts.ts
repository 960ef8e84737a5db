import { toIsoInstant } from "./clock.ts";

/** A member of the request inside a message; pages call it what their form calls it. */
interface NamedMember {
  readonly member: string;
}

/** A time inside a message; pages show it on the person's clock. */
interface NamedInstant {
  readonly instant: number;
}

/** A name from the API in parentheses; pages leave it out. */
interface ApiName {
  readonly apiName: string;
}

/** A message in parts, for readers who have other words for members and times than programs have. */
export type MessageParts = readonly (string | NamedMember | NamedInstant)[];

export const member = (name: string): NamedMember => ({ member: name });
export const instant = (at: number): NamedInstant => ({ instant: at });
export const apiName = (name: string): ApiName => ({ apiName: name });

type Part = MessageParts[number] | ApiName;
type Value = Part | number | readonly NamedMember[];

/** The template as one text for programs and as parts for pages; a list of members is separated by commas. */
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

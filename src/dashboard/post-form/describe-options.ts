import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Board } from "#platforms/contract.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";
import { storedThreadMedia } from "#posts/index.ts";
import { tagInWords } from "./read-tags.ts";
import { isAskedFor, type KnownMediaTypes, storedOption } from "./read-options.ts";

interface DescribedIn {
  readonly mediaTypes: KnownMediaTypes;
  readonly boards: readonly Board[];
  /** Whether to describe one side of a change, which also names what happens if the option is not set. */
  readonly isChange?: boolean;
}

/**
 * The options of a target in plain words: those that apply and differ from the default, and those that the platform
 * wants a person to choose.
 */
export function describeOptions(
  specs: readonly OptionSpec[],
  options: JsonObject,
  { mediaTypes, boards, isChange = false }: DescribedIn,
): readonly { readonly label: string; readonly value: string }[] {
  return specs
    .filter((spec) => isAskedFor(spec, mediaTypes) && (isChange || isListed(spec, storedOption(options, spec))))
    .map((spec) => ({ label: spec.label, value: describeValue(spec, storedOption(options, spec), boards) }))
    .filter(({ value }) => value !== "");
}

function isListed({ defaultValue, initial, mustChoose }: OptionSpec, value: JsonValue | undefined): boolean {
  const isChosenByPerson = initial !== undefined || mustChoose !== undefined;
  return value !== undefined && value !== null && (value !== defaultValue || isChosenByPerson);
}

function describeValue(spec: OptionSpec, value: JsonValue | undefined, boards: readonly Board[]): string {
  if (value === undefined || value === null) {
    // The empty entry of a member, such as the duration of a poll, is a prompt.
    return spec.key.includes(".") || spec.mustChoose !== undefined ? "" : (spec.choices?.[""] ?? "");
  }
  if (Array.isArray(value)) {
    if (spec.input === "parts") {
      const files = storedThreadMedia({ thread: value }).flat().length;
      const withFiles = files === 0 ? "" : files === 1 ? " with 1 file" : ` with ${files} files`;
      return `${value.length === 1 ? "1 more part" : `${value.length} more parts`}${withFiles}`;
    }
    if (spec.input === "tags") {
      return value.map(tagInWords).join("; ");
    }
    const texts = value.map(String);
    return spec.input === "per_media"
      ? texts
          .map((text, index) => (text === "" ? "" : `${index + 1}. ${text}`))
          .filter(Boolean)
          .join(" ")
      : texts.map((text) => (spec.input === "boards" ? boardName(boards, text) : text)).join(", ");
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return spec.choices?.[text] ?? (spec.type === "boolean" ? (value === true ? "Yes" : "No") : text);
}

function boardName(boards: readonly Board[], id: string): string {
  return boards.find((board) => board.id === id)?.name ?? `Board ${id}`;
}

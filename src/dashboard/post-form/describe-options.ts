import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Board } from "#platforms/contract.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";
import { storedThreadMedia } from "#posts/index.ts";
import { tagInWords } from "./read-tags.ts";
import { isAskedFor, type KnownMediaTypes, storedOption } from "./read-options.ts";

/** The options of a target in plain words, as the platform will get them, with defaults. Empty options are left out. */
export function describeOptions(
  specs: readonly OptionSpec[],
  options: JsonObject,
  context: { readonly mediaTypes: KnownMediaTypes; readonly boards: readonly Board[] },
): readonly { readonly label: string; readonly value: string }[] {
  return specs
    .filter((spec) => isAskedFor(spec, context.mediaTypes))
    .map((spec) => ({ label: spec.label, value: describeValue(spec, storedOption(options, spec), context.boards) }))
    .filter(({ value }) => value !== "");
}

function describeValue(spec: OptionSpec, value: JsonValue | undefined, boards: readonly Board[]): string {
  if (value === undefined || value === null) {
    return spec.choices?.[""] ?? "";
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

import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";
import { threadCaptions } from "#platforms/thread.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";
import { type OwnMedia, readOwnMedia } from "./own-media.ts";
import { readTags, tagInWords } from "./read-tags.ts";

/** The known types of a post's media. Null if any type is possible. */
export type KnownMediaTypes = readonly MediaType[] | null;

const VIDEO_NAME = /\.(?:mp4|m4v|mov|webm)$/i;
const IMAGE_NAME = /\.(?:jpe?g|png|gif|webp|heic|heif|avif)$/i;

/** The media types that file names suggest. Null if one name suggests none. */
export function mediaTypesOf(urls: readonly string[]): KnownMediaTypes {
  const types = urls.map((url): MediaType | null => {
    const path = url.replace(/[?#].*$/, "");
    return VIDEO_NAME.test(path) ? "video" : IMAGE_NAME.test(path) ? "image" : null;
  });
  return types.includes(null) ? null : types.filter((type) => type !== null);
}

/** Whether the form shows a field for this option, given the types of the media. */
export function isAskedFor({ onlyFor }: OptionSpec, mediaTypes: KnownMediaTypes): boolean {
  if (onlyFor === undefined || mediaTypes === null) {
    return onlyFor !== "text";
  }
  switch (onlyFor) {
    case "text":
      return mediaTypes.length === 0;
    case "media":
      return mediaTypes.length > 0;
    default:
      return mediaTypes.includes(onlyFor);
  }
}

/**
 * The value of an option as the API takes it. Undefined if it is not set; a value equal to the default counts as not
 * set.
 */
export function readOption(
  spec: OptionSpec,
  texts: readonly string[] | undefined,
  partMedia?: readonly string[],
): JsonValue | undefined {
  const value = toValue(spec, texts ?? [], partMedia);
  return value === spec.defaultValue ? undefined : value;
}

/** The value of an option, or its default if it is not set. */
export function effectiveOption(
  spec: OptionSpec,
  texts: readonly string[] | undefined,
  partMedia?: readonly string[],
): JsonValue | undefined {
  return toValue(spec, texts ?? [], partMedia) ?? spec.defaultValue;
}

function toValue(
  { type, input }: Pick<OptionSpec, "type" | "input">,
  texts: readonly string[],
  partMedia: readonly string[] = [],
): JsonValue | undefined {
  const last = texts.at(-1) ?? "";
  switch (type) {
    case "boolean":
      return last === "true" || last === "false" ? last === "true" : undefined;
    case "number":
      // Pass text that is not a number on unchanged, so that the refusal names the field.
      return last === "" ? undefined : /^-?\d{1,9}$/.test(last) ? Number(last) : last;
    case "choice":
    case "text":
      // Browsers send line breaks as CRLF, but options contain LF.
      return last === "" ? undefined : last.replaceAll("\r\n", "\n");
    case "texts": {
      if (input === "parts") {
        const parts = texts.map((caption, index) => {
          const items = readPartMedia(partMedia[index]);
          return { caption, ...(items.length > 0 && { media_items: items }) };
        });
        const last = parts.findLastIndex((part) => part.caption.trim() !== "" || "media_items" in part);
        return last >= 0 ? parts.slice(0, last + 1) : undefined;
      }
      if (input === "tags") {
        const tags = readTags(last.replaceAll("\r\n", "\n"));
        return tags.length > 0 ? tags : undefined;
      }
      const list = input === "per_media" ? withoutEmptyEnd(texts) : listOf(texts, input === "words");
      return list.length > 0 ? list : undefined;
    }
  }
}

const PART_MEDIA = ".media";

/** The name of the form field with the media of each thread part, as JSON. */
export function partMediaKey({ key }: Pick<OptionSpec, "key">): string {
  return `${key}${PART_MEDIA}`;
}

/**
 * The thread parts with media, of an account whose platform is not known yet. With them, one lookup finds the account
 * and the media.
 */
export function partsWithMedia(values: ReadonlyMap<string, readonly string[]>): JsonObject {
  const named = Array.from(values).filter(([name]) => name.endsWith(PART_MEDIA));
  return Object.fromEntries(
    named.flatMap(([name, media]) => {
      const key = name.slice(0, -PART_MEDIA.length);
      const value = toValue({ type: "texts", input: "parts" }, values.get(key) ?? [], media);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

/** Reads the media of a thread part from the JSON in its form field. */
export function readPartMedia(json: string | undefined): OwnMedia {
  return (json === "" ? null : readOwnMedia(json)) ?? [];
}

/** The media of each part of a stored thread, as the form sends them. Empty if no part has media. */
export function writePartMedia({ input }: OptionSpec, value: JsonValue | undefined): readonly string[] {
  if (input !== "parts" || !Array.isArray(value)) {
    return [];
  }
  const media = value.map((part) => {
    const items = isJsonObject(part) ? part["media_items"] : undefined;
    const named = (Array.isArray(items) ? items : []).filter(isJsonObject).map(({ url = null, type, alt_text }) => ({
      url,
      ...(type !== undefined && { type }),
      ...(alt_text !== undefined && { alt_text }),
    }));
    return named.length === 0 ? "" : JSON.stringify(named);
  });
  return media.some((json) => json !== "") ? media : [];
}

function withoutEmptyEnd(texts: readonly string[]): readonly string[] {
  return texts.slice(0, texts.findLastIndex((text) => text.trim() !== "") + 1);
}

function listOf(texts: readonly string[], areWords: boolean): readonly string[] {
  return texts.flatMap((text) => (areWords ? text.split(",").map((word) => word.trim()) : [text])).filter(Boolean);
}

/** The texts that an option's form field shows for a stored value. */
export function writeOption({ type, input }: OptionSpec, value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (input === "parts") {
    return threadCaptions({ thread: value });
  }
  if (input === "tags") {
    return [(Array.isArray(value) ? value : []).map(tagInWords).join("\n")];
  }
  if (type === "texts") {
    const texts = Array.isArray(value) ? value.map(String) : [];
    return input === "words" ? [texts.join(", ")] : texts;
  }
  return [typeof value === "string" ? value : JSON.stringify(value)];
}

/**
 * Builds options from form fields: `link_card.uri` becomes the member `uri` of `link_card`. If one member is set, the
 * others become empty texts.
 */
export function toOptions(specs: readonly OptionSpec[], read: (spec: OptionSpec) => JsonValue | undefined): JsonObject {
  const options: Record<string, JsonValue> = {};
  for (const spec of specs) {
    const [name = "", member] = spec.key.split(".");
    const value = read(spec);
    if (member === undefined) {
      if (value !== undefined) {
        options[name] = value;
      }
    } else if (value !== undefined || isMemberSet(specs, name, read)) {
      options[name] = { ...(options[name] as JsonObject | undefined), [member]: value ?? "" };
    }
  }
  return options;
}

function isMemberSet(
  specs: readonly OptionSpec[],
  name: string,
  read: (spec: OptionSpec) => JsonValue | undefined,
): boolean {
  return specs.some((spec) => spec.key.startsWith(`${name}.`) && read(spec) !== undefined);
}

/** The stored value of an option, or of a member of an option that is an object. */
export function storedOption(options: JsonObject, { key }: OptionSpec): JsonValue | undefined {
  return key
    .split(".")
    .reduce<JsonValue | undefined>((value, name) => (isJsonObject(value) ? value[name] : undefined), options);
}

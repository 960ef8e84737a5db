import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";
import type { OptionSpec } from "#platforms/option-specs.ts";

/** The media types of a post that are known; null: any type is possible. */
export type KnownMediaTypes = readonly MediaType[] | null;

const VIDEO_NAME = /\.(?:mp4|m4v|mov|webm)$/i;
const IMAGE_NAME = /\.(?:jpe?g|png|gif|webp)$/i;

/** What the file names in the URLs say; null when one says nothing. */
export function mediaTypesOf(urls: readonly string[]): KnownMediaTypes {
  const types = urls.map((url): MediaType | null => {
    const path = url.replace(/[?#].*$/, "");
    return VIDEO_NAME.test(path) ? "video" : IMAGE_NAME.test(path) ? "image" : null;
  });
  return types.includes(null) ? null : types.filter((type) => type !== null);
}

/** Whether the option is asked for with these media. */
export function isAskedFor({ onlyFor }: OptionSpec, mediaTypes: KnownMediaTypes): boolean {
  if (onlyFor === undefined || mediaTypes === null) {
    return onlyFor !== "text";
  }
  return onlyFor === "text" ? mediaTypes.length === 0 : mediaTypes.includes(onlyFor);
}

/** The option's value as the API takes it; undefined when it is not set. A value that equals the default is not set. */
export function readOption(spec: OptionSpec, texts: readonly string[] | undefined): JsonValue | undefined {
  const value = toValue(spec, texts ?? []);
  return value === spec.defaultValue ? undefined : value;
}

/** As `readOption`, with the default filled in. */
export function effectiveOption(spec: OptionSpec, texts: readonly string[] | undefined): JsonValue | undefined {
  return toValue(spec, texts ?? []) ?? spec.defaultValue;
}

function toValue({ type, input }: OptionSpec, texts: readonly string[]): JsonValue | undefined {
  const last = texts.at(-1) ?? "";
  switch (type) {
    case "boolean":
      return last === "true" || last === "false" ? last === "true" : undefined;
    case "choice":
    case "text":
      return last === "" ? undefined : last;
    case "texts": {
      const list = input === "per_media" ? withoutEmptyEnd(texts) : listOf(texts, input === "words");
      return list.length > 0 ? list : undefined;
    }
  }
}

function withoutEmptyEnd(texts: readonly string[]): readonly string[] {
  return texts.slice(0, texts.findLastIndex((text) => text !== "") + 1);
}

function listOf(texts: readonly string[], areWords: boolean): readonly string[] {
  return texts.flatMap((text) => (areWords ? text.split(",").map((word) => word.trim()) : [text])).filter(Boolean);
}

/** The texts that the option's field shows for a stored value. */
export function writeOption({ type, input }: OptionSpec, value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (type === "texts") {
    const texts = Array.isArray(value) ? value.map(String) : [];
    return input === "words" ? [texts.join(", ")] : texts;
  }
  return [typeof value === "string" ? value : JSON.stringify(value)];
}

/** Sets `link_card.uri` in `link_card`; an object that has one member gets the others as empty texts. */
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

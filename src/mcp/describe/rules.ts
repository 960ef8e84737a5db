import { PLATFORM_NAMES } from "#core/platform.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { oneLine } from "./quoted.ts";
import type { PlatformRules } from "#wire/schemas/platform-rules.ts";

function mediaLines({ media }: PlatformRules): string[] {
  const { images, videos, text_only: textOnly, mixed } = media;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`;
  return [
    `Media: ${textOnly ? "not needed" : "required"}${mixed ? ", images and videos together" : ""}.`,
    ...(images
      ? [`- images: up to ${images.max}, ${megabytes(images.max_bytes)} each, ${images.content_types.join(", ")}`]
      : []),
    ...(videos
      ? [
          `- videos: up to ${videos.max}, ${megabytes(videos.max_bytes)} each, ${videos.min_seconds} to ${videos.max_seconds} s, ${videos.content_types.join(", ")}`,
        ]
      : []),
  ];
}

function ruleLine({ of, measure, min, max, allowed, when }: PlatformRules["rules"][number]): string {
  const bounds = [
    ...(min === null ? [] : [`at least ${min}`]),
    ...(max === null ? [] : [`at most ${max}`]),
    ...(allowed === null ? [] : [`one of ${allowed.join(", ")}`]),
  ].join(", ");
  const options = Object.entries(when?.options ?? {}).map(([name, value]) => `${name} ${value}`);
  const only = [...(when?.post_type ? [`${when.post_type} posts`] : []), ...options].join(", ");
  return `- ${of} ${measure}: ${bounds}${only === "" ? "" : ` (for ${only})`}`;
}

/** The type of an option in words, such as `text`, `one of a, b` or `list of …`. */
function typeText(schema: JsonValue | undefined): string {
  if (schema === undefined || !isJsonObject(schema)) {
    return "any";
  }
  const { enum: values, const: only, anyOf, items, type } = schema;
  if (Array.isArray(values)) {
    return `one of ${values.map(String).join(", ")}`;
  }
  if (only !== undefined) {
    return JSON.stringify(only);
  }
  if (Array.isArray(anyOf)) {
    return [...new Set(anyOf.map((one: JsonValue) => typeText(one)))].join(" or ");
  }
  return type === "array" ? `list of ${typeText(items)}` : typeof type === "string" ? type : "any";
}

function optionLines(options: JsonObject): string[] {
  const properties = isJsonObject(options["properties"]) ? options["properties"] : {};
  const required = Array.isArray(options["required"]) ? options["required"] : [];
  return Object.entries(properties).map(([name, schema]) => {
    const { description, default: usual } = isJsonObject(schema) ? schema : {};
    return [
      `- ${name}: ${typeText(schema)}`,
      ...(required.includes(name) ? ["required"] : []),
      ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
      ...(typeof description === "string" ? [oneLine(description, 220)] : []),
    ].join("; ");
  });
}

/** Describes a platform's rules for posts in words. The answer's structured data contain the same rules. */
export function describeRules(rules: PlatformRules): string {
  const options = optionLines(rules.options);
  return [
    `${PLATFORM_NAMES[rules.platform]}: captions up to ${rules.caption.max} ${rules.caption.unit}.`,
    ...mediaLines(rules),
    ...(options.length === 0 ? ["No platform_options."] : ["platform_options, in targets[]:", ...options]),
    ...rules.option_scopes.map(
      ({ option, scopes, is_available: isAvailable }) =>
        `- ${option} needs ${scopes.join(", ")}: ${isAvailable ? "granted when the account is connected" : "not offered here"}`,
    ),
    ...(rules.rules.length === 0 ? [] : ["Limits:", ...rules.rules.map(ruleLine)]),
    ...rules.daily_caps.map(({ count, window_hours: hours, what }) => `At most ${count} ${what} in ${hours} hours.`),
    ...(rules.duplicate_text === null ? [] : [`${rules.duplicate_text.note}.`]),
  ].join("\n");
}

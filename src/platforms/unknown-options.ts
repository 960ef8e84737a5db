import { z } from "@hono/zod-openapi";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { member, naming } from "#core/message-parts.ts";
import { nearestName } from "#core/nearest-name.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { Adapter, ValidationProblem, ValidationWarning } from "./contract.ts";

/* Options that a platform does not have. They are accepted and stored, but nothing of them is published. */

/** Options whose loss changes what a post says or who sees it, so that an unknown one of these is refused. */
export const CONTENT_OR_AUDIENCE: readonly string[] = [
  "thread",
  "poll",
  "first_comment",
  "document",
  "article",
  "link",
  "link_attachment",
  "link_card",
  "quote_tweet_url",
  "title",
  "alt_texts",
  "spoiler_text",
  "story",
  "privacy_status",
  "visibility",
  "reply_settings",
  "reply_control",
  "community_id",
  "board_ids",
  "is_draft",
];

/** Members of a target that callers put into its options by mistake. */
const BESIDE_OPTIONS: readonly string[] = ["media_items", "media_urls"];

/** How many unknown options are reported. Some of many names show the mistake, and comparing all would take long. */
const TOLD = 20;
const NAME_SHOWN = 60;

interface Unknown {
  readonly problems: readonly ValidationProblem[];
  readonly warnings: readonly ValidationWarning[];
}

/** Warns of options that the platform does not have. Refuses those that would have been content or an audience. */
export function unknownOptions(
  { platform, options }: Pick<Adapter, "platform" | "options">,
  requested: JsonObject,
): Unknown {
  const known = options instanceof z.ZodObject ? Object.keys(options.shape) : [];
  const matters = new Set([...CONTENT_OR_AUDIENCE, ...BESIDE_OPTIONS]);
  const unknown = Object.entries(requested)
    .filter(([name, value]) => value !== null && !known.includes(name))
    .toSorted(([one], [other]) => Number(matters.has(other)) - Number(matters.has(one)))
    .slice(0, TOLD);
  const problems: ValidationProblem[] = [];
  const warnings: ValidationWarning[] = [];
  for (const [name, value] of unknown) {
    const nearest = nearestName(name, known);
    const shown = name.slice(0, NAME_SHOWN);
    const instead = insteadOf(name, known, nearest);
    const described = naming`${PLATFORM_NAMES[platform]} has no option ${member(shown)}${instead === "" ? "" : ": "}${instead}`;
    const meant = matters.has(name) ? name : (nearest ?? nearestName(name, matters));
    if (isSet(value) && meant !== undefined && matters.has(meant)) {
      problems.push({ code: "option_unknown", ...described, param: `platform_options.${shown}` });
    } else {
      warnings.push({ code: "option_unknown", ...described });
    }
  }
  return { problems, warnings };
}

function insteadOf(name: string, known: readonly string[], nearest: string | undefined): string {
  if (BESIDE_OPTIONS.includes(name)) {
    return "send it beside platform_options, in the target";
  }
  if (name === "first_comment" && known.includes("thread")) {
    return "use thread, whose parts follow the post";
  }
  if (name === "document") {
    return "use media";
  }
  return nearest === undefined ? "leave it out" : `do you mean ${nearest}?`;
}

function isSet(value: JsonValue): boolean {
  return value !== false && value !== "" && !(Array.isArray(value) && value.length === 0);
}

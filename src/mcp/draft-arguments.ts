import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { parseInstant } from "#wire/instant.ts";
import { refusalOf } from "#wire/validation-refusal.ts";
import { readArguments } from "./arguments.ts";
import type { Call } from "./tool.ts";
import { previewAction } from "./tools/preview-post.ts";

/** Of a message that was parsed as JSON. */
const asJson = (content: Record<string, unknown>): JsonObject => content as JsonObject;

/** Members of a draft; a schema of each would cost every conversation what that of preview_post costs. */
export const ContentArgument = z.record(z.string(), z.unknown()).transform(asJson);

/** What a draft has as arguments of preview_post. What the API derives is none, and an instant is the same in any zone. */
export function argumentsOf(draft: JsonObject): JsonObject {
  const content = Object.fromEntries(Object.entries(draft).filter(([name]) => name !== "post_type"));
  const { scheduled_at: time, time_zone: zone } = content;
  const instant = typeof time === "string" && zone === undefined ? parseInstant(time) : undefined;
  return instant === undefined ? content : { ...content, scheduled_at: toIsoInstant(instant) };
}

function problemsOf({ ctx }: Call, args: JsonObject) {
  const read = readArguments(ctx, previewAction().input, args);
  return read.ok ? [] : (read.refusal([]).details ?? []);
}

/** What is missing or malformed for a preview. */
export const problemsOfDraft = (call: Call, content: JsonObject) => problemsOf(call, argumentsOf(content));

/** The members as they are stored: a name that preview_post does not have is refused, and a time on the clock has its zone beside it. */
export function storableContent(call: Call, content: JsonObject): JsonObject {
  const unknown = problemsOf(call, argumentsOf(content)).filter(({ code }) => code === "unknown_argument");
  if (unknown.length > 0) {
    refuse(refusalOf(unknown));
  }
  const { scheduled_at: time, time_zone: zone } = content;
  return typeof time === "string" && zone === undefined && parseInstant(time) === undefined
    ? { ...content, time_zone: call.ctx.actor.timeZone }
    : content;
}

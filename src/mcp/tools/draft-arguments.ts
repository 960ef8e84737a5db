import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { parseInstant } from "#wire/instant.ts";
import { refusalOf } from "#wire/validation-refusal.ts";
import { readArguments } from "#mcp/tool/arguments.ts";
import type { Call } from "#mcp/tool/tool.ts";
import { previewAction } from "./preview-post.ts";

/** The cast is safe, because the content comes from a message that was parsed as JSON. */
const asJson = (content: Record<string, unknown>): JsonObject => content as JsonObject;

/**
 * The argument for a draft's content. It has no schema of the members, which would cost every conversation as much as
 * that of preview_post.
 */
export const ContentArgument = z.record(z.string(), z.unknown()).transform(asJson);

/**
 * Converts a draft's members to arguments of preview_post. Members that the API derives are left out, and an instant is
 * in UTC, so that it is the same in any zone.
 */
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

/** Finds the problems that would prevent a preview of the draft. */
export const problemsOfDraft = (call: Call, content: JsonObject) => problemsOf(call, argumentsOf(content));

/** The draft members to store. Refuses a name that preview_post does not have, and adds the zone to a local time. */
export function storableContent(call: Call, content: JsonObject): JsonObject {
  const unknown = problemsOf(call, argumentsOf(content)).filter(({ code }) => code === "unknown_argument");
  if (unknown.length > 0) {
    refuse(refusalOf(unknown));
  }
  const { scheduled_at: time, time_zone: zone } = content;
  return typeof time === "string" && time !== "now" && zone === undefined && parseInstant(time) === undefined
    ? { ...content, time_zone: call.ctx.actor.timeZone }
    : content;
}

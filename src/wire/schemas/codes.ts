import { z } from "@hono/zod-openapi";
import { codesOf, DETAILS, HTTP_ERRORS, PAUSED_REASONS, REFUSALS, TARGET_ERRORS, WARNINGS } from "#core/codes.ts";

/** The enum of a closed list of codes. The OpenAPI document says for each value what to do, in the same order. */
function codeEnum<Code extends string>(name: string, description: string, list: Readonly<Record<Code, string>>) {
  return z
    .enum(codesOf(list))
    .openapi(name, { description, "x-enum-descriptions": codesOf(list).map((code) => list[code]) });
}

export const ErrorCode = codeEnum("ErrorCode", "Why a call was refused.", { ...REFUSALS, ...HTTP_ERRORS });
export const DetailCode = codeEnum("DetailCode", "One problem of a request.", DETAILS);
export const TargetErrorCode = codeEnum("TargetErrorCode", "Why a target was not published.", TARGET_ERRORS);
export const WarningCode = codeEnum("WarningCode", "A possible problem of a previewed post.", WARNINGS);
export const PausedReason = codeEnum("PausedReason", "Why a post is paused.", PAUSED_REASONS);

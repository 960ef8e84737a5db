import type { CallToolResult } from "@modelcontextprotocol/server";
import { listAccounts } from "#accounts/index.ts";
import { type Refusal, type RefusalDetail, RefusalError } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";
import { log } from "#core/log.ts";
import { isOverloaded, isUnmetCondition, OVERLOADED_RETRY_SECONDS } from "#db/errors.ts";
import { describeError, refusalBody } from "#wire/refusal-body.ts";
import type { ErrorBody } from "#wire/schemas/error.ts";
import { adviceFor, type HintFacts, needsAccounts, nextStepFor } from "./hints.ts";
import { timeInWords } from "./describe/local-time.ts";
import { oneLine, quoted } from "./describe/quoted.ts";
import type { Call } from "./tool/tool.ts";

const MAX_SENTENCE = 600;

/** The `_meta` key of a failed call's error body, which is the body that the API would have returned. */
const ERROR_META_KEY = "almanac/error";

/**
 * The result of a failed call. The error body is not in `structuredContent`: clients validate that by the schema of
 * successful answers and would discard it.
 */
function toResult(text: string, body: ErrorBody): CallToolResult {
  return { content: [{ type: "text", text }], isError: true, _meta: { [ERROR_META_KEY]: body } };
}

/** The value in the arguments that a problem is about, for example at `targets[0].caption`. */
function valueAt(args: JsonObject, param: string | undefined): unknown {
  return (param?.match(/[^.[\]]+/g) ?? []).reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    args,
  );
}

/** Replaces names of API members in a refusal by the names of the tools' arguments. */
function inWordsOfTools(refusal: Refusal): Refusal {
  const isUnknown = refusal.details?.[0]?.code === "unknown_argument";
  return {
    ...refusal,
    ...(refusal.param !== undefined && !isUnknown && { param: toArgument(refusal.param) }),
    ...(refusal.details && {
      details: refusal.details.map((problem) => ({
        ...problem,
        message: problem.message.replaceAll(/GET \/accounts\/(\w+)-boards/g, "list_$1_boards"),
        // The name of an unknown argument must stay as the model sent it.
        ...(problem.param !== undefined && problem.code !== "unknown_argument" && { param: toArgument(problem.param) }),
      })),
    }),
  };
}

const toArgument = (param: string): string => param.replace(/^media_items$/, "media_urls");

function problemLine(problem: RefusalDetail, facts: HintFacts): string {
  const { code, param, platform, accountId } = problem;
  // Remove the name only at the beginning, because names such as `slot` are also words inside sentences.
  const sentence =
    param !== undefined && problem.message.startsWith(`${param} `)
      ? problem.message.slice(param.length + 1)
      : problem.message;
  const account = accountId !== undefined && platform !== undefined ? `${platform} account ${accountId}: ` : "";
  const advice = adviceFor(problem, facts);
  return `- ${param ?? "arguments"}: ${account}${oneLine(sentence, MAX_SENTENCE)}${advice === "" ? "" : `; ${advice}`} [${code}]`;
}

function headline(
  { code, message, details = [], postIds = [], approval, retryAfterSeconds }: Refusal,
  now: string,
): string {
  const count = details.length === 1 ? "1 problem found" : `${details.length} problems found`;
  const sentence = code === "validation_failed" && details.length > 0 ? count : oneLine(message, MAX_SENTENCE);
  return [
    `${code}: ${sentence.replace(/[.:;]$/, "")}.`,
    ...(postIds.length > 0 && !postIds.every((id) => sentence.includes(id)) ? [`Posts: ${postIds.join(", ")}.`] : []),
    ...(approval?.note ? [`The person wrote: ${quoted(approval.note, MAX_SENTENCE)}.`] : []),
    ...(retryAfterSeconds === undefined ? [] : [`Try again in ${Math.ceil(retryAfterSeconds)} s.`]),
    nextStepFor({ code }),
    ...(code === "scheduled_at_in_past" ? [`It is now ${now}.`] : []),
  ].join(" ");
}

async function refusalResult({ ctx, requestId }: Call, args: JsonObject, refused: Refusal): Promise<CallToolResult> {
  const refusal = inWordsOfTools(refused);
  const { timeZone, scopes } = ctx.actor;
  const now = ctx.clock.now();
  const details = refusal.details ?? [];
  const accounts = needsAccounts(details) && scopes.includes("accounts:read") ? await listAccounts(ctx) : null;
  const lines = details.map((problem) =>
    problemLine(problem, { now, timeZone, accounts, given: valueAt(args, problem.param) }),
  );
  return toResult(
    [headline(refusal, timeInWords(timeZone, now)), ...lines].join("\n"),
    refusalBody(refusal, requestId),
  );
}

/**
 * The result for an unexpected error. It may have occurred after a write, so the text tells the model to check first.
 */
export async function errorResult(call: Call, tool: string, args: JsonObject, error: unknown): Promise<CallToolResult> {
  if (error instanceof RefusalError) {
    return refusalResult(call, args, error.refusal);
  }
  const { requestId } = call;
  if (isUnmetCondition(error)) {
    // The caller never sees this result, because the call runs again with the changed credential.
    return toResult("changed", { code: "internal_error", error: "the credential has changed", request_id: requestId });
  }
  if (isOverloaded(error)) {
    const message = `the service is overloaded: send the same call again in ${OVERLOADED_RETRY_SECONDS} seconds`;
    return toResult(`overloaded: ${message}.`, { code: "overloaded", error: message, request_id: requestId });
  }
  log("error", "mcp.unexpected", { request_id: requestId, tool, ...describeError(error) });
  return toResult(
    `internal_error: something went wrong here, and it is not known whether anything was written. Read (list_posts, get_post) before you repeat a write. Request id for the operator: ${requestId}`,
    { code: "internal_error", error: "internal error", request_id: requestId },
  );
}

import { type RefusalDetail, refuse } from "#core/errors.ts";

/** Refuses a missing post and another user's post with the same words, so that a caller cannot tell. */
export function refusePostNotFound(): never {
  refuse({ code: "not_found", message: "post not found" });
}

export function refuseProblems(problems: readonly RefusalDetail[]): never {
  const [first] = problems;
  const othersCount = problems.length - 1;
  refuse({
    code: "validation_failed",
    message: `${first?.message ?? "the request is not valid"}${othersCount > 0 ? ` (and ${othersCount} more ${othersCount === 1 ? "problem" : "problems"})` : ""}`,
    ...(first?.param !== undefined && { param: first.param }),
    details: problems,
  });
}

export function refuseInvalidState(message: string): never {
  refuse({ code: "invalid_state", message });
}

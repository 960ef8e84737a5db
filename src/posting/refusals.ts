import { type Detail, refuse } from "#core/errors.ts";

/** A post that does not exist and one that is not the actor's: word for word the same. */
export function refuseMissing(): never {
  refuse({ code: "not_found", message: "post not found" });
}

/** Everything that is wrong with what was asked for, at once. */
export function refuseProblems(problems: readonly Detail[]): never {
  const [first] = problems;
  const more = problems.length - 1;
  refuse({
    code: "validation_failed",
    message: `${first?.message ?? "the request is not valid"}${more > 0 ? ` (and ${more} more ${more === 1 ? "problem" : "problems"})` : ""}`,
    ...(first?.param !== undefined && { param: first.param }),
    details: problems,
  });
}

export function refuseState(message: string): never {
  refuse({ code: "invalid_state", message });
}

import { refuse, type RefusalDetail } from "#core/errors.ts";

/** Refuses another user's webhook and an unknown one with the same words, so that nobody can find out ids. */
export function refuseWebhookNotFound(): never {
  refuse({ code: "not_found", message: "webhook not found" });
}

export function refuseDeliveryNotFound(): never {
  refuse({ code: "not_found", message: "delivery not found" });
}

/** Refuses with all problems at once. Does nothing if there is none. */
export function refuseProblems(problems: readonly (RefusalDetail | null)[]): void {
  const details = problems.filter((problem) => problem !== null);
  const [first] = details;
  if (first === undefined) {
    return;
  }
  const isOnly = details.length === 1;
  refuse({
    code: "validation_failed",
    message: isOnly ? first.message : `${details.length} problems found; the first: ${first.message}`,
    ...(isOnly && first.param !== undefined && { param: first.param }),
    details,
  });
}

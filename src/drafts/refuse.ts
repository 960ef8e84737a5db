import { refuse } from "#core/errors.ts";
import { refuseQuota } from "#core/quota.ts";

/** Refuses an unknown draft and another user's draft with the same words, so that nobody can find out ids. */
export function refuseDraftNotFound(): never {
  refuse({ code: "not_found", message: "draft not found" });
}

export function refuseDraftChanged(version: number): never {
  refuse({
    code: "draft_changed",
    message: `the draft was changed meanwhile and has version ${version} now: nothing was written`,
    param: "version",
  });
}

export function refuseDraftBytes(limit: number, used: number): never {
  refuseQuota({
    key: "draftBytes",
    limit,
    used,
    what: "bytes of drafts",
    nextStep: "delete drafts that are no longer needed, or choose a larger plan",
  });
}

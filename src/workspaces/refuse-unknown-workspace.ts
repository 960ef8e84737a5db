import { refuse } from "#core/errors.ts";

/** Refuses another user's workspace and an unknown one with the same words, so that nobody can find out ids. */
export function refuseUnknownWorkspace(): never {
  refuse({ code: "not_found", message: "workspace not found" });
}

import { refuse } from "#core/errors.ts";

/** Another user's workspace and an unknown one get the same answer, so that ids cannot be probed. */
export function refuseUnknownWorkspace(): never {
  refuse({ code: "not_found", message: "workspace not found" });
}

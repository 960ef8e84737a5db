import { refuse } from "#core/errors.ts";

/** Another user's workspace and an unknown one get the same refusal, so that callers cannot probe for ids. */
export function refuseUnknownWorkspace(): never {
  refuse({ code: "not_found", message: "workspace not found" });
}

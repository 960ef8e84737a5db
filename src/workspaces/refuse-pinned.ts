import type { Actor } from "#core/actor.ts";
import { refuse } from "#core/errors.ts";

/** A pinned credential was given for one workspace, so it makes no other one and never moves the user to another. */
export function refusePinned({ workspaceFrom }: Pick<Actor, "workspaceFrom">): void {
  if (workspaceFrom === "credential") {
    refuse({
      code: "workspace_pinned",
      message: "this credential is pinned to one workspace: use one that is not",
    });
  }
}

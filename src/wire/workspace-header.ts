import type { Refusal } from "#core/errors.ts";
import { isUuid } from "#core/ids.ts";

/** Names the workspace of a request; every authenticated answer repeats it. */
export const WORKSPACE_HEADER = "Almanac-Workspace";

/** The id as it is stored; null if it is none. */
export function readWorkspaceId(text: unknown): string | null {
  const id = typeof text === "string" ? text.toLowerCase() : "";
  return isUuid(id) ? id : null;
}

/** The workspace that a request names. */
export interface NamedWorkspace {
  /** Null if the request names none, or nothing that can be one. */
  readonly id: string | null;
  readonly isMalformed: boolean;
}

/** A header that is sent twice arrives as one text with a comma, so it is no UUID. */
export function namedWorkspace(headers: Headers): NamedWorkspace {
  const text = headers.get(WORKSPACE_HEADER);
  const id = readWorkspaceId(text);
  return { id, isMalformed: text !== null && id === null };
}

export const MALFORMED_WORKSPACE: Refusal = {
  code: "invalid_request",
  message: `${WORKSPACE_HEADER} must be one UUID: the id of a workspace, as GET /workspaces lists it`,
  param: WORKSPACE_HEADER,
};

/** The same for an unknown workspace, for that of another user, and for one to which the credential is not pinned. */
export const UNKNOWN_WORKSPACE: Refusal = {
  code: "not_found",
  message: "workspace not found",
  param: WORKSPACE_HEADER,
};

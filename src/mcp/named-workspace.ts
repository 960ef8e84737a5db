import type { Refusal } from "#core/errors.ts";
import { isJsonObject, type JsonObject } from "#core/json.ts";
import { namedWorkspace, readWorkspaceId, UNKNOWN_WORKSPACE, WORKSPACE_HEADER } from "#wire/workspace-header.ts";
import { TOOLS } from "./tools/index.ts";

/** The argument that every tool takes beside its own. */
export const WORKSPACE_ARGUMENT = "workspace_id";

/** The workspace that a message names, by the header or by the argument of the tool that it calls. */
export interface NamedByMessage {
  readonly id: string | null;
  readonly isArgument: boolean;
  readonly headerIsMalformed: boolean;
  /** What the tool answers instead of running. */
  readonly refusal: Refusal | null;
}

export const UNKNOWN_ARGUMENT: Refusal = { ...UNKNOWN_WORKSPACE, param: WORKSPACE_ARGUMENT };

/** Reads the name before the credential, because the workspace is read with it. */
export function namedByMessage(headers: Headers, message: unknown): NamedByMessage {
  const { id, isMalformed } = namedWorkspace(headers);
  const named: NamedByMessage = { id, isArgument: false, headerIsMalformed: isMalformed, refusal: null };
  const text = argumentOf(message);
  if (text === undefined) {
    return named;
  }
  const argument = readWorkspaceId(text);
  if (argument === null) {
    return { ...named, refusal: malformed("must be one UUID: the id of a workspace from get_overview") };
  }
  return id === null || id === argument
    ? // mutant: workspace-argument-ignored
      { ...named, id: argument, isArgument: id === null }
    : { ...named, refusal: malformed(`differs from the header ${WORKSPACE_HEADER}: leave one of them out`) };
}

const malformed = (problem: string): Refusal => ({
  code: "invalid_request",
  message: `${WORKSPACE_ARGUMENT} ${problem}`,
  param: WORKSPACE_ARGUMENT,
});

/** Undefined where a message calls no tool, one whose own argument has this name, or one without the argument; null counts as none. */
function argumentOf(message: unknown): unknown {
  const params = isJsonObject(message) && message["method"] === "tools/call" ? message["params"] : undefined;
  const called = isJsonObject(params) ? params : {};
  const tool = TOOLS.find(({ name }) => name === called["name"]);
  const args = called["arguments"];
  return tool?.choosesWorkspace !== false || !isJsonObject(args) ? undefined : (args[WORKSPACE_ARGUMENT] ?? undefined);
}

/** The arguments that a tool reads itself. */
export function ownArguments(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== WORKSPACE_ARGUMENT));
}

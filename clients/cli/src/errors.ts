import { AlmanacConnectionError, AlmanacError } from "@almanac/client";
import { CommanderError } from "commander";
import { CommandError, EXIT } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";
import { onOneLine, toJson } from "./text.ts";

interface Failure {
  readonly exitCode: number;
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

const SIGNED_OUT = new Set(["unauthenticated", "insufficient_scope"]);

/** What to do next, for refusals of the service that do not say it themselves. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  unauthenticated: "Run `almanac login` again.",
  insufficient_scope: "Run `almanac login` again and allow it, or use a key with that scope.",
  rate_limited: "Wait a minute, then run the command again.",
  quota_exceeded: "`almanac whoami` shows your limits.",
  not_found: "`almanac list --past` shows the posts of the workspace, `almanac drafts` its drafts.",
  draft_changed: "Run the command again: it reads the draft as it is now.",
  slot_taken: "Run the command again: it takes the next free slot.",
};

/** A name of the workspace that the service refuses, wherever it came from. */
const OTHER_WORKSPACE =
  "Name another one: `almanac workspaces use` takes its name; `almanac workspaces use --none` goes back to the active one.";

function describeRefusal(error: AlmanacError): Failure {
  const details = error.details.map((detail) => {
    const bounds =
      detail.limit === undefined
        ? ""
        : ` (allowed: ${detail.limit}${detail.actual === undefined ? "" : `, yours: ${detail.actual}`})`;
    const row = detail.row === undefined ? "" : `row ${detail.row}: `;
    const param = detail.param === undefined ? "" : `${detail.param}: `;
    return onOneLine(`  - ${row}${param}${detail.message}${bounds}`).replace(/^-/, "  -");
  });
  const next = error.param === "Almanac-Workspace" ? OTHER_WORKSPACE : NEXT_STEPS[error.code];
  return {
    exitCode: SIGNED_OUT.has(error.code) ? EXIT.signedOut : EXIT.refused,
    lines: [
      onOneLine(error.message),
      ...details,
      ...(next === undefined ? [] : [next]),
      `Request ${onOneLine(error.requestId)}`,
    ],
    json: {
      error: error.message,
      code: error.code,
      status: error.status,
      ...(error.param !== undefined && { param: error.param }),
      details: error.details,
      request_id: error.requestId,
    },
  };
}

function describe(error: unknown): Failure {
  if (error instanceof CommandError) {
    return { exitCode: EXIT[error.exit], lines: [error.message], json: { error: error.message, code: error.code } };
  }
  if (error instanceof AlmanacError) {
    return describeRefusal(error);
  }
  if (error instanceof AlmanacConnectionError) {
    const message = `the service did not answer (${onOneLine(error.message)}, ${error.attempts} attempts): run the command again`;
    return { exitCode: EXIT.noAnswer, lines: [message], json: { error: message, code: "no_answer" } };
  }
  const cause = error instanceof Error ? error : new Error(String(error));
  const isConnection = cause instanceof TypeError && cause.message === "fetch failed";
  const message = isConnection
    ? "the service cannot be reached: check the address and your connection"
    : onOneLine(cause.message);
  return {
    exitCode: isConnection ? EXIT.noAnswer : EXIT.failed,
    lines: [message],
    json: { error: message, code: isConnection ? "no_answer" : "failed" },
  };
}

/** Tells what went wrong on the standard error, and returns the exit code. */
export function reportError(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) {
    // Commander has written its message already.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  const { exitCode, lines, json } = describe(error);
  const { stderr } = terminal.streams;
  if (terminal.isJson) {
    stderr.write(`${toJson(json)}\n`);
  } else {
    const [first = "", ...others] = lines;
    stderr.write(
      `${terminal.paint("Error:", "red", "stderr")} ${first}\n${others.map((line) => `${line}\n`).join("")}`,
    );
  }
  return exitCode;
}

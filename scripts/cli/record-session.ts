import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { almanacInTerminal, environmentOf } from "../../test/clients/cli/run-almanac.ts";
import { call } from "../service.ts";

/* The terminal session in the README of the command line, recorded from a real run. */

const BEGIN = "<!-- session -->\n```console\n";
const END = "```\n<!-- /session -->";

const STEPS: readonly (readonly [args: readonly string[], question?: string, reply?: string])[] = [
  [["accounts"]],
  [["post", "The new glaze is here. #ceramics", "--to", "x,linkedin", "--at", "tomorrow 9:00"], "Schedule this?", "y"],
  [["list"]],
];

const asTyped = (args: readonly string[]): string =>
  `$ almanac ${args.map((word) => (/^[\w,:.-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")}`;

/** Keeps only the final state of a prompt, because the terminal draws the prompt again for each key. */
function withoutRedraws(text: string): string {
  const lines = stripVTControlCharacters(text).replaceAll("\r", "").split("\n");
  return lines
    .filter((line) => !/^[│└◆]/.test(line) || /^│ {2}(?:Yes|No)$/.test(line))
    .map((line) => line.trimEnd())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Plays the session as a new user of the service at `origin`. */
export async function recordSession(origin: string): Promise<string> {
  const { api_key: key } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
  for (const platform of ["x", "linkedin"]) {
    await call(origin, "POST", "/sandbox/connect", { body: { api_key: key, platform, login: "ada" } });
  }
  const folder = await mkdtemp(join(tmpdir(), "almanac-session-"));
  try {
    const env = environmentOf(folder, { ALMANAC_URL: origin, ALMANAC_API_KEY: key, NO_COLOR: "1" });
    let session = "";
    for (const [args, question, reply] of STEPS) {
      const replies = question !== undefined && reply !== undefined ? [[question, reply] as const] : [];
      const { stdout } = await almanacInTerminal(args, env, { replies, columns: 110 });
      session += `${asTyped(args)}\n${withoutRedraws(stdout)}\n\n`;
    }
    return `${session.trimEnd()}\n`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The session in the README. */
export function sessionIn(readme: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin === -1 || end < begin) {
    throw new Error("the README has no place for the session");
  }
  return readme.slice(begin + BEGIN.length, end);
}

export function withSession(readme: string, session: string): string {
  return readme.replace(`${BEGIN}${sessionIn(readme)}${END}`, () => `${BEGIN}${session}${END}`);
}

/**
 * Replaces the parts of a session that change between runs, so that two sessions are equal if they differ only in their
 * day, their ids and what follows from the length of names.
 */
export function withoutDays(session: string): string {
  return session
    .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, "id")
    .replaceAll(/\b[\da-f]{8}\b/g, "id")
    .replaceAll(/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ [A-Z][a-z]{2,3}(?: \d{4})?/g, "day")
    .replaceAll(/GMT\+\d/g, "zone")
    .replaceAll(/in \d+ \w+/g, "soon")
    .replaceAll(/[ ]{2,}/g, "  ");
}

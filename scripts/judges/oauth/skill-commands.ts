import { spawn } from "node:child_process";
import { call } from "../../service.ts";
import type { ConsentingUser } from "./consenting-user.ts";

const SKILL = "/.well-known/agent-skills/almanac/SKILL.md";
/** What the last command prints after everything before it has worked. */
const LAST_LINE = "cancelled";

function run(commands: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const shell = spawn("bash", ["-euo", "pipefail", "-c", commands], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  shell.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  shell.on("error", reject);
  shell.on("close", (code) =>
    code === 0 ? resolve(output) : reject(new Error(`the commands ended with ${code}:\n${output}`)),
  );
  return promise;
}

/** Runs the commands of the skill that agents read, as they stand there, in one shell; the first that fails ends it. */
export async function skillCommands({ origin }: Pick<ConsentingUser, "origin">): Promise<string> {
  const text = await (await fetch(origin + SKILL)).text();
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
  const { api_key: key } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
  await call(origin, "POST", "/sandbox/connect", { body: { api_key: key, platform: "x" } });
  const output = await run(blocks.join("\n"), { ALMANAC_KEY: key });
  if (!output.trimEnd().endsWith(`\n${LAST_LINE}`)) {
    throw new Error(`the last command did not print ${LAST_LINE}:\n${output}`);
  }
  return `${blocks.length} blocks of commands`;
}

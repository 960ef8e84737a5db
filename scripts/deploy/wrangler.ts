import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import type { DeployFailure } from "./failure.ts";

const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
const MIN_REDACTED = 6;

interface RunOptions {
  /** Texts that are shown as `***` wherever they occur. */
  readonly secrets?: readonly string[];
  /** Hides the output, even that of a failed run. */
  readonly quiet?: boolean;
}

/** Wrangler inherits none of the operator's settings and asks nothing, because this command has decided everything. */
function environment(accountId: string | null): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ALMANAC_"));
  return {
    ...Object.fromEntries(inherited),
    ...(accountId !== null && { CLOUDFLARE_ACCOUNT_ID: accountId }),
    CI: "true",
    WRANGLER_SEND_METRICS: "false",
    // Wrangler's debug log would contain the secrets that it sends.
    WRANGLER_WRITE_LOGS: "false",
  };
}

/** Runs wrangler without a shell; returns its standard output. It writes hundreds of lines, which are shown when it fails. */
export function runWrangler(
  args: readonly string[],
  accountId: string | null,
  { secrets = [], quiet = false }: RunOptions = {},
): Promise<{ readonly code: number; readonly output: string }> {
  const hidden = secrets.filter(({ length }) => length >= MIN_REDACTED);
  const redact = (line: string): string => hidden.reduce((text, secret) => text.replaceAll(secret, "***"), line);
  const child = spawn(process.execPath, [resolve(WRANGLER), ...args], {
    env: environment(accountId),
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Ctrl-C reaches wrangler by itself; a signal to this process alone does not.
  const stop = () => void child.kill();
  process.once("exit", stop);
  const output: string[] = [];
  const all: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      all.push(`    ${redact(line)}`);
      if (stream === child.stdout) {
        output.push(line);
      }
    });
  }
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => {
      process.off("exit", stop);
      if (code !== 0 && !quiet) {
        console.log(all.join("\n"));
      }
      done({ code: code ?? 1, output: output.join("\n") });
    });
  });
}

/** As above, where anything but success ends the deployment. */
export async function mustRunWrangler(
  args: readonly string[],
  accountId: string,
  failure: DeployFailure,
  options: RunOptions = {},
): Promise<string> {
  const { code, output } = await runWrangler(args, accountId, options);
  if (code !== 0) {
    throw failure;
  }
  return output;
}

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import type { DeployFailure } from "./failure.ts";

const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
const MIN_REDACTED = 6;

interface RunOptions {
  /** Texts that are shown as `***` wherever they occur. */
  readonly secrets?: readonly string[];
  /** Collects the output instead of showing it. */
  readonly quiet?: boolean;
}

/** Nothing of the operator's settings is inherited, and nothing is asked: this command has decided before. */
function environment(accountId: string | null): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ALMANAC_"));
  return {
    ...Object.fromEntries(inherited),
    ...(accountId !== null && { CLOUDFLARE_ACCOUNT_ID: accountId }),
    CI: "true",
    WRANGLER_SEND_METRICS: "false",
    // Its debug log would hold what is sent.
    WRANGLER_WRITE_LOGS: "false",
  };
}

/** Runs wrangler without a shell; returns its standard output. */
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
  const lines: string[] = [];
  for (const [stream, isOutput] of [
    [child.stdout, true],
    [child.stderr, false],
  ] as const) {
    createInterface({ input: stream }).on("line", (line) => {
      if (isOutput) {
        lines.push(line);
      }
      if (!quiet) {
        console.log(`    ${redact(line)}`);
      }
    });
  }
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => {
      process.off("exit", stop);
      done({ code: code ?? 1, output: lines.join("\n") });
    });
  });
}

/** As above, where anything but success ends the deployment. */
export async function mustRunWrangler(
  args: readonly string[],
  accountId: string,
  failure: DeployFailure,
  options: RunOptions = {},
): Promise<void> {
  const { code } = await runWrangler(args, accountId, options);
  if (code !== 0) {
    throw failure;
  }
}

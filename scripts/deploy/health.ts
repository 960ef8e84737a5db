import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { CONFIG_FILE } from "./config-file.ts";
import { DeployFailure } from "./failure.ts";
import { isCi } from "./surroundings.ts";
import { runWrangler } from "./wrangler.ts";

const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 1500;

interface Health {
  readonly status?: string;
  readonly version?: string;
}

async function readHealth(origin: string): Promise<string> {
  try {
    const response = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(5000), cache: "no-store" });
    const { status, version } = (await response.json()) as Health;
    return response.ok && status === "ok" ? (version ?? "no version") : `HTTP ${response.status}`;
  } catch {
    return "no answer";
  }
}

/** Waits until the address says this version; returns what it says instead after a minute, or null. */
export async function waitForVersion(
  origin: string,
  version: string,
  { timeoutMs = TIMEOUT_MS, intervalMs = INTERVAL_MS } = {},
): Promise<string | null> {
  let last = "";
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(intervalMs)) {
    last = await readHealth(origin);
    if (last === version) {
      return null;
    }
  }
  return last;
}

interface UnhealthyInput {
  readonly origin: string;
  readonly version: string;
  readonly said: string;
  readonly accountId: string;
  /** The version that ran before; null on a first run. */
  readonly previousVersionId: string | null;
}

async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || isCi(process.env)) {
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Ends a deployment whose version does not answer: back to the one before if the operator wants it. */
export async function refuseUnhealthy(input: UnhealthyInput): Promise<never> {
  const { origin, version, said, accountId, previousVersionId } = input;
  const problem = `${origin}/health did not say ${version} within a minute, but: ${said}`;
  if (previousVersionId === null) {
    throw new DeployFailure(
      problem,
      `a new address can take some minutes; look at it, and at \`npx wrangler tail --config ${CONFIG_FILE}\`, then run the command again`,
    );
  }
  const rollback = ["rollback", previousVersionId, "--config", CONFIG_FILE, "--message", `${version} did not answer`];
  if (await isConfirmed(`${problem}\nRoll back to the version that ran before (${previousVersionId})?`)) {
    const { code } = await runWrangler([...rollback, "--yes"], accountId);
    throw new DeployFailure(
      code === 0 ? `rolled back to ${previousVersionId}` : `the rollback to ${previousVersionId} failed`,
      "the tables stay as the new version made them, which the one before understands; look at `npx wrangler tail` before you deploy again",
    );
  }
  throw new DeployFailure(
    problem,
    `look at it, or go back with: npx wrangler rollback ${previousVersionId} --config ${CONFIG_FILE}`,
  );
}

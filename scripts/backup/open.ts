import { ApiFailure } from "../deploy/cloudflare.ts";
import { DeployFailure } from "../deploy/failure.ts";
import { onInterruption } from "../deploy/interruption.ts";
import { type Installation, OperatorError } from "./installation.ts";
import { openLocal } from "./local.ts";
import { openRemote } from "./remote.ts";

/** The command line's flags that say which installation is meant. */
export interface InstallationFlags {
  readonly remote: boolean;
  readonly env?: string | undefined;
  readonly "persist-to"?: string | undefined;
}

export function openInstallation(flags: InstallationFlags): Promise<Installation> {
  return flags.remote ? openRemote() : openLocal({ environment: flags.env, stateDir: flags["persist-to"] });
}

/** Runs a command, and prints expected failures with the operator's next step. */
export async function withInstallation(
  flags: InstallationFlags,
  work: (installation: Installation) => Promise<void>,
  next = "run the command again",
): Promise<void> {
  onInterruption(next);
  try {
    const installation = await openInstallation(flags);
    try {
      await work(installation);
    } finally {
      await installation.close();
    }
  } catch (error) {
    if (!(error instanceof OperatorError || error instanceof DeployFailure || error instanceof ApiFailure)) {
      throw error;
    }
    console.error(`\nStopped: ${error.message}`);
    console.error(`Next: ${error instanceof ApiFailure ? next : error.next}`);
    process.exitCode = 1;
  }
}

import type { Installation } from "./installation.ts";
import { openLocal } from "./local.ts";
import { openRemote } from "./remote.ts";

/** What the command line says about which service is meant. */
export interface InstallationFlags {
  readonly remote: boolean;
  readonly env?: string | undefined;
  readonly "persist-to"?: string | undefined;
}

export function openInstallation(flags: InstallationFlags): Promise<Installation> {
  return flags.remote ? openRemote() : openLocal({ environment: flags.env, stateDir: flags["persist-to"] });
}

import { readFile } from "node:fs/promises";
import { PLATFORMS } from "#core/platform.ts";
import type { ApiClient } from "./api-client.ts";

/** Secrets are looked up by their first characters, so that the time does not grow with their number. */
const PREFIX_LENGTH = 12;
/** How much of a leaked secret a message shows. */
const SHOWN_LENGTH = 6;

/** Finds the lines of a log that contain a secret, plain or encoded for a URL. The messages do not show the secret. */
export function findLeaks(log: string, secrets: Iterable<string>): string[] {
  const byPrefix = new Map<string, string[]>();
  for (const secret of new Set(Array.from(secrets).flatMap((value) => [value, encodeURIComponent(value)]))) {
    const prefix = secret.slice(0, PREFIX_LENGTH);
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), secret]);
  }
  const leaks: string[] = [];
  for (const line of log.split("\n")) {
    for (let index = 0; index + PREFIX_LENGTH <= line.length; index += 1) {
      const found = byPrefix
        .get(line.slice(index, index + PREFIX_LENGTH))
        ?.find((secret) => line.startsWith(secret, index));
      if (found !== undefined) {
        leaks.push(`${line.slice(0, index)}${found.slice(0, SHOWN_LENGTH)}…`);
        break;
      }
    }
  }
  return leaks;
}

/** What the simulators and the service issued in a run. */
export async function issuedSecrets(client: ApiClient): Promise<ReadonlySet<string>> {
  const issued = new Set(client.secrets);
  for (const platform of PLATFORMS) {
    const { secrets } = await client.callUntilOk("GET", `/sandbox/platforms/${platform}/secrets`);
    for (const secret of secrets as readonly string[]) {
      issued.add(secret);
    }
  }
  return issued;
}

/** Reads the whole output of the processes. */
export async function readLogs(files: readonly string[]): Promise<string> {
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
}

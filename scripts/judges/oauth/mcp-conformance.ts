import { spawn } from "node:child_process";
import { join } from "node:path";
import { sleep } from "../../service.ts";
import type { ConsentingUser } from "./consenting-user.ts";

const PORT = 47_832;
const TIMEOUT_MS = 60_000;

/** The runner prints the URL before it listens for the callback, so the request is retried. */
async function followRedirect(url: URL): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await fetch(url);
      return;
    } catch (error) {
      if (tries === 50) {
        throw error;
      }
      await sleep(200);
    }
  }
}

/** Runs the official conformance suite for one resource; it prints an authorization URL and waits for the callback. */
async function runConformance(user: ConsentingUser, resource: string): Promise<string> {
  const { id } = await user.register("none", `http://127.0.0.1:${PORT}/callback`);
  const child = spawn(
    join(import.meta.dirname, "..", "node_modules", ".bin", "conformance"),
    ["authorization", "--url", user.origin, "--client-id", id, "--resource", resource, "--port", String(PORT)],
    { stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT_MS },
  );
  let output = "";
  const handledUrls = new Set<string>();
  const listen = (chunk: Buffer): void => {
    output += chunk.toString();
    for (const [url] of output.matchAll(/https?:\/\/\S+\/oauth\/authorize\?\S+/g)) {
      if (!handledUrls.has(url) && output.includes(`${url}\n`)) {
        handledUrls.add(url);
        void user
          .allow(url)
          .then(followRedirect)
          .catch((error: unknown) => (output += String(error)));
      }
    }
  };
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) {
    throw new Error(`the conformance run ended with ${code}\n${output}`);
  }
  return /\d+ passed.*/i.exec(output)?.[0] ?? "";
}

/** With the API as the resource. */
export function mcpConformance(user: ConsentingUser): Promise<string> {
  return runConformance(user, user.baseUrl);
}

/** With the MCP server as the resource. */
export function mcpServerConformance(user: ConsentingUser): Promise<string> {
  return runConformance(user, user.mcpUrl);
}

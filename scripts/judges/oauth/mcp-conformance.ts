import { spawn } from "node:child_process";
import { join } from "node:path";
import { sleep } from "../../service.ts";
import type { ConsentingUser } from "./consenting-user.ts";

const PORT = 47_832;
const LIMIT_MS = 60_000;

/** The runner prints the address before it listens for the answer. */
async function comeBack(address: URL): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await fetch(address);
      return;
    } catch (error) {
      if (tries === 50) {
        throw error;
      }
      await sleep(200);
    }
  }
}

/** The official runner prints an address and waits for the callback; the user answers it. */
export async function conformance(user: ConsentingUser): Promise<string> {
  const { id } = await user.register("none", `http://127.0.0.1:${PORT}/callback`);
  const child = spawn(
    join(import.meta.dirname, "..", "node_modules", ".bin", "conformance"),
    ["authorization", "--url", user.origin, "--client-id", id, "--resource", user.baseUrl, "--port", String(PORT)],
    { stdio: ["ignore", "pipe", "pipe"], timeout: LIMIT_MS },
  );
  let output = "";
  const answered = new Set<string>();
  const listen = (chunk: Buffer): void => {
    output += chunk.toString();
    for (const [address] of output.matchAll(/https?:\/\/\S+\/oauth\/authorize\?\S+/g)) {
      if (!answered.has(address) && output.includes(`${address}\n`)) {
        answered.add(address);
        void user
          .allow(address)
          .then(comeBack)
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

import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, sleep } from "../service.ts";

/** The Prism proxy in front of a service. It compares every response with the service's OpenAPI document. */
export interface PrismProxy {
  /** The base URL of the API through the proxy. */
  readonly baseUrl: string;
  stop(): void;
}

async function waitUntilAnswering(url: string): Promise<void> {
  for (let tries = 0; tries < 120; tries += 1) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(2000) });
      return;
    } catch {
      await sleep(500);
    }
  }
  throw new Error(`${url} does not respond`);
}

/** Starts the proxy; `folder` receives the document. */
export async function startPrism(service: string, folder: string): Promise<PrismProxy> {
  const document = await (await fetch(`${service}/v1/openapi.json`)).text();
  // Prism cannot fetch the document under Node 24, so it reads a file.
  const file = join(folder, "openapi.json");
  await writeFile(file, document);
  const port = String(await freePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  const prism: ChildProcess = spawn(
    join(import.meta.dirname, "node_modules", ".bin", "prism"),
    ["proxy", file, `${service}/v1`, "-p", port, "--errors", "--validate-request", "false"],
    { stdio: "ignore" },
  );
  await waitUntilAnswering(`${baseUrl}/accounts`);
  return { baseUrl, stop: () => void prism.kill() };
}

/** How a response differs from the document; null when it does not. */
export function findViolation(header: (name: string) => string | null, text: string): string | null {
  const violation = header("sl-violations");
  const isPrism = header("content-type")?.includes("problem+json") ?? false;
  return violation ?? (isPrism ? text : null);
}

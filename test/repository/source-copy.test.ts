import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { waitUntilAnswering } from "../../scripts/service.ts";
import { buildCopy, createCopy, removeCopy } from "../../scripts/source-copy.ts";

const ROOT = join(import.meta.dirname, "..", "..");
let server: Server | undefined;

afterEach(() => server?.close());

describe("a copy that was built", () => {
  test("has the modules, and wrangler builds those no more", async () => {
    const copy = await createCopy(ROOT, []);
    try {
      await buildCopy(copy, ["simulators"]);
      const settings = await readFile(join(copy, "wrangler.toml"), "utf8");
      expect(existsSync(join(copy, ".wrangler/build/simulators/index.mjs"))).toBe(true);
      expect(settings).toContain("[env.simulators.build]\n\n");
      expect(settings).toContain('[env.sandbox.build]\ncommand = "npm run --silent build -- sandbox"\n');
    } finally {
      await removeCopy(copy);
    }
  });
});

describe("the wait for a service that starts", () => {
  test("ends also where the first answer takes longer than a usual one", async () => {
    server = createServer((_, response) => setTimeout(() => response.end("{}"), 3000)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const service = { origin: `http://127.0.0.1:${port}`, ended: new Promise<void>(() => undefined) };
    await expect(waitUntilAnswering(service, "service.log")).resolves.toBeUndefined();
  }, 20_000);
});

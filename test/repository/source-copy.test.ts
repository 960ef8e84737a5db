import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { waitUntilAnswering } from "../../scripts/service.ts";
import { buildCopy } from "../../scripts/source-copy.ts";

const ROOT = join(import.meta.dirname, "..", "..");
let server: Server | undefined;
let copy: string | undefined;

afterEach(async () => {
  server?.close();
  if (copy !== undefined) {
    await rm(copy, { recursive: true, force: true });
  }
});

describe("a copy that was built", () => {
  test("has what its own build made, and wrangler builds those Workers no more", async () => {
    copy = await mkdtemp(join(tmpdir(), "almanac-built-"));
    await cp(join(ROOT, "wrangler.toml"), join(copy, "wrangler.toml"));
    // A build that only leaves the names of the Workers that it should build.
    const scripts = { build: "node --eval \"require('fs').writeFileSync(process.argv[1], '')\"" };
    await writeFile(join(copy, "package.json"), JSON.stringify({ scripts }));
    await buildCopy(copy, ["simulators"]);
    const settings = await readFile(join(copy, "wrangler.toml"), "utf8");
    expect((await readdir(copy)).toSorted()).toEqual(["package.json", "simulators", "wrangler.toml"]);
    expect(settings).toContain("[env.simulators.build]\n\n");
    expect(settings).toContain('[env.sandbox.build]\ncommand = "npm run --silent build -- sandbox"\n');
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

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tell } from "./demo/story.ts";
import { call, freePort, migrate, startService } from "./service.ts";

/*
 * The product in one command and under 90 seconds: `npm run demo` starts the service with its local platforms in a
 * folder of its own, connects them all, schedules a few posts and watches them being published.
 */

const folder = await mkdtemp(join(tmpdir(), "almanac-demo-"));
const logFile = join(folder, "service.log");
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => stopping.abort());
}

const began = Date.now();
const secondsSoFar = (): string => ((Date.now() - began) / 1000).toFixed(0);

async function run(): Promise<boolean> {
  const stateDir = join(folder, "state");
  console.log("Starting the service, with its own tables and its own platforms …");
  await migrate(stateDir, stopping.signal);
  const options = { port: await freePort(), stateDir, logFile, stopping: stopping.signal };
  const service = await startService(options);
  const { origin } = service;
  console.log(`It answers at ${origin} after ${secondsSoFar()} s.`);
  try {
    return await tell((method, path, request) => call(origin, method, path, request), origin);
  } finally {
    await service.stop();
  }
}

let well = false;
try {
  well = await run();
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
  }
}
console.log(`\n${well ? "Done" : "Not done"}, ${secondsSoFar()} s in all.`);
if (well || stopping.signal.aborted) {
  await rm(folder, { recursive: true, force: true });
} else {
  console.error(`The service's log: ${logFile}`);
}
process.exit(well ? 0 : 1);

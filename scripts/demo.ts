import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runWalkthrough } from "./demo/walkthrough.ts";
import { call, freePort, migrate, startService } from "./service.ts";

/*
 * `npm run demo` starts the service with the simulated platforms in a temporary directory, connects all platforms,
 * schedules a few posts and waits until they are published. Takes less than 90 seconds.
 */

const folder = await mkdtemp(join(tmpdir(), "almanac-demo-"));
const logFile = join(folder, "service.log");
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => stopping.abort());
}

const startedAt = Date.now();
const secondsSoFar = (): string => ((Date.now() - startedAt) / 1000).toFixed(0);

async function run(): Promise<boolean> {
  const stateDir = join(folder, "state");
  console.log("Starting the service with an empty database and the simulated platforms …");
  await migrate(stateDir, { stopping: stopping.signal });
  const options = { port: await freePort(), stateDir, logFile, stopping: stopping.signal };
  const service = await startService(options);
  const { origin } = service;
  console.log(`The service is ready at ${origin} after ${secondsSoFar()} s.`);
  try {
    return await runWalkthrough((method, path, request) => call(origin, method, path, request), origin);
  } finally {
    await service.stop();
  }
}

let succeeded = false;
try {
  succeeded = await run();
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
  }
}
console.log(`\n${succeeded ? "Done" : "Failed"}, ${secondsSoFar()} s in total.`);
if (succeeded || stopping.signal.aborted) {
  await rm(folder, { recursive: true, force: true });
} else {
  console.error(`The service's log: ${logFile}`);
}
process.exit(succeeded ? 0 : 1);

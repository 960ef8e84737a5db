import { parseArgs } from "node:util";
import { startService } from "./service.ts";

/*
 * Runs the simulated platforms without the service: `npm run sandbox -- [--port 8788]`. They keep their own data between runs
 * and go on when a service that uses them is killed. A service uses them when `SIMULATORS_ORIGIN` is their origin:
 * `npm run dev -- --simulators http://localhost:8788`. Stop it with Ctrl-C.
 */

const STATE_DIR = ".wrangler/simulators";
const LOG_FILE = ".wrangler/simulators.log";

const { values } = parseArgs({ options: { port: { type: "string", default: "8788" } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error("--port must be a number from 1 to 65535");
  process.exit(1);
}

const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => stopping.abort());
}

try {
  const simulators = await startService({
    environment: "simulators",
    port,
    stateDir: STATE_DIR,
    logFile: LOG_FILE,
    stopping: stopping.signal,
  });
  console.log(`The simulated platforms answer at ${simulators.origin}/sandbox/platforms; the log is in ${LOG_FILE}.`);
  console.log(`A service uses them with: npm run dev -- --simulators ${simulators.origin}`);
  await simulators.ended;
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
process.exit();

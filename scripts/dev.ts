import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import {
  isAnswering,
  call,
  migrate,
  sleep,
  type Service,
  type ServiceOptions,
  startService,
  startCron,
} from "./service.ts";

/*
 * Runs the service on this machine with the simulated platforms, and keeps its data between runs:
 * `npm run dev -- [--port 8787] [--simulators http://localhost:8788]`. Stop it with Ctrl-C. With --simulators the platforms are
 * simulated by another process (`npm run sandbox -- --port 8788`).
 */

const STATE_DIR = ".wrangler/state";
const LOG_FILE = ".wrangler/dev.log";
const USER_FILE = ".wrangler/dev-user.json";
const OWNER_FILE = ".wrangler/dev-owner.json";
const CHECK_INTERVAL_MS = 5000;
const MAX_MISSED_CHECKS = 6;
const RESTART_DELAY_MS = 1000;

interface DevUser {
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
}

/** The user of the last run if its API key still works, otherwise a new user. */
async function devUser(origin: string): Promise<DevUser> {
  try {
    const user = JSON.parse(await readFile(USER_FILE, "utf8")) as DevUser;
    await call(origin, "GET", "/v1/workspaces", { key: user.api_key });
    return user;
  } catch {
    const email = `dev-${randomBytes(3).toString("hex")}@sandbox.example`;
    const user = await call<DevUser>(origin, "POST", "/sandbox/users", {
      body: { email, password: "sandbox-sandbox" },
    });
    await writeFile(USER_FILE, JSON.stringify(user, null, 2));
    return user;
  }
}

async function printInstructions(origin: string): Promise<void> {
  const user = await devUser(origin);
  const { platforms } = await call<{ platforms: { platform: string }[] }>(origin, "GET", "/sandbox/platforms");
  const command = `curl -s ${origin}/v1/platforms -H "Authorization: Bearer ${user.api_key}"`;
  console.log(`
Almanac is running, with ${platforms.map(({ platform }) => platform).join(", ")} simulated on this machine.

  API            ${origin}/v1
  API document   ${origin}/v1/openapi.json
  Documentation  ${origin}/docs
  Dashboard      ${origin}/          sign in as ${user.email} / ${user.password}
  API key        ${user.api_key}
  Sandbox        ${origin}/sandbox/status    sample media at ${origin}/sandbox/media
  Log            ${LOG_FILE}

  ${command}

Press Ctrl-C to stop; the data stays in ${STATE_DIR}.
`);
}

/** Resolves when the service has ended or has not responded for 30 seconds. */
async function waitUntilUnresponsive(service: Service, stopping: AbortSignal): Promise<void> {
  const ended = service.ended.then(() => true);
  let missedChecks = 0;
  while (missedChecks < MAX_MISSED_CHECKS && !stopping.aborted) {
    if (await Promise.race([ended, sleep(CHECK_INTERVAL_MS).then(() => false)])) {
      return;
    }
    missedChecks = (await isAnswering(service.origin, CHECK_INTERVAL_MS)) ? 0 : missedChecks + 1;
  }
}

/** The command line of a process; empty if it has ended. */
const readCommandLine = (pid: number): Promise<string> => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");

/** Kills the service of an earlier run, because after a `kill -9` of that script the service still holds the port and the database. */
async function endOrphanedService(): Promise<void> {
  try {
    const { owner, group } = JSON.parse(await readFile(OWNER_FILE, "utf8")) as { owner: number; group: number };
    const leader = await readCommandLine(group);
    if (!(await readCommandLine(owner)).includes("dev.ts") && (leader === "" || leader.includes("wrangler"))) {
      process.kill(-group, "SIGKILL");
      await sleep(RESTART_DELAY_MS);
    }
  } catch {
    // There is no orphaned service.
  }
}

async function start(options: ServiceOptions): Promise<Service> {
  const service = await startService(options);
  await writeFile(OWNER_FILE, JSON.stringify({ owner: process.pid, group: service.pid }));
  return service;
}

const { values } = parseArgs({
  options: { port: { type: "string", default: "8787" }, simulators: { type: "string" } },
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error("--port must be a number from 1 to 65535");
  process.exit(1);
}

const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => stopping.abort());
}

const options: ServiceOptions = {
  port,
  stateDir: STATE_DIR,
  logFile: LOG_FILE,
  stopping: stopping.signal,
  ...(values.simulators !== undefined && { vars: { SIMULATORS_ORIGIN: values.simulators } }),
  onLine(line) {
    if (!line.includes("/sandbox/cron") && !line.includes("GET /sandbox/platforms 200")) {
      console.log(line);
    }
  },
};

try {
  await endOrphanedService();
  await migrate(STATE_DIR, { stopping: stopping.signal });
  let service = await start(options);
  startCron(service.origin);
  await printInstructions(service.origin);
  for (;;) {
    await waitUntilUnresponsive(service, stopping.signal);
    await service.stop();
    await rm(OWNER_FILE, { force: true });
    stopping.signal.throwIfAborted();
    console.log("The runtime has stopped; starting it again.");
    await sleep(RESTART_DELAY_MS);
    service = await start(options);
  }
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
// Exits even if a timer or a half-open connection is left.
process.exit();

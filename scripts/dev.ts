import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { answers, call, migrate, pause, type Service, type ServiceOptions, startService, tickCron } from "./service.ts";

/*
 * The whole service on this machine, with eight local platforms and its data kept between runs:
 * `npm run dev -- [--port 8787]`. Ends with Ctrl-C.
 */

const STATE_DIR = ".wrangler/state";
const LOG_FILE = ".wrangler/dev.log";
const USER_FILE = ".wrangler/dev-user.json";
const OWNER_FILE = ".wrangler/dev-owner.json";
const LOOK_EVERY_MS = 5000;
const MISSED_LOOKS_MAX = 6;
const RESTART_AFTER_MS = 1000;

interface DevUser {
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
}

/** The user of the last run while the key still works, else a new one. */
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

async function greet(origin: string): Promise<void> {
  const user = await devUser(origin);
  const { platforms } = await call<{ platforms: { platform: string }[] }>(origin, "GET", "/sandbox/platforms");
  const command = `curl -s ${origin}/v1/platforms -H "Authorization: Bearer ${user.api_key}"`;
  console.log(`
Almanac is up, with ${platforms.map(({ platform }) => platform).join(", ")} on this machine.

  API            ${origin}/v1
  API document   ${origin}/v1/openapi.json
  Dashboard      ${origin}/          sign in as ${user.email} / ${user.password}
  API key        ${user.api_key}
  Sandbox        ${origin}/sandbox/status    sample media at ${origin}/sandbox/media
  Log            ${LOG_FILE}

  ${command}

Ctrl-C ends it; the data stays in ${STATE_DIR}.
`);
}

/** Comes back when the service has ended or has not answered for half a minute. */
async function watch(service: Service, stopping: AbortSignal): Promise<void> {
  const over = service.ended.then(() => true);
  let missed = 0;
  while (missed < MISSED_LOOKS_MAX && !stopping.aborted) {
    if (await Promise.race([over, pause(LOOK_EVERY_MS).then(() => false)])) {
      return;
    }
    missed = (await answers(service.origin, LOOK_EVERY_MS)) ? 0 : missed + 1;
  }
}

/** What runs under that id; empty for a process that has ended, reaped or not. */
const commandOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");

/** A `kill -9` of this script leaves its service behind, on the port and on the tables: the next start ends it first. */
async function endOrphans(): Promise<void> {
  try {
    const { owner, group } = JSON.parse(await readFile(OWNER_FILE, "utf8")) as { owner: number; group: number };
    const leader = await commandOf(group);
    if (!(await commandOf(owner)).includes("dev.ts") && (leader === "" || leader.includes("wrangler"))) {
      process.kill(-group, "SIGKILL");
      await pause(RESTART_AFTER_MS);
    }
  } catch {
    // Nobody was left behind.
  }
}

async function start(options: ServiceOptions): Promise<Service> {
  const service = await startService(options);
  await writeFile(OWNER_FILE, JSON.stringify({ owner: process.pid, group: service.pid }));
  return service;
}

const { values } = parseArgs({ options: { port: { type: "string", default: "8787" } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error("--port is a number from 1 to 65535");
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
  onLine(line) {
    if (!line.includes("/sandbox/cron") && !line.includes("GET /sandbox/platforms 200")) {
      console.log(line);
    }
  },
};

try {
  await endOrphans();
  await migrate(STATE_DIR, stopping.signal);
  let service = await start(options);
  tickCron(service.origin);
  await greet(service.origin);
  for (;;) {
    await watch(service, stopping.signal);
    await service.stop();
    await rm(OWNER_FILE, { force: true });
    stopping.signal.throwIfAborted();
    console.log("The runtime is gone; starting it again.");
    await pause(RESTART_AFTER_MS);
    service = await start(options);
  }
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
// A timer or a half-open connection must not keep the terminal.
process.exit();

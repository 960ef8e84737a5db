import { mkdir } from "node:fs/promises";
import { Agent } from "node:http";
import { join } from "node:path";
import { InstructionCounter, startWorkerd } from "./callgrind.ts";
import { buildFloor, V8_FLAGS } from "./instructions.ts";
import type { Prepared } from "./prepared.ts";
import { type Operation, Requests, send } from "./requests.ts";
import { type WorkerModule, writeConfigs } from "./workerd-config.ts";

/* Counts the instructions of a start, which contain the parsing of all modules and the evaluation of those that the main one names. */

const MILLION = 1_000_000;
const FIRST: Operation = "401";

async function countStart(
  { config, data }: Prepared,
  modules: readonly WorkerModule[],
  directory: string,
): Promise<{ readonly start: number; readonly first: number }> {
  await mkdir(directory, { recursive: true });
  const files = await writeConfigs(join(directory, "config"), config, { modules, v8Flags: V8_FLAGS });
  const bindings = await startWorkerd(files.bindings, files.bindingSockets, null);
  const countsFile = join(directory, "callgrind");
  const worker = await startWorkerd(files.worker, [files.workerSocket], countsFile, { countsStart: true });
  const agent = new Agent();
  const counter = new InstructionCounter(worker.pid, countsFile);
  try {
    const start = await counter.sinceZero();
    const first = await counter.count(async () => {
      await send({ socketPath: files.workerSocket }, agent, new Requests(data).next(FIRST));
    });
    return { start, first };
  } finally {
    agent.destroy();
    await Promise.all([worker.stop(), bindings.stop()]);
  }
}

/**
 * Prints the instructions of a start for the product and for a Worker without libraries, which shows the runtime's
 * share.
 */
export async function printStart(prepared: Prepared, directory: string): Promise<void> {
  const kib = (modules: readonly WorkerModule[]): number =>
    Math.round(modules.reduce((sum, { esModule = "", text = "" }) => sum + esModule.length + text.length, 0) / 1024);
  for (const [name, modules] of [
    ["product", prepared.modules],
    ["floor", await buildFloor()],
  ] as const) {
    const { start, first } = await countStart(prepared, modules, join(directory, name));
    const [inMillions, firstInMillions] = [start, first].map((count) => (count / MILLION).toFixed(1));
    console.log(
      `${name}: ${modules.length} modules of ${kib(modules)} KiB; start ${inMillions} M, first ${FIRST} ${firstInMillions} M`,
    );
  }
}

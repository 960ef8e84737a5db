import { cp, mkdir } from "node:fs/promises";
import { Agent } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { InstructionCounter, startWorkerd } from "./callgrind.ts";
import type { Prepared } from "./prepared.ts";
import { isRead, type Operation, Requests, send } from "./requests.ts";
import { type ConfigFiles, type WorkerModule, writeConfigs } from "./workerd-config.ts";

/* Counts the instructions of a Worker per request: of its own process, or of one that contains the local bindings too. */

/** Each operation is counted this many times. Its figure is the median, which ignores a count with a garbage collection. */
const WINDOWS = 5;
/**
 * The number of uncounted requests between the start of counting and the first window. In them callgrind translates the
 * machine code.
 */
const UNCOUNTED = 3;
const SHOWN_CHARACTERS = 2000;

/**
 * Options that make V8 compile code once, by its baseline compiler, on the thread that is counted: the optimizing
 * compilers work at other moments in each run. A Worker that has few requests is not optimized further in production
 * either.
 */
export const V8_FLAGS = [
  "--single-threaded",
  "--always-sparkplug",
  "--no-maglev",
  "--no-opt",
  "--random-seed=1",
  "--hash-seed=1",
];

interface CountOptions {
  readonly operations: readonly Operation[];
  readonly warmUp: number;
  readonly requests: number;
  readonly scope: "worker" | "whole";
}

interface OperationCount {
  readonly instructions: number;
  readonly lowest: number;
  readonly highest: number;
  /** The body of the last response. */
  readonly body: string;
}

export interface Comparison {
  readonly operation: Operation;
  readonly product: OperationCount;
  readonly floor: OperationCount;
  readonly ratio: number;
}

/** The Worker without libraries. */
export async function buildFloor(): Promise<readonly WorkerModule[]> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "floor.ts")],
    bundle: true,
    format: "esm",
    minify: true,
    external: ["cloudflare:*"],
    write: false,
  });
  return [{ name: "index.js", esModule: outputFiles[0]?.text ?? "" }];
}

/** Writes the configurations of one Worker on a copy of the filled database. */
async function configure(
  { config, stateDir }: Prepared,
  modules: readonly WorkerModule[],
  directory: string,
): Promise<ConfigFiles> {
  const copy = join(directory, "state");
  await mkdir(directory, { recursive: true });
  await cp(stateDir, copy, { recursive: true });
  const moved = JSON.parse(JSON.stringify(config).replaceAll(stateDir, copy)) as typeof config;
  return await writeConfigs(join(directory, "config"), moved, { modules, v8Flags: V8_FLAGS });
}

async function countInstructions(
  prepared: Prepared,
  modules: readonly WorkerModule[],
  directory: string,
  { operations, warmUp, requests: requestCount, scope }: CountOptions,
): Promise<ReadonlyMap<Operation, OperationCount>> {
  const files = await configure(prepared, modules, directory);
  const bindings = scope === "worker" ? await startWorkerd(files.bindings, files.bindingSockets, null) : null;
  const countsFile = join(directory, "callgrind");
  const worker = await startWorkerd(scope === "worker" ? files.worker : files.whole, [files.workerSocket], countsFile);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const counter = new InstructionCounter(worker.pid, countsFile);
  const requests = new Requests(prepared.data);
  let body = "";
  const repeat = async (operation: Operation, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      body = await send({ socketPath: files.workerSocket }, agent, requests.next(operation));
      requests.take(operation, body);
    }
  };
  try {
    const counts = new Map<Operation, OperationCount>();
    const each = Math.ceil(requestCount / WINDOWS);
    // All reads come before the writes, so that both Workers read the same rows.
    for (const group of [operations.filter(isRead), operations.filter((operation) => !isRead(operation))]) {
      await counter.pause();
      for (const operation of group) {
        await repeat(operation, warmUp);
      }
      await counter.countFromNow();
      for (const operation of group) {
        await repeat(operation, UNCOUNTED);
        const windows: number[] = [];
        while (windows.length < WINDOWS) {
          windows.push(Math.round((await counter.count(() => repeat(operation, each))) / each));
        }
        const [lowest = 0, ...others] = windows.toSorted((a, b) => a - b);
        const instructions = others[Math.floor(WINDOWS / 2) - 1] ?? 0;
        counts.set(operation, { lowest, instructions, highest: others.at(-1) ?? 0, body });
      }
    }
    return counts;
  } finally {
    agent.destroy();
    await Promise.all([worker.stop(), bindings?.stop()]);
  }
}

/** Counts the product and the floor. Fails unless both have answered the same. */
export async function compareInstructions(
  prepared: Prepared,
  directory: string,
  options: CountOptions,
): Promise<readonly Comparison[]> {
  const [products, floors] = await Promise.all([
    countInstructions(prepared, prepared.modules, join(directory, "p"), options),
    countInstructions(prepared, await buildFloor(), join(directory, "f"), options),
  ]);
  return options.operations.flatMap((operation) => {
    const [product, floor] = [products.get(operation), floors.get(operation)];
    if (product === undefined || floor === undefined) {
      return [];
    }
    requireSameAnswer(operation, product.body, floor.body);
    return { operation, product, floor, ratio: product.instructions / floor.instructions };
  });
}

/** Sends each operation once to the product and to the floor, without counting. Fails unless both answer the same. */
export async function compareAnswers(
  prepared: Prepared,
  directory: string,
  operations: readonly Operation[],
): Promise<void> {
  const answer = async (modules: readonly WorkerModule[], name: string): Promise<Map<Operation, string>> => {
    const { whole, workerSocket } = await configure(prepared, modules, join(directory, name));
    const worker = await startWorkerd(whole, [workerSocket], null);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    // The first preview repeats the text of a post that fills the database, at almost the same time. Only the product warns of that.
    const requests = new Requests(prepared.data, { firstPreview: 1 });
    const bodies = new Map<Operation, string>();
    try {
      for (const operation of operations) {
        const body = await send({ socketPath: workerSocket }, agent, requests.next(operation));
        requests.take(operation, body);
        bodies.set(operation, body);
      }
      return bodies;
    } finally {
      agent.destroy();
      await worker.stop();
    }
  };
  const product = await answer(prepared.modules, "p");
  const floor = await answer(await buildFloor(), "f");
  for (const operation of operations) {
    requireSameAnswer(operation, product.get(operation) ?? "", floor.get(operation) ?? "");
  }
}

function requireSameAnswer(operation: Operation, product: string, floor: string): void {
  if (comparable(product) !== comparable(floor)) {
    const [own, other] = [product, floor].map((body) => body.slice(0, SHOWN_CHARACTERS));
    throw new Error(`the floor answers ${operation} differently:\n${own}\n${other}`);
  }
}

/** Removes ids, hashes and times, which differ between any two responses. */
function comparable(body: string): string {
  return body
    .replaceAll(/"request_id":"[^"]+"/g, "")
    .replaceAll(
      /"(id|plan_hash|confirmation_token|expires_at|created_at|updated_at|scheduled_at|due_at)":"[^"]+"/g,
      '"$1":""',
    );
}

export function printComparison(comparisons: readonly Comparison[]): void {
  console.log("               ratio    product of 1000 (lowest to highest)      floor of 1000 (lowest to highest)");
  const thousands = (count: OperationCount): string =>
    [count.instructions, count.lowest, count.highest]
      .map((count) => String(Math.round(count / 1000)).padStart(7))
      .join(" ");
  for (const { operation, product, floor, ratio } of comparisons) {
    console.log(
      `${operation.padEnd(12)} ${ratio.toFixed(3).padStart(7)}    ${thousands(product)}    ${thousands(floor)}`,
    );
  }
}

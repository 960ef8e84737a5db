import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { addPerson, migrate, multiply, type Person } from "./bench/fill.ts";
import { A_TURN, Caller, inTurn, type Operation, OPERATIONS, send } from "./bench/operations.ts";
import type { Recorded, Taped } from "./bench/recorder.ts";
import { bundle, type Runtime, startRuntime } from "./bench/runtime.ts";
import type { Call, Trace, Traces } from "./bench/trace.ts";
import { PLATFORMS } from "#core/platform.ts";
import { pause } from "./service.ts";

/*
 * `npm run bench -- [--turns 15]`: the CPU of the API path against the floor, a bare Worker that asks D1, KV and the objects
 * the very same without any library. Each has a runtime of its own over a copy of the same tables, behind a direct socket,
 * and they take turns. Exit code 1 when the median ratio of an operation is above its budget.
 */

const BUDGET = 1.5;
const POSTS = 2000;
/** The first turns compile. */
const WARM_UP = 3;
const { values } = parseArgs({ options: { turns: { type: "string", default: "15" } } });
const TURNS = Number(values.turns);
/** Work that goes on after the last answer of a turn belongs to that turn. */
const SETTLE_MS = 100;
/** The other operations ask for something new each time. */
const DIFFERENT: Record<Operation, number> = {
  list: 1,
  get: 50,
  preview: (WARM_UP + TURNS) * A_TURN.preview,
  confirm: (WARM_UP + TURNS) * A_TURN.confirm,
};
/** What an operator sets: keys, and an app at every platform. */
const SECRETS = {
  TOKEN_KEYS: JSON.stringify({ k1: Buffer.alloc(32, "bench").toString("base64") }),
  ...Object.fromEntries(
    PLATFORMS.flatMap((platform) =>
      ["CLIENT_ID", "CLIENT_SECRET"].map((name) => [`${platform.toUpperCase()}_${name}`, name]),
    ),
  ),
};

interface Filled {
  readonly person: Person;
  readonly postIds: readonly string[];
}

/** Tables and tokens as the product itself writes them. */
async function fill(product: string, stateDir: string): Promise<Filled> {
  const runtime = await startRuntime(product, stateDir, SECRETS);
  try {
    const d1 = await runtime.d1();
    await migrate(d1);
    const person = await addPerson(d1);
    const caller = new Caller(person, []);
    caller.learn("preview", 0, await send(runtime.origin, person.key, caller.call("preview", 0)));
    const confirmed = await send(runtime.origin, person.key, caller.call("confirm", 0));
    const { posts } = JSON.parse(confirmed) as { posts: { id: string }[] };
    await pause(SETTLE_MS);
    return { person, postIds: await multiply(d1, posts[0]?.id ?? "", POSTS - 1) };
  } finally {
    await runtime.stop();
  }
}

/** Every request once through the product with its bindings wrapped. */
async function record(recorder: string, stateDir: string, { person, postIds }: Filled): Promise<Traces> {
  const runtime = await startRuntime(recorder, stateDir, SECRETS);
  try {
    const caller = new Caller(person, postIds);
    const operations: Record<string, Trace[]> = {};
    for (const operation of OPERATIONS) {
      const traces: Trace[] = [];
      operations[operation] = traces;
      await inTurn(0, DIFFERENT[operation], async (index) => {
        const call = caller.call(operation, index);
        const { status, answer, before, after } = JSON.parse(await send(runtime.origin, person.key, call)) as Taped;
        if (status !== 200) {
          throw new Error(`${call.path} answered ${status}: ${answer}`);
        }
        caller.learn(operation, index, answer);
        traces[index] = { before, after };
      });
    }
    const { sql, steps } = JSON.parse(
      await send(runtime.origin, person.key, { method: "GET", path: "/recorded" }),
    ) as Recorded;
    return { sql, steps, operations };
  } finally {
    await runtime.stop();
  }
}

/** What takes turns. */
interface Side {
  readonly runtime: Runtime;
  readonly request: (operation: Operation, index: number) => Promise<string>;
}

function productSide(runtime: Runtime, key: string, caller: Caller): Side {
  return {
    runtime,
    async request(operation, index) {
      const answer = await send(runtime.origin, key, caller.call(operation, index));
      caller.learn(operation, index, answer);
      return answer;
    },
  };
}

/** The same bodies; what is done with them was decided when the traces were made. */
function floorSide(runtime: Runtime, key: string, caller: Caller): Side {
  return {
    runtime,
    request(operation, index) {
      const path = `/${operation}/${index % DIFFERENT[operation]}`;
      return send(runtime.origin, key, { ...caller.call(operation, index), path });
    },
  };
}

interface Turn {
  readonly cpuMs: number;
  readonly bytes: number;
}

/** CPU and bytes a request. */
async function turnOf({ runtime, request }: Side, operation: Operation, turn: number): Promise<Turn> {
  const count = A_TURN[operation];
  const before = await runtime.cpuMs();
  let bytes = 0;
  await inTurn(turn * count, count, async (index) => {
    const answer = await request(operation, index);
    bytes += Buffer.byteLength(answer);
  });
  await pause(SETTLE_MS);
  return { cpuMs: ((await runtime.cpuMs()) - before) / count, bytes: Math.round(bytes / count) };
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const quantile = (values: readonly number[], share: number): number =>
  sorted(values)[Math.round((values.length - 1) * share)] ?? Number.NaN;

/** What one request asks of its bindings; the same on both sides. */
function counted({ before, after }: Trace): string {
  const count = (calls: readonly Call[], to: Call["to"]) => calls.filter((call) => call.to === to).length;
  const statements = before.reduce((sum, call) => sum + (call.to === "d1" ? call.statements.length : 0), 0);
  return [
    `${count(before, "d1")} D1 (${statements} statements)`,
    `${count(before, "kv")} KV`,
    `${count(before, "object")} object`,
    ...(after.length > 0 ? [`${count(after, "d1")} D1 after the answer`] : []),
  ].join(", ");
}

const WIDTHS = [8, 6, 13, 13, 17, 15] as const;
function row(...cells: readonly string[]): void {
  console.log(
    cells.map((cell, nth) => (nth === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[nth] ?? 0))).join("  "),
  );
}

async function compare(operation: Operation, product: Side, floor: Side, trace: Trace | undefined): Promise<boolean> {
  const pairs: { readonly product: Turn; readonly floor: Turn }[] = [];
  for (let turn = 0; turn < WARM_UP + TURNS; turn += 1) {
    pairs.push({
      product: await turnOf(product, operation, turn),
      floor: await turnOf(floor, operation, turn),
    });
  }
  const counting = pairs.slice(WARM_UP);
  const ratios = counting.map((pair) => pair.product.cpuMs / pair.floor.cpuMs);
  const ratio = quantile(ratios, 0.5);
  const cpu = (side: "product" | "floor") =>
    quantile(
      counting.map((pair) => pair[side].cpuMs),
      0.5,
    ).toFixed(2);
  const bytes = (side: "product" | "floor") => counting[0]?.[side].bytes;
  const between = (low: number, high: number) =>
    `${quantile(ratios, low).toFixed(2)} to ${quantile(ratios, high).toFixed(2)}`;
  row(
    operation,
    ratio.toFixed(2),
    between(0.25, 0.75),
    between(0, 1),
    `${cpu("product")} / ${cpu("floor")} ms`,
    `${bytes("product")} / ${bytes("floor")}`,
    trace ? counted(trace) : "",
  );
  return ratio <= BUDGET;
}

/** A floor that wrote less would be too easy to reach, or too hard. */
async function assertSame(...runtimes: readonly [Runtime, Runtime]): Promise<void> {
  const [product, floor] = await Promise.all(
    runtimes.map(async (runtime) => {
      const d1 = await runtime.d1();
      const row = await d1
        .prepare(
          `SELECT (SELECT count(*) FROM posts) AS posts, (SELECT count(*) FROM post_targets) AS targets,
             (SELECT count(*) FROM confirmations) AS confirmations,
             (SELECT count(*) FROM posts WHERE watch_at < scheduled_at) AS unacknowledged`,
        )
        .first();
      return JSON.stringify(row);
    }),
  );
  if (product !== floor) {
    throw new Error(`product and floor have not done the same: ${product} and ${floor}`);
  }
}

/** Both sides over copies of what was filled. */
async function compareAll(product: string, floor: string, traces: Traces, filled: Filled): Promise<boolean> {
  const { person, postIds } = filled;
  const caller = new Caller(person, postIds);
  const productRuntime = await startRuntime(product, at("product-state"), SECRETS);
  try {
    const floorRuntime = await startRuntime(floor, at("floor-state"), { ...SECRETS, TRACES: traces });
    try {
      const sides = [
        productSide(productRuntime, person.key, caller),
        floorSide(floorRuntime, person.key, caller),
      ] as const;
      const good: boolean[] = [];
      for (const operation of OPERATIONS) {
        good.push(await compare(operation, ...sides, traces.operations[operation]?.[0]));
      }
      await assertSame(productRuntime, floorRuntime);
      return good.every(Boolean);
    } finally {
      await floorRuntime.stop();
    }
  } finally {
    await productRuntime.stop();
  }
}

const startedAt = Date.now();
const workDir = await mkdtemp(join(tmpdir(), "almanac-bench-"));
const at = (name: string): string => join(workDir, name);
try {
  const [product, recorder, floor] = await Promise.all([
    bundle(null, at("product")),
    bundle("scripts/bench/recorder.ts", at("recorder")),
    bundle("scripts/bench/floor.ts", at("floor")),
  ]);
  const kib = (bytes: number) => Math.round(bytes / 1024);
  console.log(
    `production bundle: ${kib(Buffer.byteLength(product))} KiB, ${kib(gzipSync(product).length)} KiB gzipped, with everything that is loaded only where used`,
  );
  const filled = await fill(product, at("filled"));
  for (const copy of ["recorder-state", "product-state", "floor-state"]) {
    await cp(at("filled"), at(copy), { recursive: true });
  }
  const traces = await record(recorder, at("recorder-state"), filled);
  console.log(
    `${POSTS} posts; ${TURNS} turns each after ${WARM_UP} to warm up; CPU of the runtime's process, its local D1, KV and objects included`,
  );
  row("", "ratio", "quartiles", "extremes", "product / floor", "bytes of answer", "asked while answering");
  const good = await compareAll(product, floor, traces, filled);
  process.exitCode = good ? 0 : 1;
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${good ? "within" : "ABOVE"} the budget of ${BUDGET}; ${seconds} s in all`);
} finally {
  await rm(workDir, { recursive: true, force: true });
}

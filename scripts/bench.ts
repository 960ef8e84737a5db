import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { createBenchUser, migrate, copyPost, type BenchUser } from "./bench/bench-data.ts";
import {
  REQUESTS_PER_ROUND,
  RequestFactory,
  runConcurrently,
  type Operation,
  OPERATIONS,
  send,
} from "./bench/operations.ts";
import type { SharedTraceData, RecordedRequest } from "./bench/recorder.ts";
import { bundle, type Bundle, type Runtime, startRuntime } from "./bench/runtime.ts";
import type { BindingCall, Trace, Traces } from "./bench/trace.ts";
import { PLATFORMS } from "#core/platform.ts";
import { sleep } from "./service.ts";

/*
 * `npm run bench -- [--rounds 15]`: compares the CPU time of the API with a baseline, a Worker without libraries that makes
 * the same calls of D1, KV and Durable Objects. Each has its own runtime and a copy of the same database, and rounds alternate
 * between them. The exit code is 1 when the median ratio of an operation is above the budget.
 */

const BUDGET = 1.5;
const POST_COUNT = 2000;
const POSTS_PER_DAY = 10;
/** Not measured, because code is compiled in the first rounds. */
const WARM_UP_ROUNDS = 3;
const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" } } });
const ROUNDS = Number(values.rounds);
/** Time for deferred work after the last response of a round, which is part of that round. */
const SETTLE_MS = 100;
/** How many distinct requests exist; preview and confirm need a new one each time. */
const DISTINCT_REQUESTS: Record<Operation, number> = {
  list: 1,
  get: 50,
  preview: (WARM_UP_ROUNDS + ROUNDS) * REQUESTS_PER_ROUND.preview,
  confirm: (WARM_UP_ROUNDS + ROUNDS) * REQUESTS_PER_ROUND.confirm,
};
/** The operator's settings: encryption keys and app credentials for every platform. */
const SECRETS = {
  TOKEN_KEYS: JSON.stringify({ k1: Buffer.alloc(32, "bench").toString("base64") }),
  ...Object.fromEntries(
    PLATFORMS.flatMap((platform) =>
      ["CLIENT_ID", "CLIENT_SECRET"].map((name) => [`${platform.toUpperCase()}_${name}`, name]),
    ),
  ),
};

interface BenchData {
  readonly user: BenchUser;
  readonly postIds: readonly string[];
}

/** Fills the database and the token store through the product itself. */
async function createBenchData(product: Bundle, stateDir: string): Promise<BenchData> {
  const runtime = await startRuntime(product, stateDir, SECRETS);
  try {
    const d1 = await runtime.d1();
    await migrate(d1);
    const user = await createBenchUser(d1);
    const requests = new RequestFactory(user, []);
    requests.recordResponse("preview", 0, await send(runtime.origin, user.key, requests.createRequest("preview", 0)));
    const confirmed = await send(runtime.origin, user.key, requests.createRequest("confirm", 0));
    const { posts } = JSON.parse(confirmed) as { posts: { id: string }[] };
    await sleep(SETTLE_MS);
    return {
      user: user,
      postIds: await copyPost(d1, posts[0]?.id ?? "", { count: POST_COUNT - 1, perDay: POSTS_PER_DAY }),
    };
  } finally {
    await runtime.stop();
  }
}

/** Sends every request once to the recorder. */
async function record(recorder: Bundle, stateDir: string, { user, postIds }: BenchData): Promise<Traces> {
  const runtime = await startRuntime(recorder, stateDir, SECRETS);
  try {
    const requests = new RequestFactory(user, postIds);
    const operations: Record<string, Trace[]> = {};
    for (const operation of OPERATIONS) {
      const traces: Trace[] = [];
      operations[operation] = traces;
      await runConcurrently(0, DISTINCT_REQUESTS[operation], async (index) => {
        const call = requests.createRequest(operation, index);
        const { status, responseText, beforeResponse, afterResponse } = JSON.parse(
          await send(runtime.origin, user.key, call),
        ) as RecordedRequest;
        if (status !== 200) {
          throw new Error(`${call.path} returned ${status}: ${responseText}`);
        }
        requests.recordResponse(operation, index, responseText);
        traces[index] = { beforeResponse, afterResponse };
      });
    }
    const { sql, storageCalls } = JSON.parse(
      await send(runtime.origin, user.key, { method: "GET", path: "/recorded" }),
    ) as SharedTraceData;
    return { sql, storageCalls, operations };
  } finally {
    await runtime.stop();
  }
}

/** One of the two Workers that are compared. */
interface Contender {
  readonly runtime: Runtime;
  readonly request: (operation: Operation, index: number) => Promise<string>;
}

function productContender(runtime: Runtime, key: string, requests: RequestFactory): Contender {
  return {
    runtime,
    async request(operation, index) {
      const responseText = await send(runtime.origin, key, requests.createRequest(operation, index));
      requests.recordResponse(operation, index, responseText);
      return responseText;
    },
  };
}

/** Sends the same bodies; the path selects the recorded trace. */
function baselineContender(runtime: Runtime, key: string, requests: RequestFactory): Contender {
  return {
    runtime,
    request(operation, index) {
      const path = `/${operation}/${index % DISTINCT_REQUESTS[operation]}`;
      return send(runtime.origin, key, { ...requests.createRequest(operation, index), path });
    },
  };
}

interface RoundResult {
  readonly cpuMs: number;
  readonly bytes: number;
}

/** CPU time and response size per request. */
async function measureRound(
  { runtime, request }: Contender,
  operation: Operation,
  round: number,
): Promise<RoundResult> {
  const count = REQUESTS_PER_ROUND[operation];
  const before = await runtime.cpuMs();
  let bytes = 0;
  await runConcurrently(round * count, count, async (index) => {
    const responseText = await request(operation, index);
    bytes += Buffer.byteLength(responseText);
  });
  await sleep(SETTLE_MS);
  return { cpuMs: ((await runtime.cpuMs()) - before) / count, bytes: Math.round(bytes / count) };
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const quantile = (values: readonly number[], share: number): number =>
  sorted(values)[Math.round((values.length - 1) * share)] ?? Number.NaN;

/** Describes the binding calls of one request, which are the same in both Workers. */
function describeCalls({ beforeResponse, afterResponse }: Trace): string {
  const count = (calls: readonly BindingCall[], to: BindingCall["to"]) => calls.filter((call) => call.to === to).length;
  const statements = beforeResponse.reduce((sum, call) => sum + (call.to === "d1" ? call.statements.length : 0), 0);
  return [
    `${count(beforeResponse, "d1")} D1 (${statements} statements)`,
    `${count(beforeResponse, "kv")} KV`,
    `${count(beforeResponse, "object")} object`,
    ...(afterResponse.length > 0 ? [`${count(afterResponse, "d1")} D1 after the response`] : []),
  ].join(", ");
}

const WIDTHS = [8, 6, 13, 13, 17, 15] as const;
function printRow(...cells: readonly string[]): void {
  console.log(
    cells.map((cell, nth) => (nth === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[nth] ?? 0))).join("  "),
  );
}

async function compare(
  operation: Operation,
  product: Contender,
  baseline: Contender,
  trace: Trace | undefined,
): Promise<boolean> {
  const pairs: { readonly product: RoundResult; readonly baseline: RoundResult }[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    pairs.push({
      product: await measureRound(product, operation, round),
      baseline: await measureRound(baseline, operation, round),
    });
  }
  const measuredRounds = pairs.slice(WARM_UP_ROUNDS);
  const ratios = measuredRounds.map((pair) => pair.product.cpuMs / pair.baseline.cpuMs);
  const ratio = quantile(ratios, 0.5);
  const cpu = (name: "product" | "baseline") =>
    quantile(
      measuredRounds.map((pair) => pair[name].cpuMs),
      0.5,
    ).toFixed(2);
  const bytes = (name: "product" | "baseline") => measuredRounds[0]?.[name].bytes;
  const between = (low: number, high: number) =>
    `${quantile(ratios, low).toFixed(2)} to ${quantile(ratios, high).toFixed(2)}`;
  printRow(
    operation,
    ratio.toFixed(2),
    between(0.25, 0.75),
    between(0, 1),
    `${cpu("product")} / ${cpu("baseline")} ms`,
    `${bytes("product")} / ${bytes("baseline")}`,
    trace ? describeCalls(trace) : "",
  );
  return ratio <= BUDGET;
}

/** Both Workers must have written the same rows, otherwise the comparison is not valid. */
async function assertSameRows(...runtimes: readonly [Runtime, Runtime]): Promise<void> {
  const [product, baseline] = await Promise.all(
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
  if (product !== baseline) {
    throw new Error(`product and baseline wrote different rows: ${product} and ${baseline}`);
  }
}

/** Runs both Workers on copies of the filled database. */
async function compareAll(product: Bundle, baseline: Bundle, traces: Traces, data: BenchData): Promise<boolean> {
  const { user, postIds } = data;
  const requests = new RequestFactory(user, postIds);
  const productRuntime = await startRuntime(product, workPath("product-state"), SECRETS);
  try {
    const baselineRuntime = await startRuntime(baseline, workPath("baseline-state"), { ...SECRETS, TRACES: traces });
    try {
      const contenders = [
        productContender(productRuntime, user.key, requests),
        baselineContender(baselineRuntime, user.key, requests),
      ] as const;
      const withinBudget: boolean[] = [];
      for (const operation of OPERATIONS) {
        withinBudget.push(await compare(operation, ...contenders, traces.operations[operation]?.[0]));
      }
      await assertSameRows(productRuntime, baselineRuntime);
      return withinBudget.every(Boolean);
    } finally {
      await baselineRuntime.stop();
    }
  } finally {
    await productRuntime.stop();
  }
}

const startedAt = Date.now();
const workDir = await mkdtemp(join(tmpdir(), "almanac-bench-"));
const workPath = (name: string): string => join(workDir, name);
try {
  const [product, recorder, baseline] = await Promise.all([
    bundle(null, workPath("product")),
    bundle("scripts/bench/recorder.ts", workPath("recorder")),
    bundle("scripts/bench/baseline.ts", workPath("baseline")),
  ]);
  const kib = (bytes: number) => Math.round(bytes / 1024);
  console.log(
    `production bundle: ${kib(Buffer.byteLength(product.script))} KiB, ${kib(gzipSync(product.script).length)} KiB gzipped, including modules that are loaded on demand`,
  );
  const data = await createBenchData(product, workPath("data"));
  for (const copy of ["recorder-state", "product-state", "baseline-state"]) {
    await cp(workPath("data"), workPath(copy), { recursive: true });
  }
  const traces = await record(recorder, workPath("recorder-state"), data);
  console.log(
    `${POST_COUNT} posts; ${ROUNDS} rounds after ${WARM_UP_ROUNDS} warm-up rounds; CPU time of the runtime's process, including its local D1, KV and Durable Objects`,
  );
  printRow("", "ratio", "quartiles", "range", "product / baseline", "response bytes", "binding calls");
  const withinBudget = await compareAll(product, baseline, traces, data);
  process.exitCode = withinBudget ? 0 : 1;
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${withinBudget ? "within" : "ABOVE"} the budget of ${BUDGET}; ${seconds} s in total`);
} finally {
  await rm(workDir, { recursive: true, force: true });
}

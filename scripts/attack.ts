import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Topic } from "./attack/attack.ts";
import { AttackedService } from "./attack/attacked-service.ts";
import type { OpenApiDocument } from "./attack/document.ts";
import { type Hole, HOLES } from "./attack/holes.ts";
import { SCRYPT_COUNTER } from "./attack/instruments.ts";
import { startNameServer } from "./attack/name-server.ts";
import { TOPICS } from "./attack/registry.ts";
import { type AttackTotals, runAttacks } from "./attack/run-attacks.ts";
import { call, freePort, migrate, startService } from "./service.ts";
import { createCopy, removeCopy } from "./source-copy.ts";

/* `npm run attack` attacks the service as strangers and greedy tenants would. It starts its own service on this
   machine and sends nothing to others; requests and time are limited. `--topic <name>` runs one topic, `--short`
   skips slow attacks. `--holes` shows that the attacks find each planted hole (with `--topic`: those of the topic).
   Exits with 1 on a finding. */

const ROOT = join(import.meta.dirname, "..");

interface RunOptions {
  readonly topic: string | undefined;
  readonly short: boolean;
  readonly hole?: Hole;
}

/**
 * Runs the attacks against a copy of the source code, which contains the instruments and, if there is one, the hole.
 */
async function run({ topic, short, hole }: RunOptions): Promise<AttackTotals> {
  const topics = TOPICS.filter((candidate) => topic === undefined || candidate.topic === topic).map((candidate) => ({
    ...candidate,
    attacks: candidate.attacks.filter(({ name }) => hole === undefined || name.startsWith(hole.attack)),
  }));
  if (topics.length === 0) {
    throw new Error(`unknown topic ${topic}; the topics are ${TOPICS.map((candidate) => candidate.topic).join(", ")}`);
  }
  const totals: AttackTotals[] = [];
  for (const ofOneService of Map.groupBy(topics, ({ instrument }) => instrument).values()) {
    totals.push(await runAgainstOneService(ofOneService, { short, ...(hole && { hole }) }));
  }
  return {
    attacks: totals.reduce((sum, { attacks }) => sum + attacks, 0),
    tried: totals.reduce((sum, { tried }) => sum + tried, 0),
    findings: totals.flatMap(({ findings }) => findings),
  };
}

/** Runs topics that have the same instrument against one service. */
async function runAgainstOneService(
  topics: readonly Topic[],
  { short, hole }: Omit<RunOptions, "topic">,
): Promise<AttackTotals> {
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-attack-"));
  const patches = [SCRYPT_COUNTER, topics[0]?.instrument, hole].filter((patch) => patch !== undefined);
  const root = await createCopy(ROOT, patches);
  const names = await startNameServer();
  try {
    await migrate(stateDir, { root });
    const logFile = join(stateDir, "service.log");
    const vars = { MEDIA_DOH_URL: names.url };
    const running = await startService({ port: await freePort(), stateDir, logFile, root, vars });
    try {
      const document = await call<OpenApiDocument>(running.origin, "GET", "/v1/openapi.json");
      return await runAttacks(new AttackedService(running.origin, document, names, logFile), topics, { short });
    } finally {
      await running.stop();
    }
  } finally {
    names.stop();
    await Promise.all([removeCopy(root), rm(stateDir, { recursive: true, force: true })]);
  }
}

async function findHoles(topic: string | undefined): Promise<boolean> {
  const holes = HOLES.filter((hole) => topic === undefined || hole.topic === topic);
  let missed = 0;
  for (const hole of holes) {
    console.log(`\nA hole: ${hole.what}`);
    const found = (await run({ topic: hole.topic, short: false, hole })).findings.length > 0;
    missed += found ? 0 : 1;
    console.log(found ? `found    ${hole.name}` : `MISSED   ${hole.name}`);
  }
  console.log(`\n${holes.length} holes, ${missed} missed`);
  return missed === 0;
}

async function attack(options: RunOptions): Promise<boolean> {
  const started = Date.now();
  const { attacks, tried, findings } = await run(options);
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`\n${attacks} attacks (${tried} tries, ${seconds} s), ${findings.length} findings`);
  return findings.length === 0;
}

const { values } = parseArgs({
  options: {
    topic: { type: "string" },
    short: { type: "boolean", default: false },
    holes: { type: "boolean", default: false },
  },
});
const passed = values.holes
  ? await findHoles(values.topic)
  : await attack({ topic: values.topic, short: values.short });
process.exitCode = passed ? 0 : 1;

import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY } from "#core/clock.ts";
import type { D1Counts } from "#sandbox/d1-counter.ts";
import { quantile } from "../quantile.ts";
import { sleep } from "../service.ts";
import { createBenchUser, migrate } from "./bench-data.ts";
import { type BenchRequest, send } from "./requests.ts";
import { bundle, startRuntime } from "./runtime.ts";

/* Measures the largest preview and confirm of many posts that one request may contain. Its text is longer in bytes
   than in characters. */

const POSTS = 100;
const ACCOUNTS = 8;
const CHARACTERS = 2200;
/** How many rounds are measured. The first one also compiles the code. */
const ROUNDS = 8;
/** How long (ms) to wait for the earliest posts, whose objects are armed after the answer. */
const SETTLE_MS = 1500;

const LINKEDIN = {
  platform: "linkedin",
  capabilities: { kind: "member", canList: false, profile: "userinfo" },
} as const;

interface Measured {
  readonly ms: number;
  readonly text: string;
  readonly counts: D1Counts;
}

/** The text of a post: the same for every account, but different for each post. */
function captionOf(round: number, index: number): string {
  const name = `${round}/${index} `;
  return name + "é".repeat(CHARACTERS - name.length);
}

/**
 * Prints milliseconds, D1's counts and bytes. It runs the sandbox's build, because only this one counts calls to D1;
 * neither request calls a platform.
 */
export async function measureBulk(root: string): Promise<void> {
  const workDir = await mkdtemp(join(tmpdir(), "almanac-bench-bulk-"));
  const modules = await bundle(root, join(workDir, "bundle"), "sandbox");
  const runtime = await startRuntime(root, modules, join(workDir, "state"), {
    environment: "sandbox",
    vars: { COUNT_D1: "true" },
  });
  const agent = new Agent({ keepAlive: true });
  try {
    const d1 = await runtime.d1();
    await migrate(d1);
    const { key, accountIds } = await createBenchUser(d1, {
      accounts: Array.from({ length: ACCOUNTS }, () => LINKEDIN),
    });
    const call = async (request: Omit<BenchRequest, "key" | "expectedStatus">): Promise<string> =>
      await send({ port: runtime.port }, agent, { ...request, key, expectedStatus: 200 });
    const readCounts = async (): Promise<D1Counts> =>
      JSON.parse(await call({ method: "GET", path: "/sandbox/d1" })) as D1Counts;
    const measure = async (path: string, body: unknown): Promise<Measured> => {
      const before = await readCounts();
      const startedAt = performance.now();
      const text = await call({ method: "POST", path, body });
      const ms = performance.now() - startedAt;
      const after = await readCounts();
      const counts = Object.fromEntries(
        Object.entries(after).map(([name, value]) => [name, Number(value) - before[name as keyof D1Counts]]),
      ) as unknown as D1Counts;
      return { ms, text, counts };
    };
    const rounds: { readonly bytes: number; readonly preview: Measured; readonly confirm: Measured }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const posts = Array.from({ length: POSTS }, (_, index) => ({
        caption: captionOf(round, index),
        scheduled_at: new Date(Date.now() + (30 + round) * DAY + index * 600_000).toISOString(),
        account_ids: accountIds,
      }));
      const preview = await measure("/v1/posts/bulk/preview", { posts });
      const { confirmation_token } = JSON.parse(preview.text) as { confirmation_token: string };
      const confirm = await measure("/v1/posts/bulk/confirm", { confirmation_token });
      rounds.push({ bytes: Buffer.byteLength(JSON.stringify({ posts })), preview, confirm });
      await sleep(SETTLE_MS);
    }
    console.log(`${POSTS} posts for ${ACCOUNTS} accounts, ${CHARACTERS} characters of two bytes, ${ROUNDS - 1} rounds`);
    const measured = rounds.slice(1);
    const [first] = measured;
    if (first === undefined) {
      return;
    }
    console.table(
      Object.fromEntries(
        (["preview", "confirm"] as const).map((step) => {
          const times = measured.map((round) => round[step].ms);
          return [
            step,
            {
              ms: Number(
                quantile(
                  times.toSorted((a, b) => a - b),
                  0.5,
                ).toFixed(0),
              ),
              "ms, slowest": Number(Math.max(...times).toFixed(0)),
              trips: first[step].counts.roundTrips,
              statements: first[step].counts.statements,
              "rows read": first[step].counts.rowsRead,
              "rows written": first[step].counts.rowsWritten,
              "request bytes": step === "preview" ? first.bytes : "-",
              "answer bytes": Buffer.byteLength(first[step].text),
            },
          ];
        }),
      ),
    );
  } finally {
    agent.destroy();
    await runtime.stop();
    await rm(workDir, { recursive: true, force: true });
  }
}

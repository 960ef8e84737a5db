import { Agent } from "node:http";
import type { Prepared } from "./prepared.ts";
import { Requests, send } from "./requests.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { quantile } from "../quantile.ts";

/* Measures how many pairs of preview and confirm each checkout handles per second. They take turns, so that the machine's load is equal. */

const CLIENTS = [1, 10];
const ROUNDS = 7;
/** The number of rounds before the measured ones, in which the runtime compiles the code. */
const WARM_UP_ROUNDS = 1;
const PAIRS_PER_ROUND = 60;
/** The distance between the times of posts of two clients, in numbers of posts. */
const CLIENT_OFFSET = 100_000;

interface Round {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

/** Makes rounds of pairs, each client with posts of its own. */
class PairMaker {
  readonly #runtime: Runtime;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #clients: readonly Requests[];

  constructor(runtime: Runtime, { data }: Prepared) {
    this.#runtime = runtime;
    this.#clients = Array.from(
      { length: Math.max(...CLIENTS) },
      (_, client) => new Requests(data, { firstPreview: client * CLIENT_OFFSET }),
    );
  }

  async round(clients: number): Promise<Round> {
    const latenciesMs: number[] = [];
    let left = PAIRS_PER_ROUND;
    const startedAt = performance.now();
    await Promise.all(
      this.#clients.slice(0, clients).map(async (requests) => {
        while (left > 0) {
          left -= 1;
          const sentAt = performance.now();
          for (const operation of ["preview", "confirm"] as const) {
            requests.take(operation, await send({ port: this.#runtime.port }, this.#agent, requests.next(operation)));
          }
          latenciesMs.push(performance.now() - sentAt);
        }
      }),
    );
    return { perSecond: (latenciesMs.length * 1000) / (performance.now() - startedAt), latenciesMs };
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#runtime.stop();
  }
}

const inOrder = (values: readonly number[]) => values.toSorted((a, b) => a - b);

/** Prints rates, 99th percentiles and the ratio of the first checkout to each other. */
export async function comparePairs(compared: ReadonlyMap<string, Prepared>): Promise<void> {
  const names = [...compared.keys()];
  const makers: PairMaker[] = [];
  try {
    for (const checkout of compared.values()) {
      makers.push(new PairMaker(await startRuntime(checkout.root, checkout.modules, checkout.stateDir), checkout));
    }
    for (const clients of CLIENTS) {
      const rounds: Round[][] = [];
      for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
        const each: Round[] = [];
        for (const maker of makers) {
          each.push(await maker.round(clients));
        }
        rounds.push(each);
      }
      const measured = rounds.slice(WARM_UP_ROUNDS);
      console.log(`\n${clients} client${clients === 1 ? "" : "s"}, ${ROUNDS} rounds of ${PAIRS_PER_ROUND} pairs`);
      for (const [index, name] of names.entries()) {
        const own = measured.flatMap((each) => each[index] ?? []);
        const rates = inOrder(own.map(({ perSecond }) => perSecond));
        const latencies = inOrder(own.flatMap(({ latenciesMs }) => latenciesMs));
        console.log(
          `${name}: ${quantile(rates, 0.5).toFixed(1)} pairs/s (${quantile(rates, 0).toFixed(1)} to ${quantile(rates, 1).toFixed(1)}), p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${quantile(latencies, 0.99).toFixed(1)} ms`,
        );
      }
      for (const [index, name] of names.entries().drop(1)) {
        const ratios = inOrder(measured.map((each) => (each[0]?.perSecond ?? 0) / (each[index]?.perSecond ?? 0)));
        console.log(
          `ratio to ${name}: ${quantile(ratios, 0.5).toFixed(2)} (${quantile(ratios, 0).toFixed(2)} to ${quantile(ratios, 1).toFixed(2)})`,
        );
      }
    }
  } finally {
    await Promise.all(makers.map((maker) => maker.stop()));
  }
}

import { DurableObject } from "cloudflare:workers";
import { toInstant } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { BookEntry, Sim, Simulator, SimSettings } from "./contract.ts";
import type { CallEntry, OpenFault, SettingsChange, SimulatorControl } from "./control.ts";
import type { SandboxEnv } from "./env.ts";
import { type Fault, faultAnswer, faultMatches, FAULTS_MAX } from "./faults.ts";
import { isLost, lostConnection } from "./lost.ts";
import { simulatorNamed } from "./registry.ts";
import { openSim, readBook } from "./sim.ts";

const CALLS_KEPT = 20_000;
const SETTINGS = "settings";

const USUAL: SimSettings = {
  processing_ms: 2000,
  latency_ms: 0,
  verify_lag_ms: 0,
  token_lifetime_s: null,
  quota: null,
  extra: {},
};

const TABLES = `
  CREATE TABLE IF NOT EXISTS calls (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, method TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL, status INTEGER);
  CREATE INDEX IF NOT EXISTS calls_at ON calls (at);
  CREATE TABLE IF NOT EXISTS book (seq INTEGER PRIMARY KEY, account TEXT NOT NULL, entry TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS book_account ON book (account, seq);
  CREATE TABLE IF NOT EXISTS faults (seq INTEGER PRIMARY KEY, fault TEXT NOT NULL, left INTEGER NOT NULL);
`;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One object a platform: what the platform remembers outlives a kill of the process. */
export function definePlatformSimulator() {
  return class PlatformSimulator extends DurableObject<SandboxEnv> implements SimulatorControl {
    readonly #running = new Map<string, Promise<void>>();

    constructor(ctx: DurableObjectState, env: SandboxEnv) {
      super(ctx, env);
      ctx.storage.sql.exec(TABLES);
    }

    get #sql(): SqlStorage {
      return this.ctx.storage.sql;
    }

    get #settings(): SimSettings {
      return this.ctx.storage.kv.get<SimSettings>(SETTINGS) ?? USUAL;
    }

    /** The object is named after its platform. */
    get #simulator(): Simulator {
      const simulator = simulatorNamed(this.ctx.id.name ?? "");
      if (!simulator) {
        throw new Error(`no simulator of ${this.ctx.id.name}`);
      }
      return simulator;
    }

    #sim({ platform }: Simulator): Sim {
      return openSim({
        platform,
        env: this.env,
        kv: this.ctx.storage.kv,
        sql: this.#sql,
        settings: () => this.#settings,
        running: this.#running,
      });
    }

    /** A call to the platform, as the network would bring it. */
    override fetch(request: Request): Promise<Response> {
      const { hostname, pathname } = new URL(request.url);
      const seq = this.#note(request.method, hostname, pathname);
      const work = this.#answer(request, pathname).then((answer) => {
        this.#sql.exec("UPDATE calls SET status = ? WHERE seq = ?", isLost(answer) ? null : answer.status, seq);
        return answer;
      });
      // A platform finishes what it began, whether or not the caller still waits.
      this.ctx.waitUntil(work);
      return work;
    }

    #note(method: string, host: string, path: string): number {
      const { seq } = this.#sql
        .exec<{ seq: number }>(
          "INSERT INTO calls (at, method, host, path) VALUES (?, ?, ?, ?) RETURNING seq",
          Date.now(),
          method,
          host,
          path.slice(0, 500),
        )
        .one();
      if (seq % 500 === 0) {
        this.#sql.exec("DELETE FROM calls WHERE seq <= ?", seq - CALLS_KEPT);
      }
      return seq;
    }

    async #answer(request: Request, path: string): Promise<Response> {
      const fault = this.#strike(request.method, path);
      const wait = this.#settings.latency_ms + (fault?.delay_ms ?? 0);
      if (wait > 0) {
        await sleep(wait);
      }
      switch (fault?.effect) {
        case undefined:
        case "delay":
          return this.#handle(request);
        case "answer":
          return faultAnswer(fault);
        case "drop_before":
          return lostConnection();
        case "drop_after":
          await this.#handle(request);
          return lostConnection();
        case "answer_after":
          await this.#handle(request);
          return faultAnswer(fault);
      }
    }

    /** The first fault that matches, used up once before it has its effect: a kill in between costs a fault, never adds one. */
    #strike(method: string, path: string): Fault | undefined {
      for (const row of this.#sql.exec<{ seq: number; fault: string }>("SELECT seq, fault FROM faults ORDER BY seq")) {
        const fault = JSON.parse(row.fault) as Fault;
        if (faultMatches(fault, method, path)) {
          this.#sql.exec("UPDATE faults SET left = left - 1 WHERE seq = ?", row.seq);
          this.#sql.exec("DELETE FROM faults WHERE left <= 0");
          return fault;
        }
      }
      return undefined;
    }

    async #handle(request: Request): Promise<Response> {
      const simulator = this.#simulator;
      try {
        return await simulator.handle(request, this.#sim(simulator));
      } catch (error) {
        log("error", "simulator_failed", { platform: simulator.platform, error: String(error) });
        return Response.json({ error: "the simulator failed" }, { status: 500 });
      }
    }

    book(account: string | null): Promise<BookEntry[]> {
      const simulator = this.#simulator;
      simulator.settle?.(this.#sim(simulator));
      return Promise.resolve(readBook(this.#sql, account));
    }

    calls(since: number): Promise<CallEntry[]> {
      const rows = this.#sql.exec<{ at: number; method: string; host: string; path: string; status: number | null }>(
        "SELECT at, method, host, path, status FROM calls WHERE at >= ? ORDER BY seq DESC LIMIT ?",
        since,
        CALLS_KEPT,
      );
      return Promise.resolve(Array.from(rows, (row) => ({ ...row, at: toInstant(row.at) })).toReversed());
    }

    addFault(fault: Fault): Promise<number | null> {
      const { open } = this.#sql.exec<{ open: number }>("SELECT count(*) AS open FROM faults").one();
      if (open >= FAULTS_MAX) {
        return Promise.resolve(null);
      }
      this.#sql.exec("INSERT INTO faults (fault, left) VALUES (?, ?)", JSON.stringify(fault), fault.times);
      return Promise.resolve(open + 1);
    }

    faults(): Promise<OpenFault[]> {
      const rows = this.#sql.exec<{ fault: string; left: number }>("SELECT fault, left FROM faults ORDER BY seq");
      return Promise.resolve(Array.from(rows, (row) => ({ ...(JSON.parse(row.fault) as Fault), left: row.left })));
    }

    clearFaults(): Promise<void> {
      this.#sql.exec("DELETE FROM faults");
      return Promise.resolve();
    }

    change({ extra, ...change }: SettingsChange): Promise<SimSettings> {
      const before = this.#settings;
      const named = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      const after = { ...before, ...named, extra: { ...before.extra, ...extra } };
      this.ctx.storage.kv.put(SETTINGS, after);
      return Promise.resolve(after);
    }

    revoke(account: string): Promise<boolean> {
      return Promise.resolve(this.#simulator.revoke(account, this.#sim(this.#simulator)));
    }
  };
}

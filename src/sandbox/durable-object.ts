import { DurableObject } from "cloudflare:workers";
import { toIsoInstant } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { PublishedExtra, PublishedPost, SimulatorContext, Simulator, SimulatorSettings } from "./contract.ts";
import type { RecordedCall, OpenFault, SettingsChange, SimulatorControl } from "./simulator-control.ts";
import type { SandboxEnv } from "./env.ts";
import { type InjectedFault, faultResponse, faultMatches, FAULTS_MAX } from "./injected-fault.ts";
import { isLostConnection, lostConnectionResponse } from "./lost-connection.ts";
import { refuseUnaccepted } from "./operation.ts";
import { endGrant } from "./oauth-server.ts";
import { simulatorStub } from "./outbound.ts";
import { findSimulator, simulators } from "./registry.ts";
import { receivedAtOf } from "./remote-simulators.ts";
import { secretsInBody, secretsInCall } from "./secret-values.ts";
import { createSimulatorContext, readPublishedPosts } from "./simulator-context.ts";

const RECORDED_CALLS_MAX = 20_000;
const SETTINGS_KEY = "settings";

const DEFAULT_SETTINGS: SimulatorSettings = {
  processing_ms: 2000,
  latency_ms: 0,
  verify_lag_ms: 0,
  token_lifetime_s: null,
  quota: null,
  extra: {},
};

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS calls (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, method TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL, status INTEGER);
  CREATE INDEX IF NOT EXISTS calls_at ON calls (at);
  CREATE TABLE IF NOT EXISTS published_posts (seq INTEGER PRIMARY KEY, account TEXT NOT NULL, post TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS published_posts_account ON published_posts (account, seq);
  CREATE TABLE IF NOT EXISTS secrets (secret TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS faults (seq INTEGER PRIMARY KEY, fault TEXT NOT NULL, left INTEGER NOT NULL);
`;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One Durable Object per platform, so that its state survives a restart of the process. */
export function definePlatformSimulator() {
  return class PlatformSimulator extends DurableObject<SandboxEnv> implements SimulatorControl {
    readonly #running = new Map<string, Promise<void>>();
    /** Calls whose callers have disconnected. They take effect later, by the clock that tests set. */
    readonly #late: { readonly at: number; readonly request: Request }[] = [];

    constructor(ctx: DurableObjectState, env: SandboxEnv) {
      super(ctx, env);
      ctx.storage.sql.exec(SCHEMA);
    }

    get #sql(): SqlStorage {
      return this.ctx.storage.sql;
    }

    get #settings(): SimulatorSettings {
      const changed = this.ctx.storage.kv.get<SimulatorSettings>(SETTINGS_KEY);
      const extra = { ...this.#simulator.operatorApp?.settings, ...changed?.extra };
      return { ...DEFAULT_SETTINGS, ...changed, extra };
    }

    /** The simulator of the platform after which the object is named. */
    get #simulator(): Simulator {
      const simulator = findSimulator(this.ctx.id.name ?? "");
      if (!simulator) {
        throw new Error(`no simulator for ${this.ctx.id.name}`);
      }
      return simulator;
    }

    #sim({ platform, appFamily }: Simulator, receivedAt: number | null = null): SimulatorContext {
      return createSimulatorContext({
        platform,
        receivedAt,
        env: this.env,
        kv: this.ctx.storage.kv,
        sql: this.#sql,
        settings: () => this.#settings,
        running: this.#running,
        appFamily,
        endSharedGrant: (login) => this.ctx.waitUntil(this.#endSharedGrant({ platform, appFamily }, login)),
      });
    }

    async #endSharedGrant({ platform, appFamily }: Pick<Simulator, "platform" | "appFamily">, login: string) {
      if (appFamily === undefined || this.#settings.extra["shared_app"] !== true) {
        return;
      }
      const others = Object.values(simulators).filter(
        (other) => other.appFamily === appFamily && other.platform !== platform,
      );
      await Promise.all(others.map((other) => simulatorStub(this.env, other.platform).endGrant(login)));
    }

    override fetch(request: Request): Promise<Response> {
      const { hostname, pathname } = new URL(request.url);
      const seq = this.#recordCall(request.method, hostname, pathname);
      const response = this.#respondAndRecord(request, pathname).then((result) => {
        this.#sql.exec(
          "UPDATE calls SET status = ? WHERE seq = ?",
          isLostConnection(result) ? null : result.status,
          seq,
        );
        return result;
      });
      // Continue after a disconnect, because a platform also completes a request whose caller has gone.
      this.ctx.waitUntil(response);
      return response;
    }

    async #respondAndRecord(request: Request, path: string): Promise<Response> {
      if (this.env["RECORD_SECRETS"] !== "true") {
        return await this.#respond(request, path);
      }
      const inBody = await secretsInBody(request);
      const response = await this.#respond(request, path);
      for (const secret of await secretsInCall(request, response, inBody)) {
        this.#sql.exec("INSERT OR IGNORE INTO secrets (secret) VALUES (?)", secret);
      }
      return response;
    }

    secrets(): Promise<string[]> {
      const rows = this.#sql.exec<{ secret: string }>("SELECT secret FROM secrets");
      return Promise.resolve(Array.from(rows, ({ secret }) => secret));
    }

    #recordCall(method: string, host: string, path: string): number {
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
        this.#sql.exec("DELETE FROM calls WHERE seq <= ?", seq - RECORDED_CALLS_MAX);
      }
      return seq;
    }

    async #respond(request: Request, path: string): Promise<Response> {
      await this.#handleLateCalls();
      const fault = this.#takeMatchingFault(request.method, path);
      const delayMs = this.#settings.latency_ms + (fault?.delay_ms ?? 0);
      if (delayMs > 0 && fault?.effect !== "late") {
        await sleep(delayMs);
      }
      switch (fault?.effect) {
        case undefined:
        case "delay":
          return this.#handle(request);
        case "answer":
          return faultResponse(fault);
        case "late": {
          const { method, headers, url } = request;
          const body = method === "GET" ? null : await request.arrayBuffer();
          this.#late.push({
            at: Date.now() + (fault.delay_ms ?? 0),
            request: new Request(url, { method, headers, body }),
          });
          return lostConnectionResponse();
        }
        case "drop_before":
          return lostConnectionResponse();
        case "drop_after":
          await this.#handle(request);
          return lostConnectionResponse();
        case "answer_after":
          await this.#handle(request);
          return faultResponse(fault);
      }
    }

    /** Handles the late calls that are due, in order of time. */
    async #handleLateCalls(): Promise<void> {
      const due = this.#late.filter(({ at }) => at <= Date.now()).toSorted((a, b) => a.at - b.at);
      for (const call of due) {
        this.#late.splice(this.#late.indexOf(call), 1);
        await this.#handle(call.request);
      }
    }

    /**
     * Takes the first fault that matches. It is counted before it takes effect, so that a crash in between may lose a
     * fault but never repeats one.
     */
    #takeMatchingFault(method: string, path: string): InjectedFault | undefined {
      for (const row of this.#sql.exec<{ seq: number; fault: string }>("SELECT seq, fault FROM faults ORDER BY seq")) {
        const fault = JSON.parse(row.fault) as InjectedFault;
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
        const sim = this.#sim(simulator, receivedAtOf(request));
        const refusal = await refuseUnaccepted(simulator.rules, request, sim);
        return refusal ?? (await simulator.handle(request, sim));
      } catch (error) {
        log("error", "simulator_failed", { platform: simulator.platform, error: String(error) });
        return Response.json({ error: "the simulator failed" }, { status: 500 });
      }
    }

    async publishedPosts(account: string | null): Promise<PublishedPost[]> {
      await this.#handleLateCalls();
      const simulator = this.#simulator;
      simulator.publishProcessed?.(this.#sim(simulator));
      return readPublishedPosts(this.#sql, account);
    }

    async publishedExtras(): Promise<readonly PublishedExtra[]> {
      await this.#handleLateCalls();
      const simulator = this.#simulator;
      return simulator.publishedExtras?.(this.#sim(simulator)) ?? [];
    }

    calls(since: number): Promise<RecordedCall[]> {
      const rows = this.#sql.exec<{ at: number; method: string; host: string; path: string; status: number | null }>(
        "SELECT at, method, host, path, status FROM calls WHERE at >= ? ORDER BY seq DESC LIMIT ?",
        since,
        RECORDED_CALLS_MAX,
      );
      return Promise.resolve(Array.from(rows, (row) => ({ ...row, at: toIsoInstant(row.at) })).toReversed());
    }

    addFault(fault: InjectedFault): Promise<number | null> {
      const { open } = this.#sql.exec<{ open: number }>("SELECT count(*) AS open FROM faults").one();
      if (open >= FAULTS_MAX) {
        return Promise.resolve(null);
      }
      this.#sql.exec("INSERT INTO faults (fault, left) VALUES (?, ?)", JSON.stringify(fault), fault.times);
      return Promise.resolve(open + 1);
    }

    openFaults(): Promise<OpenFault[]> {
      const rows = this.#sql.exec<{ fault: string; left: number }>("SELECT fault, left FROM faults ORDER BY seq");
      return Promise.resolve(
        Array.from(rows, (row) => ({ ...(JSON.parse(row.fault) as InjectedFault), left: row.left })),
      );
    }

    clearFaults(): Promise<void> {
      this.#sql.exec("DELETE FROM faults");
      return Promise.resolve();
    }

    changeSettings({ extra, ...change }: SettingsChange): Promise<SimulatorSettings> {
      const before = this.#settings;
      const changed = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      const after = { ...before, ...changed, extra: { ...before.extra, ...extra } };
      this.ctx.storage.kv.put(SETTINGS_KEY, after);
      return Promise.resolve(after);
    }

    endGrant(login: string): Promise<void> {
      if (this.#settings.extra["shared_app"] === true) {
        endGrant(this.#sim(this.#simulator), login);
      }
      return Promise.resolve();
    }

    revoke(account: string): Promise<boolean> {
      return Promise.resolve(this.#simulator.revoke(account, this.#sim(this.#simulator)));
    }
  };
}

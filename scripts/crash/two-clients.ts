import { sleep } from "../service.ts";
import type { ApiClient } from "./api-client.ts";
import type { Violation } from "./check-invariants.ts";

/** A workspace takes at most 1,000 drafts. */
const MAX_WRITES = 900;
const PAUSE_MS = 250;
const PAGE = 100;

interface Draft {
  readonly id: string;
  readonly caption: string;
}

/**
 * Two clients of one user with one key. Each writes into its own workspace, which every call names, while the active workspace is switched.
 * The caption of a draft is the workspace to which it belongs.
 */
export class TwoClients {
  readonly #client: ApiClient;
  readonly #key: string;
  readonly #workspaces: readonly [string, string];
  /** The drafts that were answered, by workspace. */
  readonly #answered = new Map<string, Set<string>>();

  private constructor(client: ApiClient, key: string, workspaces: readonly [string, string]) {
    this.#client = client;
    this.#key = key;
    this.#workspaces = workspaces;
  }

  static async create(client: ApiClient): Promise<TwoClients> {
    const user = await client.callUntilOk("POST", "/sandbox/users", {});
    const key = String(user["api_key"]);
    await client.call("POST", "/v1/workspaces", { name: "Second" }, key);
    const { workspaces } = await client.callUntilOk("GET", "/v1/workspaces", undefined, key);
    const [first, second] = workspaces as readonly { readonly id: string }[];
    if (!first || !second) {
      throw new Error("the user has no second workspace");
    }
    return new TwoClients(client, key, [first.id, second.id]);
  }

  /** Writes until the run ends. A write without an answer may have been done or not. */
  async run(isStopped: () => boolean): Promise<void> {
    for (let count = 0; count < MAX_WRITES && !isStopped(); count += 1) {
      const active = this.#workspaces[count % 2];
      await Promise.all([
        this.#client.call("POST", "/v1/workspaces/active", { workspace_id: active }, this.#key),
        ...this.#workspaces.map((id) => this.#write(id)),
      ]);
      await sleep(PAUSE_MS);
    }
  }

  async #write(workspace: string): Promise<void> {
    const outcome = await this.#client.call("POST", "/v1/drafts", { caption: workspace }, this.#key, workspace);
    if (outcome.answered && outcome.status === 201) {
      const known = this.#answered.get(workspace) ?? new Set<string>();
      this.#answered.set(workspace, known.add((outcome.body["draft"] as Draft).id));
    }
  }

  /** Every draft that was answered is in its own workspace, and in no other. */
  async findViolations(): Promise<readonly Violation[]> {
    const violations: Violation[] = [];
    for (const workspace of this.#workspaces) {
      const drafts = await this.#draftsIn(workspace);
      const ids = new Set(drafts.map(({ id }) => id));
      const foreign = drafts.filter(({ caption }) => caption !== workspace).length;
      const lost = [...(this.#answered.get(workspace) ?? [])].filter((id) => !ids.has(id)).length;
      if (foreign > 0 || lost > 0) {
        const what = `${foreign} drafts of the other client, ${lost} answered drafts missing`;
        violations.push({ invariant: "W1", marker: workspace, what });
      }
    }
    return violations;
  }

  async #draftsIn(workspace: string): Promise<readonly Draft[]> {
    const found: Draft[] = [];
    for (let hasMore = true; hasMore;) {
      const path = `/v1/drafts?limit=${PAGE}&offset=${found.length}`;
      const page = await this.#client.callUntilOk("GET", path, undefined, this.#key, workspace);
      found.push(...(page["drafts"] as Draft[]));
      hasMore = page["has_more"] === true;
    }
    return found;
  }
}

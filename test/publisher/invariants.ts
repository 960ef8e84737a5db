import { env } from "cloudflare:workers";
import type { PostStatus, TargetState } from "#core/status.ts";
import { isTerminal } from "#posting/state-machine.ts";
import type { Accepted } from "./fake-platform.ts";
import type { PublisherHarness } from "./publisher-harness.ts";

export interface Content {
  readonly caption: string;
  readonly scheduledAt: number;
}

export interface Promised {
  /** What may go out: the last content that was answered with a yes, and later ones whose answer was lost. */
  contents: Content[];
  readonly targets: number;
  cancelled: boolean;
}

export interface Row {
  readonly id: string;
  readonly status: PostStatus;
  readonly version: number;
  readonly watchAt: number | null;
  readonly caption: string;
  readonly targets: readonly (readonly [accountId: string, state: TargetState])[];
}

const ENDED: ReadonlySet<PostStatus> = new Set(["published", "partially_failed", "failed", "cancelled"]);
const COUNTED = ["scheduled", "publishing", "published", "partially_failed", "failed", "paused"] as const;

const SUMS = COUNTED.map((status) => `coalesce(sum(${status}), 0) AS ${status}`).join(", ");

type RawRow = Omit<Row, "targets"> & { readonly targets: string };

function toRows({ results }: D1Result<RawRow>): Row[] {
  return results.map((row) => ({ ...row, targets: JSON.parse(row.targets) as Row["targets"] }));
}

/** A broken promise ends the life it was found in. */
export function must(held: boolean, promise: string): void {
  if (!held) {
    throw new Error(`broken: ${promise}`);
  }
}

/** The invariants I1 to I11, compared with the platforms' book and the database after every step. */
export class Invariants {
  readonly posts = new Map<string, Promised>();
  private readonly before = new Map<string, Row>();
  private readonly judged = new Set<Accepted>();

  constructor(private readonly stage: PublisherHarness) {}

  async rows(): Promise<Row[]> {
    return toRows(await this.select().all<RawRow>());
  }

  private select(): D1PreparedStatement {
    return env.DB.prepare(
      `SELECT id, status, version, watch_at AS watchAt, caption,
         (SELECT json_group_array(json_array(account_id, state)) FROM post_targets t WHERE t.post_id = p.id) AS targets
       FROM posts p WHERE workspace_id = ? ORDER BY id`,
    ).bind(this.stage.ctx.actor.workspaceId);
  }

  /** `edited`: the step was the confirm of an edit, the only one that may open what had ended. */
  async check(edited: boolean): Promise<void> {
    const { workspaceId } = this.stage.ctx.actor;
    const [posts, kept] = await env.DB.batch([
      this.select(),
      env.DB.prepare(`SELECT ${SUMS} FROM post_days WHERE workspace_id = ?`).bind(workspaceId),
    ]);
    const rows = toRows(posts as D1Result<RawRow>);
    for (const row of rows) {
      const promised = this.posts.get(row.id);
      if (!promised) {
        throw new Error("broken: a post that nobody confirmed");
      }
      const before = this.before.get(row.id);
      this.before.set(row.id, row);
      this.checkPost(row, before, promised, edited);
      for (const [accountId, state] of row.targets) {
        const old = before?.targets.find(([id]) => id === accountId)?.[1];
        this.checkTarget({ row, accountId, state, old, promised, edited });
      }
    }
    for (const status of COUNTED) {
      const counter = (kept as D1Result<Record<string, number>>).results[0]?.[status];
      must(counter === rows.filter((row) => row.status === status).length, `I9: the counter of ${status}`);
    }
  }

  private checkPost(row: Row, before: Row | undefined, promised: Promised, edited: boolean): void {
    must(row.targets.length === promised.targets, "I8: a post has all its targets");
    const watched = row.status === "scheduled" || row.status === "publishing";
    must((row.watchAt !== null) === watched, `I10: watch_at of a ${row.status} post`);
    if (before) {
      must(row.version >= before.version, "I11: versions rise");
      const opened = edited && (before.status === "failed" || before.status === "partially_failed");
      must(row.status === before.status || !ENDED.has(before.status) || opened, `I11: ${before.status} stays`);
    }
  }

  private checkTarget(at: {
    row: Row;
    accountId: string;
    state: TargetState;
    old: TargetState | undefined;
    promised: Promised;
    edited: boolean;
  }): void {
    const { state, old, promised } = at;
    const book = this.stage.farEnd(at.accountId).accepted(at.row.id, at.accountId);
    must(book.length <= 1, "I1: at most once");
    if (old !== undefined && isTerminal(old) && state !== old) {
      must(at.edited && old === "failed", `I11: a target that is ${old} stays`);
    }
    must(state !== "published" || book.length === 1, "I6: published means accepted");
    must(state !== "failed" || book.length === 0, "I6: a definite failure means not accepted");
    // Judged when it appears: an edit may open the other targets of a post that is public in part.
    for (const entry of book.filter((one) => !this.judged.has(one))) {
      this.judged.add(entry);
      must(!promised.cancelled, "I3: nothing after a cancel");
      const content = promised.contents.filter((one) => one.caption === entry.caption);
      must(content.length > 0, `I4: "${entry.caption}" is what was promised`);
      must(entry.at >= Math.min(...content.map((one) => one.scheduledAt)), "I5: never early");
    }
  }
}

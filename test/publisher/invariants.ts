import { env } from "cloudflare:workers";
import type { PostStatus, TargetState } from "#core/status.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import type { AcceptedPost } from "./fake-platform.ts";
import type { PublisherHarness } from "./publisher-harness.ts";

export interface PostContent {
  readonly caption: string;
  readonly scheduledAt: number;
}

export interface ExpectedPost {
  /** What may be published: the last confirmed content, and later ones whose confirm got no answer. */
  contents: PostContent[];
  readonly targets: number;
  cancelled: boolean;
}

export interface PostRow {
  readonly id: string;
  readonly status: PostStatus;
  readonly version: number;
  readonly watchAt: number | null;
  readonly caption: string;
  readonly targets: readonly (readonly [accountId: string, state: TargetState])[];
}

const ENDED_STATUSES: ReadonlySet<PostStatus> = new Set(["published", "partially_failed", "failed", "cancelled"]);
const COUNTED_STATUSES = ["scheduled", "publishing", "published", "partially_failed", "failed", "paused"] as const;

const COUNTER_SUMS = COUNTED_STATUSES.map((status) => `coalesce(sum(${status}), 0) AS ${status}`).join(", ");

type RawRow = Omit<PostRow, "targets"> & { readonly targets: string };

function toRows({ results }: D1Result<RawRow>): PostRow[] {
  return results.map((row) => ({ ...row, targets: JSON.parse(row.targets) as PostRow["targets"] }));
}

export function assertInvariant(holds: boolean, invariant: string): void {
  if (!holds) {
    throw new Error(`invariant violated: ${invariant}`);
  }
}

/** Checks the invariants I1 to I11 of docs/guide/publishing-reference.md against the accepted posts and the database. */
export class Invariants {
  readonly posts = new Map<string, ExpectedPost>();
  private readonly previousRows = new Map<string, PostRow>();
  private readonly checkedPosts = new Set<AcceptedPost>();

  constructor(private readonly harness: PublisherHarness) {}

  async rows(): Promise<PostRow[]> {
    return toRows(await this.select().all<RawRow>());
  }

  private select(): D1PreparedStatement {
    return env.DB.prepare(
      `SELECT id, status, version, watch_at AS watchAt, caption,
         (SELECT json_group_array(json_array(account_id, state)) FROM post_targets t WHERE t.post_id = p.id) AS targets
       FROM posts p WHERE workspace_id = ? ORDER BY id`,
    ).bind(this.harness.ctx.actor.workspaceId);
  }

  /** `edited`: the command was the confirm of an edit, the only one that may reopen what had ended. */
  async check(edited: boolean): Promise<void> {
    const { workspaceId } = this.harness.ctx.actor;
    const [posts, counters] = await env.DB.batch([
      this.select(),
      env.DB.prepare(`SELECT ${COUNTER_SUMS} FROM post_days WHERE workspace_id = ?`).bind(workspaceId),
    ]);
    const rows = toRows(posts as D1Result<RawRow>);
    for (const row of rows) {
      const expected = this.posts.get(row.id);
      if (!expected) {
        throw new Error("invariant violated: a post exists that nobody confirmed");
      }
      const previous = this.previousRows.get(row.id);
      this.previousRows.set(row.id, row);
      this.checkPost(row, previous, expected, edited);
      for (const [accountId, state] of row.targets) {
        const old = previous?.targets.find(([id]) => id === accountId)?.[1];
        this.checkTarget({ row, accountId, state, old, expected, edited });
      }
    }
    for (const status of COUNTED_STATUSES) {
      const counter = (counters as D1Result<Record<string, number>>).results[0]?.[status];
      // A claim does not write the counters: they count a publishing post as scheduled.
      const counted = rows.filter((row) => (row.status === "publishing" ? "scheduled" : row.status) === status);
      assertInvariant(counter === counted.length, `I9: the counter of ${status}`);
    }
  }

  private checkPost(row: PostRow, previous: PostRow | undefined, expected: ExpectedPost, edited: boolean): void {
    assertInvariant(row.targets.length === expected.targets, "I8: a post has all its targets");
    const watched = row.status === "scheduled" || row.status === "publishing";
    assertInvariant((row.watchAt !== null) === watched, `I10: watch_at of a ${row.status} post`);
    if (previous) {
      assertInvariant(row.version >= previous.version, "I11: versions rise");
      const reopened = edited && (previous.status === "failed" || previous.status === "partially_failed");
      assertInvariant(
        row.status === previous.status || !ENDED_STATUSES.has(previous.status) || reopened,
        `I11: ${previous.status} stays`,
      );
    }
  }

  private checkTarget(change: {
    row: PostRow;
    accountId: string;
    state: TargetState;
    old: TargetState | undefined;
    expected: ExpectedPost;
    edited: boolean;
  }): void {
    const { state, old, expected } = change;
    const accepted = this.harness.platformOf(change.accountId).acceptedFor(change.row.id, change.accountId);
    assertInvariant(accepted.length <= 1, "I1: at most once");
    if (old !== undefined && isTerminal(old) && state !== old) {
      assertInvariant(change.edited && old === "failed", `I11: a target that is ${old} stays`);
    }
    assertInvariant(state !== "published" || accepted.length === 1, "I6: published means accepted");
    assertInvariant(state !== "failed" || accepted.length === 0, "I6: a definite failure means not accepted");
    // Checked once, when it appears: a later edit may reopen the other targets of a partially published post.
    for (const entry of accepted.filter((one) => !this.checkedPosts.has(one))) {
      this.checkedPosts.add(entry);
      assertInvariant(!expected.cancelled, "I3: nothing is published after a cancel");
      const content = expected.contents.filter((one) => one.caption === entry.caption);
      assertInvariant(content.length > 0, `I4: "${entry.caption}" is confirmed content`);
      assertInvariant(entry.acceptedAt >= Math.min(...content.map((one) => one.scheduledAt)), "I5: never early");
    }
  }
}

import type { PostStatus, TargetState } from "#core/status.ts";
import { completionEvent, POST_TRANSITIONS } from "#posts/rows/state-machine.ts";

/** A row with all its columns, as SQLite holds it. */
export type Row = Readonly<Record<string, string | number | bigint | null | Uint8Array>>;

export interface PostRow extends Row {
  readonly id: string;
  readonly status: PostStatus;
  readonly version: number;
  readonly watch_at: number | null;
  readonly finished_at: number | null;
  readonly updated_at: number;
}

export interface TargetRow extends Row {
  readonly account_id: string;
  readonly state: TargetState;
  readonly progress: string | null;
}

/** A post with everything that belongs to it. */
export interface WholePost {
  readonly post: PostRow;
  readonly targets: readonly TargetRow[];
  readonly media: readonly Row[];
}

/** States of rank 2 and above are final: not even a retry leads out. */
const FINALITY: Readonly<Record<PostStatus, number>> = {
  scheduled: 0,
  paused: 0,
  publishing: 0,
  failed: 1,
  partially_failed: 1,
  cancelled: 2,
  published: 3,
};

/** Of two states of one version, the later step of a run wins. */
const PROGRESS: Readonly<Record<PostStatus, number>> = {
  scheduled: 0,
  paused: 1,
  publishing: 2,
  failed: 3,
  partially_failed: 4,
  cancelled: 5,
  published: 5,
};

/** `skipped` says that nothing was sent, so a row that says something was sent wins over it. */
const CERTAINTY: Partial<Readonly<Record<TargetState, number>>> = {
  skipped: 1,
  failed: 1,
  unconfirmed: 2,
  published: 3,
};

const mayBePublic = ({ targets }: WholePost): boolean =>
  targets.some(({ state, progress }) => state === "published" || state === "unconfirmed" || progress !== null);

/**
 * Chooses the side whose content counts. `published` and `cancelled` win at any version. Otherwise the higher version wins, because reopening a
 * failed post raises it; at equal versions, the state that is further on. A tie keeps the restored side, since the user asked for it, except that a
 * run in progress comes from the present, because its object continues it.
 */
function isPresentLater(restored: WholePost, present: WholePost): boolean {
  const finality = (side: WholePost): number => {
    const rank = FINALITY[side.post.status];
    return rank < 2 ? 0 : rank;
  };
  // A post that is or may be partly public is never cancelled.
  const [a, b] = [restored, present].map((side, at, sides) => {
    const other = sides[1 - at];
    return side.post.status === "cancelled" && other !== undefined && mayBePublic(other) ? -1 : finality(side);
  });
  if (a !== b) {
    return (b ?? 0) > (a ?? 0);
  }
  if (restored.post.version !== present.post.version) {
    return present.post.version > restored.post.version;
  }
  const [was, is] = [PROGRESS[restored.post.status], PROGRESS[present.post.status]];
  return was === is ? present.post.status === "publishing" : is > was;
}

/** All targets of the later side, and those of the other side that are or may be public. */
function mergeTargets(later: readonly TargetRow[], earlier: readonly TargetRow[]): TargetRow[] {
  const rank = ({ state }: TargetRow): number => CERTAINTY[state] ?? 0;
  const known = new Map(earlier.filter((target) => rank(target) >= 2).map((target) => [target.account_id, target]));
  const merged = later.map((target) => {
    const other = known.get(target.account_id);
    known.delete(target.account_id);
    if (other === undefined) {
      return target;
    }
    return rank(other) > rank(target) ? other : target;
  });
  return [...merged, ...known.values()];
}

/** The status of a post that has nothing left to send, or that failed although a part of it is public. */
function settle(post: PostRow, targets: readonly TargetRow[]): PostRow {
  if (post.status === "failed" && targets.some(({ state }) => state === "published")) {
    return { ...post, status: "partially_failed" };
  }
  const isOpen = post.status === "scheduled" || post.status === "paused" || post.status === "publishing";
  const event = isOpen && targets.length > 0 ? completionEvent(targets.map(({ state }) => state)) : undefined;
  const status = event === undefined ? undefined : POST_TRANSITIONS.publishing[event];
  return status === undefined
    ? post
    : { ...post, status, paused_reason: null, watch_at: null, finished_at: post.finished_at ?? post.updated_at };
}

/**
 * Merges two states of a post: no version decreases, no final state is lost, and what is public stays recorded. Merging the result
 * with either state again changes nothing.
 */
export function mergePost(restored: WholePost, present: WholePost): WholePost {
  const isLater = isPresentLater(restored, present);
  const [later, earlier] = isLater ? [present, restored] : [restored, present];
  const targets = mergeTargets(later.targets, earlier.targets);
  const version = Math.max(restored.post.version, present.post.version);
  return { post: settle({ ...later.post, version }, targets), targets, media: later.media };
}

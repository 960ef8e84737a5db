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

/** From 2 on no event leads out: neither a retry nor anything else. */
const FINALITY: Readonly<Record<PostStatus, number>> = {
  scheduled: 0,
  paused: 0,
  publishing: 0,
  failed: 1,
  partially_failed: 1,
  cancelled: 2,
  published: 3,
};

/** Of one version: what a run has come to since goes before what it started from. */
const PROGRESS: Readonly<Record<PostStatus, number>> = {
  scheduled: 0,
  paused: 1,
  publishing: 2,
  failed: 3,
  partially_failed: 4,
  cancelled: 5,
  published: 5,
};

/** Of two rows of a target: `skipped` says that nothing was sent, so that it gives way to what says that something was. */
const CERTAINTY: Partial<Readonly<Record<TargetState, number>>> = {
  skipped: 1,
  failed: 1,
  unconfirmed: 2,
  published: 3,
};

const mayBePublic = ({ targets }: WholePost): boolean =>
  targets.some(({ state, progress }) => state === "published" || state === "unconfirmed" || progress !== null);

/**
 * Which side's content counts. `published` and `cancelled` are final, whatever the versions say; a failed post can be opened again, which raises its
 * version, so that the higher version counts; of one version the state that is further on. What is equal in all of this stays as it was restored, for
 * that is what the restore is for; only a run in progress is taken from the present, because its object goes on with it.
 */
function isPresentLater(restored: WholePost, present: WholePost): boolean {
  const finality = (side: WholePost): number => {
    const rank = FINALITY[side.post.status];
    return rank < 2 ? 0 : rank;
  };
  // A post of which something is public, or may be, is never cancelled.
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

/** Every target of the later side, and of the other one what is known to be public, or may be. */
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

/** The status of a post none of whose targets is left to be sent, and of a failed one of which something is public. */
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
 * One post out of two states of it: no version falls, no end is lost, what is public stays recorded. Merging the result with either of
 * them changes nothing.
 */
export function mergePost(restored: WholePost, present: WholePost): WholePost {
  const isLater = isPresentLater(restored, present);
  const [later, earlier] = isLater ? [present, restored] : [restored, present];
  const targets = mergeTargets(later.targets, earlier.targets);
  const version = Math.max(restored.post.version, present.post.version);
  return { post: settle({ ...later.post, version }, targets), targets, media: later.media };
}

import { eventId } from "#events/event-id.ts";
import type { Violation } from "./check-invariants.ts";
import type { DatabaseState, LoggedEvent, StoredPost } from "./read-database.ts";

/** A webhook as it arrived at its receiver. */
export interface ReceivedEvent {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly body: string;
  /** The arrival in milliseconds since 1970. */
  readonly at: number;
  /** The status that the receiver answered; null when it did not answer. */
  readonly answered: number | null;
}

/** A webhook of the crash test, with everything that its receiver got, in the order in which it arrived. */
export interface HookState {
  readonly name: string;
  readonly webhookId: string;
  readonly workspaceId: string;
  /** Whether the receiver sees every first try. The order is checked only then, because a lost try hides it. */
  readonly isOrdered: boolean;
  readonly received: readonly ReceivedEvent[];
}

const ENDED_POST = new Set(["published", "partially_failed", "failed", "cancelled"]);
const ENDED_TARGET = new Set(["published", "failed", "unconfirmed"]);
const GONE = 410;
/**
 * The milliseconds after an answer 410 in which requests already under way, and their retries after a kill, may still
 * arrive.
 */
const GONE_GRACE_MS = 15_000;

export const isAccepted = ({ answered }: Pick<ReceivedEvent, "answered">): boolean =>
  answered !== null && answered >= 200 && answered < 300;

interface MissingEvent {
  readonly hook: HookState;
  readonly event: LoggedEvent;
}

/** Events up to an instant that a receiver has never accepted; a disabled webhook waits for none. */
export function findMissing(
  { events, disabledWebhooks }: DatabaseState,
  hooks: readonly HookState[],
  until: number,
): readonly MissingEvent[] {
  return hooks
    .filter(({ webhookId }) => !disabledWebhooks.has(webhookId))
    .flatMap((hook) => {
      const { webhookId, workspaceId, received } = hook;
      const accepted = new Set(received.filter(isAccepted).map(({ id }) => id));
      return events
        .filter((event) => event.workspaceId === workspaceId && event.at <= until && event.subjectId !== webhookId)
        .filter((event) => !accepted.has(eventId(event)))
        .map((event) => ({ hook, event }));
    });
}

const describeMissing = ({ hook, event }: MissingEvent, how: string): Violation => ({
  invariant: "W1",
  marker: hook.name,
  what: `${event.type} ${eventId(event)} of ${event.subjectId} ${how}`,
});

/**
 * An event counts as skipped when OVERTAKEN_BY deliveries arrived more than this many milliseconds after its last try. A
 * kill does not explain such a delay.
 */
const OVERTAKEN_AFTER_MS = 20_000;
const OVERTAKEN_BY = 10;

/** Finds events that a receiver never accepted although it accepted later ones (W1). Works during the run. */
export function findOvertaken(database: DatabaseState, hooks: readonly HookState[]): Violation[] {
  return findMissing(database, hooks, Date.now()).flatMap((missing) => {
    const { hook, event } = missing;
    const lastTryAt = hook.received.findLast(({ id }) => id === eventId(event))?.at ?? event.at;
    const later = hook.received.filter(({ at }) => at > lastTryAt + OVERTAKEN_AFTER_MS).length;
    return later >= OVERTAKEN_BY ? [describeMissing(missing, `was overtaken by ${later} deliveries`)] : [];
  });
}

/** Checks the deliveries of a hook: invented events (W2), different bodies of one event (W2), a wrong order (W4), tries after a 410 (W5). */
function checkHook(hook: HookState, events: ReadonlyMap<string, LoggedEvent>): Violation[] {
  const violations: Violation[] = [];
  const report = (invariant: string, what: string): void => {
    violations.push({ invariant, marker: hook.name, what });
  };
  const bodies = new Map<string, string>();
  const newestOf = new Map<string, LoggedEvent>();
  const goneAt = hook.received.find(({ answered }) => answered === GONE)?.at;
  for (const { id, body, at } of hook.received) {
    const event = events.get(id);
    if (goneAt !== undefined && at > goneAt + GONE_GRACE_MS) {
      report("W5", `${id} was sent ${at - goneAt} ms after the receiver had answered 410`);
    }
    if (event?.workspaceId !== hook.workspaceId) {
      report("W2", `${id} was told and never happened`);
      continue;
    }
    const first = bodies.get(id);
    if (first !== undefined) {
      if (first !== body) {
        report("W2", `${id} was sent with two different bodies`);
      }
      continue;
    }
    bodies.set(id, body);
    const told = JSON.parse(body) as { id: string; seq: number; type: string; workspace_id: string; timestamp: string };
    const { seq, type, workspaceId } = event;
    const isTrue =
      told.id === id &&
      told.seq === seq &&
      told.type === type &&
      told.workspace_id === workspaceId &&
      Date.parse(told.timestamp) === event.at;
    if (!isTrue) {
      report("W2", `${id} is ${type} and was told as ${body.slice(0, 200)}`);
    }
    const newest = newestOf.get(event.subjectId);
    if (newest !== undefined && newest.seq > seq && hook.isOrdered) {
      report("W4", `${type} ${seq} of ${event.subjectId} arrived after ${newest.type} ${newest.seq}`);
    } else {
      newestOf.set(event.subjectId, event);
    }
  }
  return violations;
}

/** Compares the events of a post with the changes in its row, which are written independently: each change must have exactly one event. */
function checkPost(post: StoredPost, events: readonly LoggedEvent[]): string[] {
  const problems: string[] = [];
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  const expectCount = (type: string, expected: number): void => {
    if (count(type) !== expected) {
      problems.push(`${count(type)} of ${type} instead of ${expected}`);
    }
  };
  const done = (what: string): number => post.changes.filter((change) => change === what).length;
  expectCount("post.scheduled", 1);
  expectCount("post.updated", done("edited"));
  expectCount("post.paused", done("paused"));
  expectCount("post.resumed", done("resumed"));
  expectCount("post.cancelled", done("cancelled"));
  if (events[0]?.type !== "post.scheduled") {
    problems.push(`it begins with ${events[0]?.type}`);
  }
  for (const { accountId, state } of post.targets) {
    const ends = events.filter((event) => event.accountId === accountId).map(({ type }) => type);
    const expected = ENDED_TARGET.has(state) ? `target.${state}` : "";
    if (ends.join() !== expected) {
      problems.push(`its target is ${state} and was told as ${ends.join() || "nothing"}`);
    }
  }
  const last = events.at(-1)?.type;
  if (
    ENDED_POST.has(post.status) ? last !== `post.${post.status}` : ENDED_POST.has(last?.slice("post.".length) ?? "")
  ) {
    problems.push(`it is ${post.status} and the last event is ${last}`);
  }
  return problems;
}

/**
 * Compares what receivers got with the log of events, and the log with the posts: an event that no receiver accepted (W1), one that
 * never happened (W2), a change without its event or an event without its change (W3), a wrong order (W4), tries after 410 (W5).
 */
export function findEventViolations(
  database: DatabaseState,
  hooks: readonly HookState[],
  /** The time until which events must have arrived. Later events may still be on their way. */
  deliveredUntil: number,
): Violation[] {
  const eventsById = new Map(database.events.map((event) => [eventId(event), event]));
  const eventsOf = Map.groupBy(database.events, ({ subjectId }) => subjectId);
  const recorded = new Set(hooks.map(({ workspaceId }) => workspaceId));
  return [
    ...findMissing(database, hooks, deliveredUntil).map((missing) => describeMissing(missing, "never arrived")),
    ...hooks.flatMap((hook) => checkHook(hook, eventsById)),
    ...database.posts
      .filter(({ workspaceId }) => recorded.has(workspaceId))
      .flatMap((post) =>
        checkPost(post, eventsOf.get(post.id) ?? []).map((what) => ({ invariant: "W3", marker: post.id, what })),
      ),
    ...database.events
      .filter(({ workspaceId }) => !recorded.has(workspaceId))
      .map(({ type, seq }) => ({
        invariant: "W3",
        marker: String(seq),
        what: `${type} of a workspace without a hook`,
      })),
  ];
}

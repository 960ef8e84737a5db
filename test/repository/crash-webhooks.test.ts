import { describe, expect, test } from "vitest";
import { eventId } from "#events/event-id.ts";
import {
  findEventViolations,
  findOvertaken,
  type HookState,
  type ReceivedEvent,
} from "../../scripts/crash/check-events.ts";
import type { DatabaseState, LoggedEvent, StoredPost } from "../../scripts/crash/read-database.ts";

/* What the crash test says of webhooks, shown with states that are right and such that are not. */

const WORKSPACE = "018f3b6e-7b2a-7c11-8b7e-000000000001";
const POST = "018f3b6e-7b2a-7c11-8b7e-000000000002";

function event(seq: number, type: LoggedEvent["type"], accountId: string | null = null): LoggedEvent {
  return { workspaceId: WORKSPACE, seq, type, subjectId: POST, at: seq * 10, accountId };
}

const EVENTS = [
  event(1, "post.scheduled"),
  event(2, "post.updated"),
  event(3, "target.published", "a"),
  event(4, "target.failed", "b"),
  event(5, "post.partially_failed"),
];

const post: StoredPost = {
  id: POST,
  workspaceId: WORKSPACE,
  status: "partially_failed",
  changes: ["edited"],
  targets: [
    { accountId: "a", state: "published" },
    { accountId: "b", state: "failed" },
  ],
};

const stateOf = (events: readonly LoggedEvent[], change: Partial<StoredPost> = {}): DatabaseState => ({
  events,
  posts: [{ ...post, ...change }],
  disabledWebhooks: new Set(),
});

function arrival(of: LoggedEvent, change: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const id = eventId(of);
  const { seq, type, workspaceId, at } = of;
  const timestamp = new Date(at).toISOString();
  return {
    id,
    body: JSON.stringify({ id, seq, type, workspace_id: workspaceId, timestamp }),
    at,
    answered: 200,
    ...change,
  };
}

const hookWith = (received: readonly ReceivedEvent[], change: Partial<HookState> = {}): HookState => ({
  name: "hook",
  webhookId: "webhook",
  workspaceId: WORKSPACE,
  isOrdered: true,
  received,
  ...change,
});

const all = EVENTS.map((one) => arrival(one));
const violationsOf = (state: DatabaseState, hooks: readonly HookState[], until = 1000): readonly string[] =>
  findEventViolations(state, hooks, until).map(({ invariant, what }) => `${invariant} ${what}`);

describe("a run in which every change was told", () => {
  test("has no violation", () => {
    expect(violationsOf(stateOf(EVENTS), [hookWith(all)])).toEqual([]);
  });

  test("may tell an event several times, and after a failure", () => {
    const failed = [arrival(EVENTS[0]!, { answered: 500 }), arrival(EVENTS[1]!, { answered: null }), ...all];
    expect(violationsOf(stateOf(EVENTS), [hookWith(failed)])).toEqual([]);
  });

  test("need not have told what has just happened, nor anything to a hook that was disabled", () => {
    expect(violationsOf(stateOf(EVENTS), [hookWith(all.slice(0, 3))], 30)).toEqual([]);
    const disabled = { ...stateOf(EVENTS), disabledWebhooks: new Set(["webhook"]) };
    expect(violationsOf(disabled, [hookWith([])])).toEqual([]);
  });
});

describe("what arrived", () => {
  test.each([
    ["nothing", all.slice(0, 4)],
    ["only a try that failed", [...all.slice(0, 4), arrival(EVENTS[4]!, { answered: 503 })]],
    ["only a try without an answer", [...all.slice(0, 4), arrival(EVENTS[4]!, { answered: null })]],
  ])("%s of an event is W1", (_, received) => {
    const violations = violationsOf(stateOf(EVENTS), [hookWith(received)]);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(/^W1 post\.partially_failed evt_/);
  });

  test("of an event that never happened is W2", () => {
    const violations = violationsOf(stateOf(EVENTS), [hookWith([...all, arrival(event(9, "post.failed"))])]);
    expect(violations).toEqual([expect.stringMatching(/^W2 .* never happened$/)]);
  });

  test("of another workspace is W2", () => {
    const hook = hookWith(all, { workspaceId: "018f3b6e-7b2a-7c11-8b7e-000000000009" });
    expect(violationsOf(stateOf(EVENTS), [hookWith(all), hook])).toContainEqual(expect.stringMatching(/^W2 /));
  });

  test("with another body than before, or than the event's, is W2", () => {
    const changed = arrival(EVENTS[0]!, { body: "{}" });
    expect(violationsOf(stateOf(EVENTS), [hookWith([...all, changed])])).toEqual([
      expect.stringMatching(/^W2 .* two different bodies$/),
    ]);
    expect(violationsOf(stateOf(EVENTS), [hookWith([changed, ...all.slice(1)])])).toEqual([
      expect.stringMatching(/^W2 .* was told as/),
    ]);
  });

  test("in another order is W4, but not where a receiver loses first tries, nor for a retry", () => {
    const swapped = [all[1]!, all[0]!, ...all.slice(2)];
    expect(violationsOf(stateOf(EVENTS), [hookWith(swapped)])).toEqual([expect.stringMatching(/^W4 post\.scheduled/)]);
    expect(violationsOf(stateOf(EVENTS), [hookWith(swapped, { isOrdered: false })])).toEqual([]);
    const retried = [arrival(EVENTS[0]!, { answered: 500 }), ...all.slice(1), all[0]!];
    expect(violationsOf(stateOf(EVENTS), [hookWith(retried)])).toEqual([]);
  });

  test("long after a 410 is W5", () => {
    const gone = [arrival(EVENTS[0]!, { answered: 410 }), arrival(EVENTS[1]!, { at: 60_000 })];
    const state = { ...stateOf(EVENTS), disabledWebhooks: new Set(["webhook"]) };
    expect(violationsOf(state, [hookWith(gone)])).toEqual([expect.stringMatching(/^W5 .* after the receiver/)]);
  });
});

describe("while the run goes on", () => {
  /** The third event is missing, and so many tries of the first one go on arriving. */
  const overtaken = (count: number, at: number, change: Partial<ReceivedEvent>[] = []) => [
    ...all.toSpliced(2, 1),
    ...change.map((one) => arrival(EVENTS[2]!, { answered: 500, ...one })),
    ...Array.from({ length: count }, () => arrival(EVENTS[0]!, { at })),
  ];
  const found = (received: readonly ReceivedEvent[]) => findOvertaken(stateOf(EVENTS), [hookWith(received)]);

  test("an event is lost once ten others arrive twenty seconds after it should have", () => {
    expect(found(overtaken(10, 20_031))).toMatchObject([{ invariant: "W1", what: expect.stringMatching(/^target\./) }]);
  });

  test("not before, not with fewer, and not while it is tried again", () => {
    expect(found(overtaken(10, 20_030))).toEqual([]);
    expect(found(overtaken(9, 20_031))).toEqual([]);
    expect(found(overtaken(10, 20_031, [{ at: 5000 }]))).toEqual([]);
    expect(found(all)).toEqual([]);
  });
});

describe("the log against the posts", () => {
  test.each([
    ["a change without its event", EVENTS.filter(({ type }) => type !== "post.updated"), {}],
    ["a post that was never scheduled", EVENTS.slice(1), {}],
    ["an event twice", [event(0, "post.scheduled"), ...EVENTS], {}],
    ["a target that ended without its event", EVENTS.filter(({ accountId }) => accountId !== "b"), {}],
    ["a target that was told otherwise", EVENTS, { targets: [{ accountId: "a", state: "unconfirmed" }] }],
    ["a post that ended without its event", EVENTS.slice(0, 4), {}],
    ["an end without its post", EVENTS, { status: "publishing" }],
    ["a cancel without its event", EVENTS, { status: "cancelled", changes: ["edited", "cancelled"] as const }],
    ["an edit that was none", EVENTS, { changes: [] }],
  ] as const)("%s is W3", (_, events, change) => {
    const violations = violationsOf(stateOf(events, change), [hookWith(events.map((one) => arrival(one)))]);
    expect(violations).not.toEqual([]);
    expect(violations.every((violation) => violation.startsWith("W3 "))).toBe(true);
  });

  test("an event of a workspace without a hook is W3", () => {
    const other = { ...event(1, "post.scheduled"), workspaceId: "other", subjectId: "other" };
    expect(violationsOf(stateOf([...EVENTS, other]), [hookWith(all)])).toEqual([expect.stringMatching(/^W3 /)]);
  });
});

import type { Patch } from "../source-copy.ts";

/** One mechanism that a copy of the source code lacks: shows that the crash test detects when it is missing. */
export interface Mutant extends Patch {
  readonly what: string;
  /** The violations that its absence must cause; a post that only takes long does not count. */
  readonly expectedViolations?: readonly RegExp[];
  /** The test that catches the mutant, by its file and a part of its full name, if a crash run would take too long. */
  readonly test?: { readonly file: string; readonly title: string };
  /** Where only one failpoint reveals the missing mechanism: it always fails, and there are no kills. */
  readonly failpoint?: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "blind-retry",
    what: "an uncertain answer is followed by another send instead of a verification",
    // A crash run of a minute ends before the other send on a busy machine.
    test: { file: "test/publisher/failure-matrix.test.ts", title: "C15" },
    changes: [{ before: `return afterVerify({ ...run, state: "verifying" }, { state: "absent" }, ctx);` }],
  },
  {
    name: "slot-guard",
    what: "the confirm's batch counts a slot as free that another post has taken since the preview",
    test: { file: "test/api/schedule/slot-next.test.ts", title: "20 confirms at once make one post" },
    changes: [{ from: "count(*)", to: "${times.length} + 0 * count(*)" }],
  },
  {
    name: "thread-no-look",
    what: "a part of a thread whose answer was lost is sent again without a look",
    test: { file: "test/platforms/x/thread.test.ts", title: "whose call 3 is lost" },
    changes: [{ instead: `return { state: "absent" };` }],
  },
  {
    name: "thread-absent-too-soon",
    what: "a part of a thread is absent when one list lacks it",
    test: { file: "test/platforms/x/thread.test.ts", title: "absent only after two whole lists" },
    changes: [{ before: "return decideMissingReply(job, commitRef, committedAt);" }],
  },
  {
    name: "thread-container-no-look",
    what: "a part of a thread is prepared and sent again where its container was published",
    test: { file: "test/platforms/threads/thread.test.ts", title: "each of whose calls is lost once" },
    changes: [{ before: `if (currentThreadPart(job)) { return { state: "stale", detail: "" }; }` }],
  },
  {
    name: "lost-thread-one-look",
    what: "a thread without its journal goes on when one list lacks a part",
    test: { file: "test/platforms/threads/thread.test.ts", title: "the thread goes on after two looks" },
    changes: [{ before: "return nextThreadPart(progress, nextRef);" }],
  },
  {
    name: "thread-one-record-key",
    what: "every part of a thread on Bluesky has the record key of the post",
    test: {
      file: "test/publisher/thread-resume.test.ts",
      title: "at commit.before_intent of part 2",
    },
    changes: [
      {
        from: "publishedThreadParts(target.progress ?? null).length",
        to: "0 * publishedThreadParts(target.progress ?? null).length",
      },
    ],
  },
  {
    name: "thread-one-idempotency-key",
    what: "every part of a thread on Mastodon has the idempotency key of the post",
    test: {
      file: "test/publisher/thread-resume.test.ts",
      title: "at commit.before_intent of part 2",
    },
    changes: [
      { from: "publishedThreadParts(job.progress).length", to: "0 * publishedThreadParts(job.progress).length" },
    ],
  },
  {
    name: "comment-no-look",
    what: "a first comment whose answer was lost is sent again without a look",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "while the first comment is sent" },
    changes: [{ from: "if (", to: "if (true || " }],
  },
  {
    name: "comment-absent-too-soon",
    what: "a first comment is absent when one list lacks it",
    test: { file: "test/platforms/youtube/comment.test.ts", title: "only after two whole lists" },
    changes: [{ before: `return tryAgain(job, state, extra, NO_ANSWER, "failed");` }],
  },
  {
    name: "comment-after-lost-journal",
    what: "what may have been sent by a run whose journal was lost is sent without a look",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "while the first comment is sent" },
    changes: [{ from: "if (", to: "if (false && " }],
  },
  {
    name: "extra-without-end",
    what: "the tries of an extra are not counted",
    test: { file: "test/platforms/youtube/cover.test.ts", title: "the fifth try is the last" },
    changes: [{ from: "state.tries", to: "0" }],
  },
  {
    name: "no-journal",
    what: "the intent to send is not written to the journal",
    expectedViolations: [/^I1 /],
    changes: [{ instead: "" }],
  },
  {
    name: "no-compare-and-set",
    what: "a claim does not check the status of the post",
    expectedViolations: [/^I3 /],
    changes: [
      { at: "claim-cancelled", from: "status = 'scheduled'", to: "status IN ('scheduled', 'cancelled')" },
      // Disarming only saves a wake-up; correctness must not depend on it.
      { at: "no-disarm", instead: "" },
    ],
  },
  {
    name: "no-edit-guard",
    what: "an edit does not check whether the post changed since the preview",
    expectedViolations: [/^I[146] /],
    changes: [{ from: " AND p.version = previewed.value ->> 1 AND p.status = previewed.value ->> 2", to: "" }],
  },
  {
    name: "no-reconciler",
    what: "the reconciler does not arm overdue posts",
    expectedViolations: [/^I2 still scheduled/],
    // Confirms do not arm their posts, so that publishing depends on the reconciler.
    failpoint: "arm.before",
    changes: [
      { from: "=> ", to: "=> false && " },
      { at: "no-rearming", before: "return;" },
    ],
  },
  {
    name: "cancel-without-check",
    what: "a cancel does not check whether the post has started to publish",
    expectedViolations: [/^I3 /],
    changes: [{ from: "p.status", to: "p.status IN ('publishing', 'published') OR p.status" }],
  },
  {
    name: "one-second-early",
    what: "the visible call leaves one second before the due time",
    expectedViolations: [/^I5 /],
    changes: [
      { before: "dueAt -= 1000;" },
      { at: "no-hold-of-targets", from: "activeRun.dueAt", to: "activeRun.dueAt - 1000" },
    ],
  },
  {
    name: "no-hold",
    what: "the visible call leaves as soon as the post is claimed",
    expectedViolations: [/^I5 /],
    changes: [{ before: "return true;" }, { at: "no-hold-of-targets", instead: "return run.wakeAt;" }],
  },
  {
    name: "claim-at-any-time",
    what: "a claim does not check how far ahead the post is due",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "claims nothing more than two seconds early" },
    changes: [{ from: "now + ", to: "now + 1000 * " }],
  },
  {
    name: "claim-forgets-its-id",
    what: "an object that is armed again forgets the run id under which its claim may have been sent",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "armed again after a lost answer" },
    changes: [{ from: "runId: ", to: "runId: false && " }],
  },
  {
    name: "run-lends-its-id",
    what: "an object that is armed again keeps the run id under which its last run may have sent",
    test: { file: "test/publisher/database-restore.test.ts", title: "an object that is armed for a retry" },
    changes: [{ from: `=== "armed"`, to: "!== undefined" }],
  },
  {
    name: "result-lost-with-error",
    what: "a result that D1 did not take is forgotten with the memory of the object",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "a result that D1 does not take is kept" },
    changes: [{ instead: "" }],
  },
  {
    name: "send-after-acceptance",
    what: "a definite acceptance is followed by another send",
    expectedViolations: [/^I1 /],
    changes: [
      { instead: `return transition(run, ctx, "retry_wait", "commit", "published", { wakeAt: ctx.now + 1000 });` },
    ],
  },
  {
    name: "token-in-log",
    what: "the service logs the access token with which it calls a platform",
    expectedViolations: [/^leak/],
    changes: [{ before: `console.log(request.headers.get("authorization"));` }],
  },
  {
    name: "take-over-keeps-run-id",
    what: "a run that takes over a lost one keeps its own id, which it may have claimed with",
    test: { file: "test/publisher/double-failures.test.ts", title: "accepted at most once" },
    changes: [{ instead: "const newRunId = runId;" }],
  },
  {
    name: "take-over-sends-blind",
    what: "a run that takes over a lost one sends without looking whether that one has sent",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "C19 the storage of a run is lost" },
    changes: [{ from: "if (", to: "if (false && " }],
  },
  {
    name: "results-of-any-run",
    what: "a run that was taken over writes its results over those of its successor",
    test: { file: "test/publisher/run/store-run.test.ts", title: "results of another run change nothing" },
    changes: [{ from: "run_id = ?2", to: "?2 = ?2" }],
  },
  {
    name: "unanswered-lookup-as-absence",
    what: "a platform that cannot say yet whether it has the post counts as one that does not have it",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "C31" },
    changes: [{ before: `if (!outcome.isProcessing) { return afterVerify(waiting, { state: "absent" }, ctx); }` }],
  },
  {
    name: "part-sent-twice",
    what: "after the first of several visible calls the target stays where it was, so that the same part is sent again",
    test: { file: "test/publisher/run/next-step.test.ts", title: "stores each part before the next call" },
    changes: [
      {
        before:
          "part = { ...part, ref: run.prepared?.ref ?? null, prepareFirst: run.prepared === null, progress: run.progress };",
      },
    ],
  },
  {
    name: "unconfirmed-content",
    what: "rows that are not what was confirmed are sent (media swapped after the confirm)",
    test: { file: "test/publisher/double-failures.test.ts", title: "that never reached the platform is not sent" },
    changes: [{ before: "return true;" }],
  },
  {
    name: "old-preparation",
    what: "what was prepared for the version before an edit is published",
    test: {
      file: "test/publisher/post-runner.test.ts",
      title: "after an edit that the object missed, nothing prepared for the old version is published",
    },
    changes: [{ before: "if (entry) { return withStoredHistory(entry.run, target); }" }],
  },
  {
    name: "reconciler-arms-cancelled",
    what: "the reconciler still watches and arms cancelled posts",
    test: {
      file: "test/post-status/status/cancel-pause-resume.test.ts",
      title: "removes the post from every list, but it can still be read by its id",
    },
    changes: [{ from: ", watch_at = NULL", to: "" }],
  },
  {
    name: "edit-does-not-arm",
    what: "a confirmed edit does not tell the object its new time",
    test: {
      file: "test/planning/edit/edit-scheduled-posts.test.ts",
      title: "a new caption applies to targets without their own caption",
    },
    changes: [{ from: "=> ", to: `=> plan.kind === "schedule" && ` }],
  },
  {
    name: "lost-token-refresh",
    what: "the tokens that a refresh returned are not stored",
    test: { file: "test/accounts/account-access.test.ts", title: "is refreshed once for fifty parallel callers" },
    changes: [{ from: "await replaceTokens", to: "row ?? await replaceTokens" }],
  },
  {
    name: "event-after-batch",
    what: "the event of a new post is written when its object is armed, not in the batch that writes the post",
    expectedViolations: [/^W3 /],
    changes: [
      { at: "CREATE TRIGGER event_post_scheduled", from: "AFTER INSERT", to: "AFTER UPDATE OF watch_at" },
      {
        at: "CREATE TRIGGER event_post_scheduled",
        from: "WHEN ",
        to: "WHEN NOT EXISTS (SELECT 1 FROM events e WHERE e.workspace_id = NEW.workspace_id AND e.subject_id = NEW.id) AND ",
      },
    ],
  },
  {
    name: "cursor-before-delivery",
    what: "the cursor of a sender moves before the deliveries are stored",
    expectedViolations: [/^W1 /],
    changes: [
      {
        before: `if (last !== undefined) {
  store.putCursor({ seq: last.seq, isEvent: true, checkedTo: state.checkedTo });
  await failpoint("webhook.between");
}`,
      },
    ],
  },
  {
    name: "no-webhook-reconciler",
    what: "the cron does not wake senders whose workspace has new events",
    expectedViolations: [/^W1 /],
    // No change wakes a sender, so that delivery depends on the cron.
    failpoint: "webhook.before_wake",
    changes: [{ from: "=> ", to: "=> false && " }],
  },
  {
    name: "delivered-before-sent",
    what: "a delivery is recorded as delivered before it is sent",
    expectedViolations: [/^W1 /],
    changes: [
      {
        before: `const early = { at: this.now(), durationMs: 0, status: 200, error: null, response: "" };
this.store.recordTry(n, early, { status: "delivered", failures: 0, nextTryAt: null, isSuccess: true });`,
      },
    ],
  },
  {
    name: "newest-event-first",
    what: "the first tries of a post leave with the newest event first",
    expectedViolations: [/^W4 /],
    changes: [{ from: "findIndex", to: "findLastIndex" }],
  },
];

/** In a crash run, deliveries are retried after seconds, because three days are too long. */
export const QUICK_RETRIES: Patch = {
  name: "quick-retries",
  changes: [{ from: ";", to: " && 700 + 300 * input.failures;" }],
};

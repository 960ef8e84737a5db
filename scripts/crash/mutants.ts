import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DOCUMENT_FILES, DOCUMENT_FOLDERS } from "../build/documents.ts";

/** One mechanism removed from a copy of the source code: shows that the crash test detects when it is missing. */
export interface Mutant {
  readonly name: string;
  readonly what: string;
  /** The violations that its absence must cause; a post that only takes long does not count. */
  readonly expectedViolations?: readonly RegExp[];
  /** For what no crash run reveals in reasonable time: the test that reveals it, by its file and a part of its full name. */
  readonly test?: { readonly file: string; readonly title: string };
  /** Where only one failpoint reveals the missing mechanism: it always fails, and there are no kills. */
  readonly failpoint?: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "blind-retry",
    what: "an uncertain answer is followed by another send instead of a verification",
    // A crash run of a minute ends before the other send on a busy machine.
    test: { file: "test/publisher/failure-matrix.test.ts", title: "C15" },
    changes: [
      {
        file: "src/publisher/run/next-step.ts",
        from: `    case "uncertain":\n      return markUncertain(`,
        to: `    case "uncertain":\n      return afterVerify({ ...run, state: "verifying" }, { state: "absent" }, ctx);\n      return markUncertain(`,
      },
    ],
  },
  {
    name: "slot-guard",
    what: "the confirm's batch counts a slot as free that another post has taken since the preview",
    test: { file: "test/api/schedule/slot-next.test.ts", title: "20 confirms at once make one post" },
    changes: [
      {
        file: "src/confirming/commit/store-commit-plan.ts",
        from: '` + (SELECT count(*) FROM (${freeSlotsSql("?2", slotsParameter)}))`',
        to: "` + ${times.length} + 0 * length(${slotsParameter})`",
      },
    ],
  },
  {
    name: "thread-no-look",
    what: "a part of a thread whose answer was lost is sent again without a look",
    test: { file: "test/platforms/x/thread.test.ts", title: "whose call 3 is lost" },
    changes: [
      {
        file: "src/platforms/x/verify.ts",
        from: "    return await verifyReply(client, job, commitRef, { ...part, replyTo: part.replyTo });\n",
        to: '    return { state: "absent" };\n',
      },
    ],
  },
  {
    name: "thread-absent-too-soon",
    what: "a part of a thread is absent when one list lacks it",
    test: { file: "test/platforms/x/thread.test.ts", title: "absent only after two whole lists" },
    changes: [
      {
        file: "src/platforms/x/verify.ts",
        from: "  if (missingSince === null || missingSince < lastSentAt) {\n",
        to: "  if (missingSince === null || missingSince < lastSentAt) {\n    return decideMissingReply(job, commitRef, committedAt);\n",
      },
    ],
  },
  {
    name: "thread-container-no-look",
    what: "a part of a thread is prepared and sent again where its container was published",
    test: { file: "test/platforms/threads/thread.test.ts", title: "each of whose calls is lost once" },
    changes: [
      {
        file: "src/platforms/threads/verify.ts",
        from: "  const part = currentThreadPart(job);\n  const post = jobOfPart(job);\n",
        to: '  const part = currentThreadPart(job);\n  if (part) {\n    return { state: "stale", detail: "" };\n  }\n  const post = jobOfPart(job);\n',
      },
    ],
  },
  {
    name: "lost-thread-one-look",
    what: "a thread without its journal goes on when one list lacks a part",
    test: { file: "test/platforms/threads/thread.test.ts", title: "the thread goes on after two looks" },
    changes: [
      {
        file: "src/platforms/verify-thread.ts",
        from: "  if (earlier?.foundParts !== foundParts) {\n",
        to: "  if (earlier?.foundParts !== foundParts) {\n    return nextThreadPart(progress, nextRef);\n",
      },
    ],
  },
  {
    name: "comment-no-look",
    what: "a first comment whose answer was lost is sent again without a look",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "while the first comment is sent" },
    changes: [
      {
        file: "src/platforms/extras.ts",
        from: "  if (!extra.look) {\n    return tryAgain(",
        to: "  if (extra.look ?? true) {\n    return tryAgain(",
      },
    ],
  },
  {
    name: "comment-absent-too-soon",
    what: "a first comment is absent when one list lacks it",
    test: { file: "test/platforms/youtube/comment.test.ts", title: "only after two whole lists" },
    changes: [
      {
        file: "src/platforms/extras.ts",
        from: "  if (missingSince === null || missingSince < sentAt) {\n",
        to: '  if (missingSince === null || missingSince < sentAt) {\n    return tryAgain(job, state, extra, NO_ANSWER, "failed");\n',
      },
    ],
  },
  {
    name: "comment-after-lost-journal",
    what: "what may have been sent by a run whose journal was lost is sent without a look",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "while the first comment is sent" },
    changes: [
      {
        file: "src/platforms/extras.ts",
        from: "  if (extra.look && state.looksFirst && state.tries === 0) {\n",
        to: "  if (extra.look && state.looksFirst && state.tries < 0) {\n",
      },
    ],
  },
  {
    name: "extra-without-end",
    what: "the tries of an extra are not counted",
    test: { file: "test/platforms/youtube/cover.test.ts", title: "the fifth try is the last" },
    changes: [
      {
        file: "src/platforms/extras.ts",
        from: "  const wait = WAITS_SECONDS[state.tries];",
        to: "  const wait: number | undefined = WAITS_SECONDS[0];",
      },
    ],
  },
  {
    name: "no-journal",
    what: "the intent to send is not written to the journal",
    expectedViolations: [/^I1 /],
    changes: [{ file: "src/publisher/run-target-step.ts", from: "      journal.save(intended);\n", to: "" }],
  },
  {
    name: "no-compare-and-set",
    what: "a claim does not check the status of the post",
    expectedViolations: [/^I3 /],
    changes: [
      {
        file: "src/publisher/run/store-run.ts",
        from: "WHERE id = ?1 AND status = 'scheduled' AND $",
        to: "WHERE id = ?1 AND status IN ('scheduled', 'cancelled') AND $",
      },
      // Disarming only saves a wake-up; correctness must not depend on it.
      {
        file: "src/post-status/status/cancel-post.ts",
        from: "  disarmPosts(ctx, [{ ...post, workspaceId: ctx.actor.workspaceId }]);\n",
        to: "",
      },
    ],
  },
  {
    name: "no-edit-guard",
    what: "an edit does not check whether the post changed since the preview",
    expectedViolations: [/^I[146] /],
    changes: [
      {
        file: "src/confirming/commit/store-commit-plan.ts",
        from: " AND p.version = previewed.value ->> 1 AND p.status = previewed.value ->> 2",
        to: "",
      },
    ],
  },
  {
    name: "no-reconciler",
    what: "the reconciler does not arm overdue posts",
    expectedViolations: [/^I2 still scheduled/],
    // Confirms do not arm their posts, so that publishing depends on the reconciler.
    failpoint: "arm.before",
    changes: [
      {
        file: "src/service.ts",
        from: ".then((row) => runReconciler(services, row))",
        to: ".then(() => undefined)",
      },
      {
        file: "src/arming/rearm-overdue.ts",
        from: "  if (overdue.length > 0) {",
        to: "  if (overdue.length < 0) {",
      },
    ],
  },
  {
    name: "cancel-without-check",
    what: "a cancel does not check whether the post has started to publish",
    expectedViolations: [/^I3 /],
    changes: [
      {
        file: "src/post-status/status/store-status-change.ts",
        from: "allowed: `p.status IN ('scheduled', 'paused') AND NOT ${HAS_PUBLICATION} AND ${IS_STOPPABLE}`",
        to: "allowed: `p.status IN ('scheduled', 'paused', 'publishing', 'published')`",
      },
    ],
  },
  {
    name: "one-second-early",
    what: "the visible call leaves one second before the due time",
    expectedViolations: [/^I5 /],
    changes: [
      {
        file: "src/publisher/wake-times.ts",
        from: "return post.scheduledAt + Math.floor(",
        to: "return post.scheduledAt - 1000 + Math.floor(",
      },
    ],
  },
  {
    name: "no-hold",
    what: "the visible call leaves as soon as the post is claimed",
    expectedViolations: [/^I5 /],
    changes: [
      { file: "src/publisher/run-context.ts", from: "    return remainingMs <= 0;\n", to: "    return true;\n" },
      {
        file: "src/publisher/run-context.ts",
        from: "while (remainingMs > 0 && remainingMs <= CLAIM_AHEAD_MS) {",
        to: "while (remainingMs > CLAIM_AHEAD_MS) {",
      },
      {
        file: "src/publisher/advance-targets.ts",
        from: '  return currentStep(run) === "commit" ? Math.max(run.wakeAt, activeRun.dueAt) : run.wakeAt;',
        to: "  return activeRun.dueAt > 0 ? run.wakeAt : 0;",
      },
    ],
  },
  {
    name: "claim-at-any-time",
    what: "a claim does not check how far ahead the post is due",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "claims nothing more than two seconds early" },
    changes: [
      {
        file: "src/publisher/run/claim-post.ts",
        from: "dueBy = now + CLAIM_AHEAD_MS",
        to: "dueBy = now + 1000 * CLAIM_AHEAD_MS",
      },
    ],
  },
  {
    name: "claim-forgets-its-id",
    what: "an object that is armed again forgets the run id under which its claim may have been sent",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "armed again after a lost answer" },
    changes: [
      {
        file: "src/publisher/journal.ts",
        from: `runId: previous?.state.phase === "armed" ? previous.state.runId : this.newRunId(),`,
        to: "runId: this.newRunId(),",
      },
    ],
  },
  {
    name: "run-lends-its-id",
    what: "an object that is armed again keeps the run id under which its last run may have sent",
    test: { file: "test/publisher/database-restore.test.ts", title: "an object that is armed for a retry" },
    changes: [
      {
        file: "src/publisher/journal.ts",
        from: `runId: previous?.state.phase === "armed" ? previous.state.runId : this.newRunId(),`,
        to: "runId: previous?.state.runId ?? this.newRunId(),",
      },
    ],
  },
  {
    name: "alarm-lends-its-id",
    what: "an object is armed without a journal for a time that has passed, under the run id of which it may have lost a run",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "a hint arrives that was made before the claim" },
    changes: [
      {
        file: "src/publisher/post-alarm.ts",
        from: "      wakeAt > this.context.now()\n",
        to: "      wakeAt > 0\n",
      },
    ],
  },
  {
    name: "place-before-its-claim",
    what: "a post that has many others at its instant may wake earlier than it may claim",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "the place among the posts of an instant" },
    changes: [
      {
        file: "src/publisher/wake-times.ts",
        from: "CLAIM_AHEAD_MS - 100;",
        to: "CLAIM_AHEAD_MS + 100;",
      },
    ],
  },
  {
    name: "alarm-forgets-its-id",
    what: "an alarm that is replaced takes the run id with it under which the post may be claimed",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "C38 armed by the alarm alone" },
    changes: [
      {
        file: "src/publisher/journal.ts",
        from: "    this.isChanged ||= this.followsFromAlarm;\n",
        to: "",
      },
    ],
  },
  {
    name: "result-lost-with-error",
    what: "a result that D1 did not take is forgotten with the memory of the object",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "a result that D1 does not take is kept" },
    changes: [
      {
        file: "src/publisher/post-runner.ts",
        from: "      // A result that D1 did not take must not be lost with the memory.\n      this.journal.writeBeforeAlarm();\n",
        to: "",
      },
    ],
  },
  {
    name: "send-after-acceptance",
    what: "a definite acceptance is followed by another send",
    expectedViolations: [/^I1 /],
    changes: [
      {
        file: "src/publisher/run/next-step.ts",
        from: `      return markPublished(run, "commit", outcome, ctx);`,
        to: `      return transition(run, ctx, "retry_wait", "commit", "published", { wakeAt: ctx.now + 1000 });`,
      },
    ],
  },
  {
    name: "token-in-log",
    what: "the service logs the access token with which it calls a platform",
    expectedViolations: [/^leak/],
    changes: [
      {
        file: "src/publisher/call-adapter.ts",
        from: "      return await call.services.outbound.platformFetch(new Request(request, { signal }));",
        to: `      console.log(request.headers.get("authorization"));
      return await call.services.outbound.platformFetch(new Request(request, { signal }));`,
      },
    ],
  },
  {
    name: "take-over-keeps-run-id",
    what: "a run that takes over a lost one keeps its own id, which it may have claimed with",
    test: { file: "test/publisher/double-failures.test.ts", title: "accepted at most once" },
    changes: [
      {
        file: "src/publisher/run/claim-post.ts",
        from: "const newRunId = services.ids.secretUuid();",
        to: "const newRunId = runId;",
      },
    ],
  },
  {
    name: "take-over-sends-blind",
    what: "a run that takes over a lost one sends without looking whether that one has sent",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "C19 the storage of a run is lost" },
    changes: [
      {
        file: "src/publisher/run-records.ts",
        from: "  if (isTakenOver) {",
        to: "  if (isTakenOver && initialRun.attempts > 1_000_000) {",
      },
    ],
  },
  {
    name: "results-of-any-run",
    what: "a run that was taken over writes its results over those of its successor",
    test: { file: "test/publisher/run/store-run.test.ts", title: "results of another run change nothing" },
    changes: [
      {
        file: "src/publisher/run/store-run.ts",
        from: "WHERE id = ?1 AND run_id = ?2 AND status = 'publishing')\";",
        to: "WHERE id = ?1 AND ?2 = ?2 AND status = 'publishing')\";",
      },
    ],
  },
  {
    name: "unanswered-lookup-as-absence",
    what: "a platform that cannot say yet whether it has the post counts as one that does not have it",
    test: { file: "test/publisher/failure-matrix.test.ts", title: "C31" },
    changes: [
      {
        file: "src/publisher/run/next-step.ts",
        from: "        : verifyAgain(waiting, outcome.afterSeconds, null, ctx);",
        to: `        : afterVerify(waiting, { state: "absent" }, ctx);`,
      },
    ],
  },
  {
    name: "part-sent-twice",
    what: "after the first of several visible calls the target stays where it was, so that the same part is sent again",
    test: { file: "test/publisher/run/next-step.test.ts", title: "stores each part before the next call" },
    changes: [
      {
        file: "src/publisher/run/next-step.ts",
        from: "    progress: part.progress,",
        to: "    progress: run.progress,",
      },
      {
        file: "src/publisher/run/next-step.ts",
        from: "        prepared: part.prepareFirst ? null : { ref: part.ref, expiresAt: null },",
        to: "        prepared: run.prepared,",
      },
    ],
  },
  {
    name: "unconfirmed-content",
    what: "rows that are not what was confirmed are sent (media swapped after the confirm)",
    test: { file: "test/publisher/double-failures.test.ts", title: "that never reached the platform is not sent" },
    changes: [
      {
        file: "src/publisher/run/claim-post.ts",
        from: "  return (await planHashOf({ postType, media, targets: publishRun.targets })) === planHash;",
        to: "  return (await planHashOf({ postType, media, targets: publishRun.targets })) !== `not ${planHash}`;",
      },
    ],
  },
  {
    name: "old-preparation",
    what: "what was prepared for the version before an edit is published",
    test: {
      file: "test/publisher/post-runner.test.ts",
      title: "after an edit that the object missed, nothing prepared for the old version is published",
    },
    changes: [
      {
        file: "src/publisher/early-preparation.ts",
        from: "  return entry?.version === publishRun.post.version && entry.planHash === publishRun.post.planHash",
        to: "  return entry && publishRun.post.version > 0",
      },
    ],
  },
  {
    name: "reconciler-arms-cancelled",
    what: "the reconciler still watches and arms cancelled posts",
    test: {
      file: "test/post-status/status/cancel-pause-resume.test.ts",
      title: "removes the post from every list, but it can still be read by its id",
    },
    changes: [
      {
        file: "src/post-status/status/store-status-change.ts",
        from: "status = 'cancelled', paused_reason = NULL, watch_at = NULL",
        to: "status = 'cancelled', paused_reason = NULL",
      },
    ],
  },
  {
    name: "edit-does-not-arm",
    what: "a confirmed edit does not tell the object its new time",
    test: {
      file: "test/planning/edit/edit-scheduled-posts.test.ts",
      title: "a new caption applies to targets without their own caption",
    },
    changes: [
      {
        file: "src/confirming/confirm/commit-previewed-plan.ts",
        from: `.filter((post) => post.status === "scheduled")`,
        to: `.filter((post) => post.status === "scheduled" && plan.kind === "schedule")`,
      },
    ],
  },
  {
    name: "lost-token-refresh",
    what: "the tokens that a refresh returned are not stored",
    test: { file: "test/accounts/account-access.test.ts", title: "is refreshed once for fifty parallel callers" },
    changes: [
      {
        file: "src/accounts/tokens/refresh-tokens.ts",
        from: "await withStoreRetries(async () => await replaceTokens(services.db, row, write))",
        to: "await withStoreRetries(async () => (await Promise.resolve(write), row))",
      },
    ],
  },
  {
    name: "event-after-batch",
    what: "the event of a new post is written when its object is armed, not in the batch that writes the post",
    expectedViolations: [/^W3 /],
    changes: [
      {
        file: "migrations/0003_triggers_of_post_events.sql",
        from: "CREATE TRIGGER event_post_scheduled AFTER INSERT ON posts\nWHEN EXISTS",
        to: `CREATE TRIGGER event_post_scheduled AFTER UPDATE OF watch_at ON posts
WHEN NOT EXISTS (SELECT 1 FROM events e WHERE e.workspace_id = NEW.workspace_id AND e.subject_id = NEW.id) AND EXISTS`,
      },
    ],
  },
  {
    name: "cursor-before-delivery",
    what: "the cursor of a sender moves before the deliveries are stored",
    expectedViolations: [/^W1 /],
    changes: [
      {
        file: "src/sender/read-round.ts",
        from: "  const last = events.at(-1);\n",
        to: `  const last = events.at(-1);
  if (last !== undefined) {
    store.putCursor({ seq: last.seq, isEvent: true, checkedTo: state.checkedTo });
    await failpoint("webhook.between");
  }
`,
      },
    ],
  },
  {
    name: "no-webhook-reconciler",
    what: "the cron does not wake senders whose workspace has new events",
    expectedViolations: [/^W1 /],
    // No change wakes a sender, so that delivery depends on the cron.
    failpoint: "webhook.before_wake",
    changes: [{ file: "src/service.ts", from: ".then(() => wakeOverdueSenders(services))", to: "" }],
  },
  {
    name: "delivered-before-sent",
    what: "a delivery is recorded as delivered before it is sent",
    expectedViolations: [/^W1 /],
    changes: [
      {
        file: "src/sender/webhook-runner.ts",
        from: `    await failpoint("webhook.before_send");\n`,
        to: `    const early = { at: this.now(), durationMs: 0, status: 200, error: null, response: "" };
    this.store.recordTry(n, early, { status: "delivered", failures: 0, nextTryAt: null, isSuccess: true });
    await failpoint("webhook.before_send");
`,
      },
    ],
  },
  {
    name: "newest-event-first",
    what: "the first tries of a post leave with the newest event first",
    expectedViolations: [/^W4 /],
    changes: [
      {
        file: "src/sender/webhook-runner.ts",
        from: "this.waiting.findIndex(",
        to: "this.waiting.findLastIndex(",
      },
    ],
  },
];

/** Deliveries are tried again after seconds in a crash run: it has no three days. */
export const QUICK_RETRIES: Mutant["changes"] = [
  {
    file: "src/webhooks/delivery/retry-schedule.ts",
    from: "const delayMs = RETRY_DELAYS_MS[input.failures - 1];",
    to: "const delayMs = RETRY_DELAYS_MS[input.failures - 1] && 700 + 300 * input.failures;",
  },
];

/** What `wrangler dev` needs of the project beside its packages. */
const PARTS_TO_RUN = [
  "src",
  "migrations",
  "wrangler.toml",
  "package.json",
  "tsconfig.json",
  "scripts/assets.ts",
  "scripts/assets",
  "scripts/build.ts",
  "scripts/build",
  ...DOCUMENT_FOLDERS,
  ...DOCUMENT_FILES,
];

/** Copies the project with the changes applied; throws if a text to change is not there exactly once. */
export async function createCopy(
  root: string,
  { name, changes }: Pick<Mutant, "name" | "changes">,
  additionalParts: readonly string[] = [],
): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), `almanac-${name}-`));
  for (const part of [...PARTS_TO_RUN, ...additionalParts]) {
    await cp(join(root, part), join(copy, part), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  for (const { file, from, to } of changes) {
    const path = join(copy, file);
    const text = await readFile(path, "utf8");
    if (text.split(from).length !== 2) {
      throw new Error(`mutant ${name}: ${file} does not contain the text to change exactly once`);
    }
    await writeFile(path, text.replace(from, to));
  }
  return copy;
}

export const removeCopy = (copy: string): Promise<void> => rm(copy, { recursive: true, force: true });

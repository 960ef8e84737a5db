import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { backupName, checkBackup, findBackup } from "./backup/folder.ts";
import { type Installation, OperatorError } from "./backup/installation.ts";
import { withInstallation } from "./backup/open.ts";
import { type Goal, keepPresent, type Progress, readProgress, writeProgress } from "./restore/progress.ts";
import { describeLoss, describeOutcome } from "./restore/report.ts";
import { runRestore, waitForRelease } from "./restore/run-restore.ts";
import { USAGES } from "./help/usages.ts";

const MAX_TIME_IN_PAST_DAYS = 30;
const RELEASE_TIMEOUT_MS = 5 * 60_000;

const { values } = parseArgs({
  options: {
    to: { type: "string" },
    from: { type: "string" },
    in: { type: "string", default: "backups" },
    remote: { type: "boolean", default: false },
    env: { type: "string" },
    "persist-to": { type: "string" },
    "discard-present": { type: "boolean", default: false },
    yes: { type: "boolean", default: false },
  },
});

function parseTime(text: string): Date {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(at.getTime())) {
    throw new OperatorError(`${text} is no time`, "write it like 2026-11-23T10:00:00Z");
  }
  if (at.getTime() > Date.now()) {
    throw new OperatorError(`${text} is in the future`, "name a time in the past");
  }
  return at;
}

async function decideGoal(installation: Installation): Promise<Goal> {
  if (values.from !== undefined) {
    const { madeAt } = await checkBackup(values.from);
    return { kind: "backup", folder: resolve(values.from), at: madeAt };
  }
  const at = parseTime(values.to ?? "");
  if (!values.remote) {
    const folder = await findBackup(values.in, at);
    if (folder === null) {
      throw new OperatorError(
        `${values.in} has no whole backup from before ${at.toISOString()}`,
        "name a later time, or a backup with --from",
      );
    }
    const { madeAt } = await checkBackup(folder);
    return { kind: "backup", folder: resolve(folder), at: madeAt };
  }
  if (at.getTime() < Date.now() - MAX_TIME_IN_PAST_DAYS * 86_400_000) {
    throw new OperatorError(`Time Travel does not reach back to ${values.to}`, "restore a backup with --from");
  }
  const bookmark = await installation.bookmark(at);
  if (bookmark === null) {
    throw new OperatorError("Time Travel named no point for that time", "restore a backup with --from");
  }
  return { kind: "bookmark", bookmark, at: at.toISOString() };
}

async function confirmed(question: string): Promise<boolean> {
  if (values.yes) {
    return true;
  }
  if (!process.stdin.isTTY) {
    throw new OperatorError("nobody can be asked here", "add --yes if the above is meant");
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} Type "restore": `);
  terminal.close();
  return answer.trim() === "restore";
}

async function begin(installation: Installation): Promise<Progress | null> {
  const unfinished = await readProgress(values.in);
  if (unfinished !== null) {
    if (unfinished.installation !== installation.name) {
      throw new OperatorError(
        `${values.in} has an unfinished restore of ${unfinished.installation}`,
        "finish that one first, or name another folder with --in",
      );
    }
    console.log(
      `Going on with the restore to ${unfinished.goal.at}: done so far: ${unfinished.done.join(", ") || "nothing"}`,
    );
    return unfinished;
  }
  const goal = await decideGoal(installation);
  for (const line of await describeLoss(installation, goal, { discardsPresent: values["discard-present"] })) {
    console.log(line);
  }
  if (!(await confirmed("Go on?"))) {
    return null;
  }
  const progress: Progress = {
    installation: installation.name,
    goal,
    startedAt: Date.now(),
    isPresentLost: values["discard-present"],
    done: [],
  };
  await writeProgress(values.in, progress);
  return progress;
}

async function restore(installation: Installation): Promise<void> {
  const progress = await begin(installation);
  if (progress === null) {
    console.log("Nothing was changed.");
    return;
  }
  await runRestore({ installation, root: values.in, say: (line) => console.log(line) }, progress);
  console.log("\nWaiting for the cron, which compares the posts with their objects");
  const isReleased = await waitForRelease(installation, RELEASE_TIMEOUT_MS);
  const kept = await keepPresent(values.in, backupName(new Date(progress.startedAt)));
  for (const line of await describeOutcome(installation, progress, isReleased)) {
    console.log(line);
  }
  console.log(`The state before the restore is kept in ${join(kept, "present.sqlite")}.`);
}

if ((values.to === undefined) === (values.from === undefined)) {
  console.error(USAGES.restore);
  process.exitCode = 2;
} else {
  await mkdir(values.in, { recursive: true, mode: 0o700 });
  await withInstallation(values, restore, "run the command again: it goes on where it stopped");
}

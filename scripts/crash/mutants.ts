import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One mechanism removed from a copy of the source code: shows that the crash test detects when it is missing. */
export interface Mutant {
  readonly name: string;
  readonly what: string;
  /** The violations that its absence must cause; a post that only takes long does not count. */
  readonly expectedViolations: readonly RegExp[];
  /** Where only one failpoint reveals the missing mechanism: it always fails, and there are no kills. */
  readonly failpoint?: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "blind-retry",
    what: "an uncertain answer is followed by another send instead of a verification",
    expectedViolations: [/^I1 /],
    changes: [
      {
        file: "src/posting/run/next-step.ts",
        from: `    case "uncertain":\n      return markUncertain(`,
        to: `    case "uncertain":\n      return afterVerify({ ...run, state: "verifying" }, { state: "absent" }, ctx);\n      return markUncertain(`,
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
        file: "src/posting/run/store-run.ts",
        from: "WHERE id = ?1 AND status = 'scheduled' AND scheduled_at <= ?3 AND scheduled_at > ?4",
        to: "WHERE id = ?1 AND status IN ('scheduled', 'cancelled') AND scheduled_at <= ?3 AND scheduled_at > ?4",
      },
      // Disarming only saves a wake-up; correctness must not depend on it.
      { file: "src/posting/status/cancel-post.ts", from: "  disarmPosts(ctx, [post]);\n", to: "" },
    ],
  },
  {
    name: "no-edit-guard",
    what: "an edit does not check whether the post changed since the preview",
    expectedViolations: [/^I[146] /],
    changes: [
      {
        file: "src/posting/confirm/store-commit-plan.ts",
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
      { file: "src/service.ts", from: "= reconcile(services).catch(", to: "= Promise.resolve().catch(" },
      {
        file: "src/posting/arming/arm-posts.ts",
        from: "  if (overdue.length > 0) {",
        to: "  if (overdue.length < 0) {",
      },
    ],
  },
];

/** Copies the project with the changes applied; throws if a text to change is not there exactly once. */
export async function createCopy(root: string, { name, changes }: Pick<Mutant, "name" | "changes">): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), `almanac-${name}-`));
  for (const part of ["src", "migrations", "wrangler.toml", "package.json", "tsconfig.json"]) {
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

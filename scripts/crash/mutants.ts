import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One mechanism taken out of the text of the product: proof that the harness would see it missing. */
export interface Mutant {
  readonly name: string;
  readonly what: string;
  /** How its absence must show: one of these, and not just a post that takes long. */
  readonly signs: readonly RegExp[];
  /** Where only one fault brings it to light: that fault always, and no kills beside it. */
  readonly faultPoint?: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "blind-retry",
    what: "an uncertain answer is followed by another send instead of a look",
    signs: [/^I1 /],
    changes: [
      {
        file: "src/posting/next-step.ts",
        from: `    case "uncertain":\n      return doubt(`,
        to: `    case "uncertain":\n      return afterVerify({ ...run, state: "verifying" }, { state: "absent" }, at);\n      return doubt(`,
      },
    ],
  },
  {
    name: "no-journal",
    what: "the intent to send is not written down",
    signs: [/^I1 /],
    changes: [{ file: "src/publisher/step.ts", from: "      keep.save(intended);\n", to: "" }],
  },
  {
    name: "no-compare-and-set",
    what: "a claim does not ask what state the post is in",
    signs: [/^I3 /],
    changes: [
      {
        file: "src/posting/run-store.ts",
        from: "WHERE id = ?1 AND status = 'scheduled' AND scheduled_at <= ?3 AND scheduled_at > ?4",
        to: "WHERE id = ?1 AND status IN ('scheduled', 'cancelled') AND scheduled_at <= ?3 AND scheduled_at > ?4",
      },
      // Disarming only saves a wake-up: nothing may depend on it.
      { file: "src/posting/cancel.ts", from: "  disarmPosts(ctx, [post]);\n", to: "" },
    ],
  },
  {
    name: "no-edit-guard",
    what: "an edit does not ask whether the post is still as it was previewed",
    signs: [/^I[146] /],
    changes: [
      {
        file: "src/posting/store-confirm.ts",
        from: " AND p.version = was.value ->> 1 AND p.status = was.value ->> 2",
        to: "",
      },
    ],
  },
  {
    name: "no-reconciler",
    what: "nobody looks after posts whose object was not woken",
    signs: [/^I2 still scheduled/],
    // No confirmation arms its post, so that everything depends on the reconciler.
    faultPoint: "arm.before",
    changes: [
      { file: "src/service.ts", from: "await reconcile(services).catch(", to: "await Promise.resolve().catch(" },
      { file: "src/posting/arm.ts", from: "  if (overdue.length > 0) {", to: "  if (overdue.length < 0) {" },
    ],
  },
];

/** A copy of the project with the change in it; refuses when the text to change is not there exactly once. */
export async function mutate(root: string, mutant: Mutant): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), `almanac-${mutant.name}-`));
  for (const part of ["src", "migrations", "wrangler.toml", "package.json", "tsconfig.json"]) {
    await cp(join(root, part), join(copy, part), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  for (const { file, from, to } of mutant.changes) {
    const path = join(copy, file);
    const text = await readFile(path, "utf8");
    if (text.split(from).length !== 2) {
      throw new Error(`mutant ${mutant.name}: ${file} does not hold the text to change exactly once`);
    }
    await writeFile(path, text.replace(from, to));
  }
  return copy;
}

export const discard = (copy: string): Promise<void> => rm(copy, { recursive: true, force: true });

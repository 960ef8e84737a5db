import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { PLATFORM_NAMES } from "#core/platform.ts";

/* Workflows, issue forms and the settings of tools that no compiler reads. */

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const filesIn = (folder: string) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const MANIFEST = JSON.parse(read("package.json")) as Manifest;

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, { readonly "timeout-minutes"?: number; readonly steps: readonly Step[] }>>;
}

/** Keys that GitHub knows at this place: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax */
const WORKFLOW_KEYS = ["name", "on", "permissions", "concurrency", "jobs"];
const JOB_KEYS = ["name", "runs-on", "container", "timeout-minutes", "permissions", "needs", "if", "env", "steps"];
const STEP_KEYS = ["name", "uses", "with", "run", "env", "if", "id"];

const unknownKeys = (value: object, known: readonly string[]) =>
  Object.keys(value).filter((key) => !known.includes(key));

function problemsOfStep({ uses, run, ...others }: Step, text: string): string[] {
  return [
    ...unknownKeys(others, STEP_KEYS).map((key) => `unknown key ${key}`),
    ...((uses === undefined) === (run === undefined) ? ["a step either uses an action or runs a command"] : []),
    ...(uses !== undefined &&
    !new RegExp(`${uses.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")} # v\\d+\\.\\d+\\.\\d+$`, "m").test(text)
      ? [`${uses} does not name its version`]
      : []),
    ...(uses !== undefined && !/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/.test(uses) ? [`${uses} is not pinned by a hash`] : []),
    // What somebody else wrote (a branch, a title) would become part of the command.
    ...(run?.includes("${{") ? [`an expression inside a command: ${run}`] : []),
    ...Array.from(run?.matchAll(/npm run ([\w:-]+)/g) ?? [], ([, name = ""]) => name)
      .filter((name) => !(name in MANIFEST.scripts))
      .map((name) => `npm run ${name} does not exist`),
  ];
}

function problemsOfWorkflow(text: string): string[] {
  const workflow = parse(text) as Workflow;
  const jobs = Object.values(workflow.jobs);
  return [
    ...unknownKeys(workflow, WORKFLOW_KEYS),
    ...(JSON.stringify(workflow.permissions) === '{"contents":"read"}' ? [] : ["more than read by default"]),
    ...("pull_request_target" in workflow.on || "workflow_run" in workflow.on
      ? ["runs with secrets for strangers"]
      : []),
    ...jobs.flatMap((job) => unknownKeys(job, JOB_KEYS)),
    ...jobs.filter((job) => job["timeout-minutes"] === undefined).map(() => "a job without a time limit"),
    ...jobs.flatMap((job) => job.steps.flatMap((step) => problemsOfStep(step, text))),
  ];
}

describe("workflows", () => {
  test.each(filesIn(".github/workflows"))("%s has known keys, pinned actions and existing commands", (path) => {
    expect(problemsOfWorkflow(read(path))).toEqual([]);
  });

  test("CI runs the gate that everybody can run", () => {
    expect(existsSync(join(ROOT, ".ci/run"))).toBe(true);
    expect(read(".github/workflows/ci.yml")).toContain("run: .ci/run");
  });

  const CI = read(".github/workflows/ci.yml");
  test.each([
    ["an action by its tag", CI.replace(/checkout@[0-9a-f]{40}/, "checkout@v7"), "not pinned"],
    ["a hash without its version", CI.replace(/ # v7\.0\.1/, ""), "does not name its version"],
    [
      "a title inside a command",
      CI.replace("run: .ci/run", "run: echo ${{ github.event.pull_request.title }}"),
      "expression",
    ],
    ["a command that is not there", CI.replace("run: .ci/run", "run: npm run missing"), "does not exist"],
    ["writing by default", CI.replace("contents: read", "contents: write"), "more than read"],
    ["secrets for strangers", CI.replace("pull_request:", "pull_request_target:"), "strangers"],
    ["a key that GitHub does not know", CI.replace("timeout-minutes: 90", "timeout: 90"), "timeout"],
  ])("a planted mistake is found: %s", (_, text, problem) => {
    expect(problemsOfWorkflow(text).join("\n")).toContain(problem);
  });
});

describe("the gate", () => {
  const GATE = read(".ci/run");
  const STEPS = Array.from(
    GATE.matchAll(/^ *(?:step|alone) "([^"$]+)" (?:\\\n\s+)?(.+)$/gm),
    ([, name = "", command = ""]) => ({
      name,
      // As the command's own arguments are: a shell has taken the quotes away.
      command: command.replaceAll('"', ""),
    }),
  ).filter(({ command }) => /^np[mx] /.test(command));

  /** Runs the gate with commands that do nothing; the one that is named fails. */
  function runGate(failing: string): Promise<{ readonly code: number; readonly output: string }> {
    const folder = mkdtempSync(join(tmpdir(), "almanac-gate-"));
    const done = `#!/bin/sh\n[ "$(basename "$0") $*" = "$FAILING" ] && { echo "planted"; exit 7; }\nexit 0\n`;
    for (const name of ["npm", "npx", "apt-get", "sleep"]) {
      writeFileSync(join(folder, name), done);
      chmodSync(join(folder, name), 0o755);
    }
    const env = { PATH: [folder, process.env["PATH"]].join(delimiter), FAILING: failing };
    return new Promise((resolve) => {
      execFile("bash", [join(ROOT, ".ci/run")], { env }, (error, output) => {
        rmSync(folder, { recursive: true });
        resolve({ code: error === null ? 0 : Number(error.code), output });
      });
    });
  }

  test("runs every step and says how long each took", async () => {
    const { code, output } = await runGate("nothing");
    expect(code).toBe(0);
    const table = output.slice(output.indexOf("== done (")).split("\n");
    for (const { name } of STEPS) {
      expect(output).toContain(`\n== ${name} (`);
      const row = table.find((line) => line.startsWith(`${name} (`)) ?? "";
      expect(row.slice(name.length)).toMatch(/^ \(\d+ s, processor \d+ \+ \d+ s\)$/);
    }
  });

  test.each(STEPS)("fails when a step fails: $name", async ({ name, command }) => {
    const { code, output } = await runGate(command);
    expect(code).toBe(7);
    expect(output).toContain(`== ${name} (`);
    expect(output).toContain("planted");
    expect(output).not.toContain("== done");
  });
});

interface FormElement {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string; readonly options?: readonly unknown[] };
  readonly validations?: Readonly<Record<string, unknown>>;
}

/** https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema */
const ELEMENT_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  markdown: ["value"],
  textarea: ["label", "description", "placeholder", "value", "render"],
  input: ["label", "description", "placeholder", "value"],
  dropdown: ["label", "description", "multiple", "options", "default"],
  checkboxes: ["label", "description", "options"],
};

function problemsOfForm(text: string): string[] {
  const form = parse(text) as { readonly body: readonly FormElement[] };
  const ids = form.body.flatMap(({ id }) => id ?? []);
  return [
    ...unknownKeys(form, ["name", "description", "title", "labels", "body"]),
    ...(new Set(ids).size === ids.length ? [] : ["two elements have one id"]),
    ...form.body.flatMap((element) => [
      ...unknownKeys(element, ["type", "id", "attributes", "validations"]),
      ...unknownKeys(element.attributes, ELEMENT_ATTRIBUTES[element.type] ?? []),
      ...unknownKeys(element.validations ?? {}, ["required"]),
      ...(element.type === "markdown" || (element.id && element.attributes.label)
        ? []
        : ["an element without id or label"]),
    ]),
  ];
}

describe("issue forms", () => {
  const forms = filesIn(".github/ISSUE_TEMPLATE").filter((path) => !path.endsWith("/config.yml"));

  test.each(forms)("%s has known elements", (path) => {
    expect(problemsOfForm(read(path))).toEqual([]);
  });

  test("there is one for a bug with the doctor's output, a changed platform and a feature", () => {
    expect(forms.map((path) => path.split("/").at(-1))).toEqual(["bug.yml", "feature.yml", "platform-changed.yml"]);
    expect(read(".github/ISSUE_TEMPLATE/bug.yml")).toContain("npm run doctor");
  });

  test("the form for a changed platform offers every platform", () => {
    const { body } = parse(read(".github/ISSUE_TEMPLATE/platform-changed.yml")) as { body: readonly FormElement[] };
    const offered = body.find(({ id }) => id === "platform")?.attributes.options;
    expect(offered).toEqual(Object.values(PLATFORM_NAMES));
  });

  test("a planted mistake is found", () => {
    const form = read(".github/ISSUE_TEMPLATE/feature.yml");
    expect(problemsOfForm(form.replace("type: textarea", "type: text"))).not.toEqual([]);
    expect(problemsOfForm(form.replace("id: today", "id: need"))).toContain("two elements have one id");
  });
});

describe("settings of tools", () => {
  test("Node has one version", () => {
    expect(read(".nvmrc").trim()).toBe(MANIFEST.devDependencies["node"]);
  });

  test("editors and the formatter agree", () => {
    const printWidth = /printWidth: (\d+)/.exec(read("oxfmt.config.ts"))?.[1];
    expect(read(".editorconfig")).toContain(`max_line_length = ${printWidth}`);
  });

  test("Renovate updates the runtime of the tests, its types and the deploying command together", () => {
    const { packageRules } = JSON.parse(read("renovate.json")) as {
      packageRules: readonly { readonly groupName?: string; readonly matchPackageNames?: readonly string[] }[];
    };
    const group = packageRules.find(({ groupName }) => groupName === "Workers runtime")?.matchPackageNames;
    expect(group).toEqual(
      expect.arrayContaining(["wrangler", "@cloudflare/workers-types", "@cloudflare/vitest-plugin"]),
    );
    // Two come with wrangler; every other name must be a package that this repository has.
    const known = new Set([
      ...Object.keys({ ...MANIFEST.dependencies, ...MANIFEST.devDependencies }),
      "workerd",
      "miniflare",
    ]);
    expect(
      packageRules.flatMap(({ matchPackageNames }) => matchPackageNames ?? []).filter((name) => !known.has(name)),
    ).toEqual([]);
  });
});

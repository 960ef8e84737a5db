import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { describe, expect, test } from "vitest";
import { answerProblems, Names } from "../../scripts/guides/answers.ts";
import { planOf } from "../../scripts/guides/blocks.ts";

/* What the pages at {docs_url} need of every guide, and how `npm run guides` reads them. */

const FOLDER = join(import.meta.dirname, "..", "..", "docs", "guide");
const SECTIONS = ["Start", "Build", "Agents", "Dashboard", "Operate", "Inside"];

/** Guides with blocks that cannot be run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "agents.md": "settings of programs by others",
  "command-line.md": "an installation from a tarball, and a question on a terminal",
  "typescript.md": "an installation from a tarball",
  "operate.md": "commands that need an account at Cloudflare",
};

interface FrontMatter {
  readonly title: string;
  readonly description: string;
  readonly section: string;
  readonly order: number;
}

const guides = readdirSync(FOLDER).map((file) => {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const [, matter = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  return { file, matter: parse(matter) as FrontMatter, body };
});

describe("the guides", () => {
  test.each(guides)("$file says what it is", ({ file, matter, body }) => {
    expect(file).toMatch(/^[a-z]+(-[a-z]+)*\.md$/);
    expect(Object.keys(matter)).toEqual(["title", "description", "section", "order"]);
    expect(matter.title.length).toBeLessThanOrEqual(80);
    expect(matter.description).toMatch(/^[A-Z].{20,150}\.$/);
    expect(SECTIONS).toContain(matter.section);
    expect(Number.isInteger(matter.order)).toBe(true);
    // The title is the page's only heading of the first level.
    expect(body.replaceAll(/^ *```[\s\S]*?^ *```/gm, "")).not.toMatch(/^# /m);
  });

  test("have an order, and sections that hang together in it", () => {
    const inOrder = guides.map(({ matter }) => matter).toSorted((a, b) => a.order - b.order);
    expect(new Set(inOrder.map(({ order }) => order)).size).toBe(guides.length);
    const runs = inOrder.map(({ section }) => section).filter((section, index, all) => section !== all[index - 1]);
    expect(runs).toEqual(SECTIONS.filter((section) => runs.includes(section)));
  });
});

describe("the commands of the guides", () => {
  test.each(guides)(
    "$file has no block that is neither run nor marked, and marks only where they are allowed",
    ({ file, body }) => {
      const { notRun } = planOf(body);
      expect(notRun.length > 0).toBe(file in NOT_RUN);
    },
  );

  test("are run with the files that are shown, and their answers belong to them", () => {
    const { steps, notRun } = planOf(
      "```sh\nls\n```\nprints\n```text\na\n```\n```python\n# verify.py\nprint(1)\n```\n```sh\npython3 verify.py\n```\n```json not-run\n{}\n```\n",
    );
    expect(
      steps.map(({ command, files, answer }) => [command.text, files.map(({ name }) => name), answer?.text]),
    ).toEqual([
      ["ls", [], "a"],
      ["python3 verify.py", ["verify.py"], undefined],
    ]);
    expect(notRun.map(({ line }) => line)).toEqual([15]);
  });

  test.each([
    ["an answer without a command", "```json\n{}\n```", 1, "no command before this json block"],
    ["two answers", "```sh\nls\n```\n```text\na\n```\n```text\nb\n```", 7, "no command before this text block"],
    ["an answer to a command that is not run", "```sh not-run\nls\n```\n```text\na\n```", 4, "no command before"],
    ["a program without a name", "```ts\nlet a = 1;\n```", 1, "does not name the file"],
    ["a program that nothing runs", "```ts\n// a.ts\n```\n```sh\nls\n```", 1, "no command runs a.ts"],
    ["another mark", "```sh skip\nls\n```", 1, '"skip" is no mark'],
  ])("are refused for %s", (_name, markdown, line, message) => {
    expect(() => planOf(markdown)).toThrow(
      expect.objectContaining({ line, message: expect.stringContaining(message) }),
    );
  });
});

const ID = "01a20723-39b0-782b-b9a2-3ce259e27710";
const OTHER_ID = "01a20725-4ce3-7638-8f60-088f723212d6";
const NOON = "2026-11-23T12:00:00.000Z";
const HASH = "401da25fc026dfc2eebabfb9f53685dcd9b35fa60ed3a36b21f03bed60456b87";

describe("an answer in a guide", () => {
  test.each([
    ["the same", { a: [1, "b", null] }, { a: [1, "b", null] }],
    ["another id", { id: ID }, { id: OTHER_ID }],
    ["another time", { at: "2026-11-23T06:51:18.293Z" }, { at: "2026-12-01T00:00:00.000Z" }],
    ["one time where the guide shows two", ["2026-11-23T06:51:18.293Z", "2026-11-23T06:51:18Z"], Array(2).fill(NOON)],
    ["another hash, inside a text", { error: `made ${HASH}` }, { error: `made ${HASH.replace("4", "5")}` }],
    ["another measured number", { late_by_ms: 4 }, { late_by_ms: 90 }],
    ["members that are left out", { a: 1, "…": "…" }, { a: 1, b: 2 }],
    ["entries that are left out", ["a", "…"], ["a", "b", "c"]],
    ["a part that is left out", "https://x.com/…/1", "https://x.com/ada/1"],
  ])("fits %s", (_name, shown, actual) => {
    expect(answerProblems("json", JSON.stringify(shown), JSON.stringify(actual), new Names())).toEqual([]);
  });

  test.each([
    ["another value", { a: [1] }, { a: [2] }, "answer.a[0]: the guide shows 1, the answer is 2"],
    ["another number where nothing is measured", { expires_in: 300 }, { expires_in: 60 }, "answer.expires_in"],
    ["another text", { a: "b" }, { a: "c" }, 'the guide shows "b", the answer is "c"'],
    ["a member that is missing", { a: 1, b: 2 }, { a: 1 }, "answer.b: the answer does not have it"],
    ["a member that the guide does not show", { a: 1 }, { a: 1, b: 2 }, "answer.b: the guide does not show it"],
    ["a longer list", ["a"], ["a", "b"], "the guide shows 1 entries, the answer has 2"],
    ["no id where there is one", { id: ID }, { id: "none" }, "answer.id"],
    ["two things by one id", [ID, ID], [ID, OTHER_ID], "stands for another thing"],
    ["one thing by two ids", [ID, OTHER_ID], [ID, ID], "stands for another thing"],
    ["two times by one", [NOON, NOON], [NOON, "2026-11-23T12:00:00.001Z"], "stands for another thing"],
    ["null", { a: {} }, { a: null }, "answer.a"],
  ])("does not fit %s", (_name, shown, actual, problem) => {
    expect(answerProblems("json", JSON.stringify(shown), JSON.stringify(actual), new Names()).join("\n")).toContain(
      problem,
    );
  });

  test("keeps what its ids stand for over a whole guide", () => {
    const names = new Names();
    expect(answerProblems("json", `"${ID}"`, `"${OTHER_ID}"`, names)).toEqual([]);
    expect(answerProblems("text", `post ${ID}`, `post ${OTHER_ID}`, names)).toEqual([]);
    expect(answerProblems("text", `post ${ID}`, `post ${ID}`, names)).toHaveLength(1);
  });

  test.each([
    ["fits another day", "2026-12-01T08:30:00.000Z", "2026-12-01T09:30", []],
    ["fits a day in summer", "2027-06-01T07:30:00.000Z", "2027-06-01T09:30", []],
    ["does not fit another time of day", "2026-12-01T09:30:00.000Z", "2026-12-01T10:30", ["the guide shows"]],
    ["does not fit the clock of another zone", "2026-12-01T09:30:00.000Z", "2026-12-01T09:30", ["is not one time in"]],
    ["does not fit another day beside it", "2026-12-01T08:30:00.000Z", "2026-12-02T09:30", ["is not one time in"]],
    ["does not fit a local time without an instant", "2026-12-01", "2026-12-01T09:30", ["the guide shows"]],
  ])("has a local time that %s", (_name, instant, local, problems) => {
    const line = (at: string, time: string): string => JSON.stringify({ scheduled_at: at, local_time: time });
    const shown = line("2026-11-24T08:30:00.000Z", "2026-11-24T09:30");
    expect(answerProblems("text", shown, line(instant, local), new Names())).toEqual(
      problems.map((problem) => expect.stringContaining(problem) as string),
    );
  });

  test("may be lines of text", () => {
    expect(answerProblems("text", "a\n…\nz", "a\nb  \nc\nz\n", new Names())).toEqual([]);
    expect(answerProblems("text", "a\nz", "a\ny", new Names())).toHaveLength(1);
    expect(answerProblems("json", "{}", "<html>", new Names())).toEqual(["the answer is no JSON: <html>"]);
  });
});

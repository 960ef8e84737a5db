import { beforeAll, describe, test } from "vitest";
import { callTool, type ToolResult } from "../../support/call-mcp.ts";
import { type Arguments, BAD_CALLS } from "./bad-calls.ts";
import { createFixture, type Fixture } from "./fixture.ts";
import { repair } from "./repair.ts";

const MIN_CALLS = 35;
const MIN_REPAIRS = 17;
const MAX_ROUNDS = 3;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});

function problemsOf({ error }: ToolResult): string[] {
  const details: readonly { code: string; param?: string }[] = error.details ?? [{ code: error.code }];
  return details.map(({ code, param }) => [code, param].filter(Boolean).join(" "));
}

const withoutUndefined = (args: Arguments): Arguments => JSON.parse(JSON.stringify(args));

describe.each(BAD_CALLS)("$about: $name", ({ tool, args, problems, repairable }) => {
  test("every problem is named, in the answer's text too", async ({ expect }) => {
    const refused = await callTool(fixture.caller, tool, withoutUndefined(args(fixture)));
    expect(refused.isError).toBe(true);
    expect(problemsOf(refused)).toEqual(problems);
    for (const problem of problems) {
      const [code = "", param] = problem.split(" ");
      expect(refused.text).toContain(code);
      expect(refused.text).toContain(param ?? "");
    }
  });

  test.runIf(repairable)("the text alone is enough to send it again correctly", async ({ expect }) => {
    let sent = withoutUndefined(args(fixture));
    let answer = await callTool(fixture.caller, tool, sent);
    for (let round = 0; answer.isError && round < MAX_ROUNDS; round += 1) {
      sent = repair(answer.text, sent);
      answer = await callTool(fixture.caller, tool, sent);
    }
    expect(answer.isError, answer.text).toBe(false);
  });
});

test.for([
  [
    "preview_post",
    { caption: "Hi", scheduled_at: "2027-01-01T18:00", platform_options: {} },
    'targets: [{ "account_id"',
  ],
  ["preview_edit", { post_ids: [], platform_options: {} }, 'target_options: [{ "account_id"'],
  [
    "set_slots",
    { time_zone: "UTC", slots: [{ weekday: 7, time: "9" }] },
    '{ "weekday": 0, "time": "09:30" }, where 0 is Monday',
  ],
] as const)("%s: the refusal shows how it is written", async ([tool, args, example], { expect }) => {
  expect((await callTool(fixture.caller, tool, { ...args })).text).toContain(example);
});

test("there are enough of them", ({ expect }) => {
  expect(BAD_CALLS.length).toBeGreaterThanOrEqual(MIN_CALLS);
  expect(BAD_CALLS.filter(({ repairable }) => repairable).length).toBeGreaterThanOrEqual(MIN_REPAIRS);
});

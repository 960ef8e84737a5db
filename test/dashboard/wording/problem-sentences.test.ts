import { describe, test } from "vitest";
import { instant, member, naming } from "#core/message-parts.ts";
import { fieldInWords, wordsFor } from "#dashboard/wording/field-words.ts";
import { problemInWords, refusalInWords } from "#dashboard/wording/problem-sentences.ts";
import { warningsInWords } from "#dashboard/wording/warning-sentences.ts";
import { adapterFor } from "#platforms/registry.ts";

const display = { timeZone: "Europe/Berlin", hour12: false, firstWeekday: 0 };
const words = (platform: Parameters<typeof adapterFor>[0]) => wordsFor({ adapterFor }, display, platform);
const noon = Date.parse("2026-12-03T11:00:00Z");

describe("a member of the request is called what the form calls it", () => {
  test.for<[Parameters<typeof adapterFor>[0], string, string]>([
    ["youtube", "targets[0].platform_options.title", "“Title of the video”"],
    ["youtube", "title", "“Title of the video”"],
    ["x", "platform_options.thread[0].media_items[1].alt_text", "the description of file 2 of part 2 of the thread"],
    ["x", "media_urls[0]", "file 1"],
    ["instagram", "media_items[2].cover.url", "the cover of file 3"],
    ["instagram", "caption", "the text"],
    ["instagram", "no_such_option", "no_such_option"],
  ])("%s: %s is %s", ([platform, name, expected], { expect }) => {
    expect(fieldInWords(name, words(platform).specs)).toBe(expected);
  });
});

describe("a problem", () => {
  test("of a missing option asks to fill in its field", ({ expect }) => {
    const problem = { code: "option_required", message: "for programs", param: "platform_options.title" } as const;
    expect(problemInWords(problem, words("youtube"))).toBe("“Title of the video” is missing: fill it in.");
  });

  test("of a file's size names both sizes as people write them", ({ expect }) => {
    const problem = { code: "media_too_large", message: "for programs", param: "media_items[1]" } as const;
    const sizes = (limit: number, actual: number) => problemInWords({ ...problem, limit, actual }, words("x"));
    expect(sizes(5 * 2 ** 20, 12.5 * 2 ** 20)).toBe("File 2 has 12.5 MB; at most 5 MB are accepted.");
    expect(sizes(5 * 2 ** 20, 5 * 2 ** 20 + 1)).toBe("File 2 has 5242881 bytes; at most 5242880 bytes are accepted.");
  });

  test("whose module knows the reason is told with the names of the form and the person's clock", ({ expect }) => {
    const said = naming`set ${member("privacy_status")} before ${instant(noon)}`;
    expect(said.message).toBe("set privacy_status before 2026-12-03T11:00:00.000Z");
    expect(problemInWords({ code: "option_conflict", ...said }, words("youtube"))).toBe(
      "Set “Who can see the video” before Thu, 3 Dec 2026, 12:00.",
    );
  });

  test("stands for the refusal that carries it", ({ expect }) => {
    const refusal = { code: "validation_failed", message: "2 problems" } as const;
    const details = [
      { code: "targets_required", message: "for programs" },
      { code: "post_changed", message: "for programs" },
    ] as const;
    expect(refusalInWords({ ...refusal, details }, words("x"))).toEqual([
      "Choose at least one account.",
      "The post was changed after the preview.",
    ]);
    expect(refusalInWords(refusal, words("x"))).toEqual(["2 problems."]);
  });
});

test("a warning that the post is due soon names the button and the person's clock", ({ expect }) => {
  const warnings = [{ code: "due_soon", message: "for programs" }] as const;
  const ignored = { code: "option_ignored", ...naming`${["title", "tags"].map(member)}: no effect` } as const;
  const preview = { scheduledAt: noon, warnings, targets: [{ platform: "youtube", warnings: [ignored] }] } as const;
  expect(warningsInWords({ adapterFor }, preview, { button: "Move", display })).toEqual([
    "Press Move before 12:00.",
    "“Title of the video”, “Tags”: no effect.",
  ]);
});

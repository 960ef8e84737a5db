import { describe, test } from "vitest";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { problemInWords } from "#dashboard/wording/problem-sentences.ts";
import { warningInWords } from "#dashboard/wording/warning-sentences.ts";
import { isAskedFor } from "#dashboard/post-form/read-options.ts";
import { optionSpecs } from "#platforms/option-specs.ts";
import { adapterFor } from "#platforms/registry.ts";
import { image, validationInput, video } from "../../support/adapter-inputs.ts";

/* A page has one word for each thing: what a person writes is the text, and it is counted in characters. */

const OTHER_WORDS = /caption|grapheme|alt_text/i;

describe.each(PLATFORMS)("the pages of %s", (platform) => {
  const adapter = adapterFor(platform)!;
  const specs = optionSpecs(adapter);
  const words = { specs, display: { timeZone: "UTC", hour12: false, firstWeekday: 0 } };

  test("say text and characters in the fields and the counts", ({ expect }) => {
    const { unit, note = "" } = adapter.limits.caption;
    const shown = [unit, note, ...specs.flatMap(({ label, hint = "", group = "" }) => [label, hint, group])];
    expect(shown.filter((words) => OTHER_WORDS.test(words))).toEqual([]);
  });

  test("say so in what is wrong and in what a person should know", ({ expect }) => {
    const long = "a".repeat(70_000);
    const described = { altText: "a".repeat(20_000) };
    const parts = { thread: [{ caption: long }, { caption: "" }] };
    const posts = [
      validationInput({ caption: long, options: parts, partMedia: [[image(described)], []] }),
      validationInput({ caption: "" }),
      validationInput({ caption: "a", media: [image(described)], options: { story: true, is_draft: true } }),
      validationInput({
        caption: "a",
        media: [video(described)],
        options: { story: true, is_draft: true, title: "a" },
      }),
    ];
    const said = posts
      .map((post) => adapter.validate(post))
      .flatMap(({ problems, warnings }) => [
        ...problems.map((problem) => problemInWords(problem, words)),
        ...warnings.map((warning) => warningInWords(warning, words)),
      ]);
    expect(said.length).toBeGreaterThan(0);
    expect(
      said.filter((sentence) => OTHER_WORDS.test(sentence)),
      PLATFORM_NAMES[platform],
    ).toEqual([]);
  });
});

describe("options that concern media", () => {
  test.for([
    ["threads", "is_spoiler"],
    ["x", "made_with_ai"],
    ["x", "tagged_user_ids"],
  ] as const)("%s %s is asked for only where there are some", ([platform, key], { expect }) => {
    const spec = optionSpecs(adapterFor(platform)!).find((one) => one.key === key)!;
    expect([[], ["image"], ["video"], null].map((types) => isAskedFor(spec, types as never))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test("LinkedIn's poll, document and link card are asked for only where there are none", ({ expect }) => {
    const specs = optionSpecs(adapterFor("linkedin")!).filter(({ key }) => /^(?:poll|document|article)\./.test(key));
    expect(specs.length).toBeGreaterThan(6);
    expect(specs.filter((spec) => isAskedFor(spec, ["image"]) || isAskedFor(spec, null))).toEqual([]);
  });
});

import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { MediaDescription } from "#platforms/contract.ts";
import { image, validationInput, video } from "../support/adapter-inputs.ts";
import { adapterOf } from "../support/publish-sample.ts";

/* What a story cannot have, beside what the tables of options show; for files that the sandbox has no sample of. */

const MINUTE_AND_MORE = { width: 1080, height: 1920, durationSeconds: 61 };

interface Refused {
  readonly what: string;
  readonly platform: Platform;
  readonly media: readonly MediaDescription[];
  readonly options?: JsonObject;
  readonly problem: readonly [code: string, param: string];
}

const conflict = (option: string) => ["option_conflict", `platform_options.${option}`] as const;

const REFUSED: readonly Refused[] = [
  ...(
    [
      ["a place", { location_id: "110506962309835" }],
      ["a label", { is_ai_generated: true }],
      ["a trial", { trial_reel_type: "manual" }],
    ] as const
  ).map(([what, options]): Refused => ({
    what: `with ${what}`,
    platform: "instagram",
    media: [video()],
    options,
    problem: conflict(Object.keys(options)[0] ?? ""),
  })),
  { what: "without a file", platform: "instagram", media: [], problem: ["media_required", "media_items"] },
  {
    what: "of more than a minute",
    platform: "instagram",
    media: [video(MINUTE_AND_MORE)],
    problem: ["media_duration", "media_items[0]"],
  },
  {
    what: "of more than a minute",
    platform: "facebook",
    media: [video(MINUTE_AND_MORE)],
    problem: ["media_duration", "media_items[0]"],
  },
];

test.for(REFUSED)("$platform: a story $what is refused", ({ platform, media, options, problem }, { expect }) => {
  const found = adapterOf(platform)
    .validate(validationInput({ media, options: { story: true, ...options } }))
    .problems.map(({ code, param }) => [code, param]);
  expect(found).toContainEqual(problem);
});

describe("options without an effect on a story are told", () => {
  test.for([
    [[image()], { title: "A turn" }, "title"],
    [[video()], { placement: "timeline" }, "placement"],
  ] as const)("%j", ([media, options, name], { expect }) => {
    const input = validationInput({ media, options: { story: true, ...options } });
    expect(adapterOf("facebook").validate(input).warnings).toContainEqual({
      code: "option_ignored",
      message: expect.stringContaining(name),
      parts: expect.arrayContaining([{ member: name }]),
    });
  });
});

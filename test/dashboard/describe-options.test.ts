import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import { describeOptions } from "#dashboard/post-form/describe-options.ts";
import type { KnownMediaTypes } from "#dashboard/post-form/read-options.ts";
import { optionSpecs } from "#platforms/option-specs.ts";
import { adapterFor } from "#platforms/registry.ts";

const described = (platform: Platform, options: JsonObject, mediaTypes: KnownMediaTypes = [], isChange = false) =>
  describeOptions(optionSpecs(adapterFor(platform)!), options, { mediaTypes, boards: [], isChange }).map(
    ({ label, value }) => `${label}: ${value}`,
  );

describe("the options of a preview", () => {
  test.for(["linkedin", "mastodon", "x", "threads"] as const)("%s: none for a plain text", (platform, { expect }) => {
    const adapter = adapterFor(platform)!;
    expect(described(platform, adapter.options.parse({}) as JsonObject)).toEqual([]);
  });

  test("are those that are set and apply", ({ expect }) => {
    const poll = { question: "Green or black?", options: ["Green", "Black"], duration: "ONE_DAY" };
    expect(described("linkedin", { poll, visibility: "connections" })).toEqual([
      "Who can see the post: Your connections",
      "Question: Green or black?",
      "Answers: Green, Black",
      "Open for: A day",
    ]);
    expect(described("linkedin", { poll, visibility: "connections" }, ["image"])).toEqual([
      "Who can see the post: Your connections",
    ]);
    expect(described("mastodon", { visibility: "unlisted", sensitive: false }, ["image"])).toEqual([
      "Who can see the post: Everyone, but not in public timelines",
      "Hide the media behind a warning: No",
    ]);
  });

  test("include what the platform wants a person to choose, although it is the API's default", ({ expect }) => {
    const options = adapterFor("tiktok")!.options.parse({}) as JsonObject;
    expect(described("tiktok", options, ["video"])).toEqual([
      "Who can see the post: Everyone",
      "Comments: Yes",
      "Duets: Yes",
      "Stitches: Yes",
    ]);
  });
});

test("a change names the value of an unset option, but not the prompt of its menu", ({ expect }) => {
  const changed = described("linkedin", {}, [], true);
  expect(changed).toContain("Who can see the post: Everyone (usual)");
  expect(changed.join()).not.toContain("Choose how long");
});

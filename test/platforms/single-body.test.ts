import { describe, test } from "vitest";
import type { Platform } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { validationInput, video } from "../support/adapter-inputs.ts";

/* docs/live-calls-cloudflare.md: nobody has seen yet how large a body an object may send. */
describe.each<Platform>(["pinterest", "bluesky", "mastodon"])("%s takes a video as one request", (platform) => {
  const warnings = (sizeBytes: number) =>
    adapterFor(platform)
      ?.validate(validationInput({ media: [video({ sizeBytes })], options: {} }))
      .warnings.filter(({ code }) => code === "media_near_limit");

  test("the preview says that Cloudflare may refuse more than 100 MB", ({ expect }) => {
    expect(warnings(100_000_001)?.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^media_items\[0\] has 101 MB, and .* takes it in one request: Cloudflare may not send more than 100 MB/,
      ),
    ]);
  });

  test("up to 100 MB it says nothing", ({ expect }) => {
    expect(warnings(100_000_000)).toEqual([]);
  });
});

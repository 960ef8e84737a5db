import { describe, test } from "vitest";
import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { PLATFORMS, type Platform } from "#core/platform.ts";
import type { Adapter } from "#platforms/contract.ts";
import { parseOptions } from "#platforms/options.ts";
import { adapterFor } from "#platforms/registry.ts";
import { CONTENT_OR_AUDIENCE, unknownOptions } from "#platforms/unknown-options.ts";

const adapters = PLATFORMS.flatMap((platform) => adapterFor(platform) ?? []);
const namesOf = ({ options }: Pick<Adapter, "options">) =>
  options instanceof z.ZodObject ? Object.keys(options.shape) : [];

function find(platform: Platform, options: JsonObject) {
  const adapter = adapterFor(platform);
  if (!adapter) {
    throw new Error(`no adapter of ${platform}`);
  }
  const { problems, warnings } = unknownOptions(adapter, options);
  return {
    problems: problems.map(({ code, param, message }) => `${code} ${param}: ${message}`),
    warnings: warnings.map(({ code, message }) => `${code}: ${message}`),
  };
}

describe.each(adapters)("$platform", (adapter) => {
  test("has its own options", ({ expect }) => {
    const all = Object.fromEntries(namesOf(adapter).map((name) => [name, "a value"]));
    expect(unknownOptions(adapter, all)).toEqual({ problems: [], warnings: [] });
  });

  test("refuses what it would drop of the content or the audience of another platform", ({ expect }) => {
    const others = CONTENT_OR_AUDIENCE.filter((name) => !namesOf(adapter).includes(name));
    const { problems, warnings } = unknownOptions(adapter, Object.fromEntries(others.map((name) => [name, "a value"])));
    expect(problems.map(({ param }) => param)).toEqual(others.map((name) => `platform_options.${name}`));
    expect(warnings).toEqual([]);
  });
});

test("content and audience are options of some platform", ({ expect }) => {
  const known = new Set(adapters.flatMap(namesOf));
  expect(CONTENT_OR_AUDIENCE.filter((name) => !known.has(name))).toEqual([]);
});

describe("an option that the platform does not have", () => {
  test.for<[Platform, JsonObject, string[], string[]]>([
    [
      "youtube",
      { title: "A", privacy_statuss: "private" },
      [
        "option_unknown platform_options.privacy_statuss: YouTube has no option privacy_statuss: do you mean privacy_status?",
      ],
      [],
    ],
    [
      "youtube",
      { privacyStatus: "private" },
      [
        "option_unknown platform_options.privacyStatus: YouTube has no option privacyStatus: do you mean privacy_status?",
      ],
      [],
    ],
    [
      "linkedin",
      { thread: [{ caption: "Two" }] },
      ["option_unknown platform_options.thread: LinkedIn has no option thread: leave it out"],
      [],
    ],
    [
      "linkedin",
      { thred: [{ caption: "Two" }] },
      ["option_unknown platform_options.thred: LinkedIn has no option thred: leave it out"],
      [],
    ],
    [
      "x",
      { first_comment: "First" },
      [
        "option_unknown platform_options.first_comment: X has no option first_comment: use thread, whose parts follow the post",
      ],
      [],
    ],
    [
      "x",
      { media_urls: ["https://example.com/a.jpg"] },
      [
        "option_unknown platform_options.media_urls: X has no option media_urls: send it beside platform_options, in the target",
      ],
      [],
    ],
    ["youtube", { tagz: ["a"] }, [], ["option_unknown: YouTube has no option tagz: do you mean tags?"]],
    ["x", { future_key: true }, [], ["option_unknown: X has no option future_key: leave it out"]],
    [
      "x",
      { is_draft: false, thread: null, poll: null },
      [],
      ["option_unknown: X has no option is_draft: leave it out"],
    ],
    ["x", { thread: null, privacy_status: null, something_else: null }, [], []],
  ])("%s %j", ([platform, options, problems, warnings], { expect }) => {
    expect(find(platform, options)).toEqual({ problems, warnings });
  });

  test("is told for some of very many, and those that matter come first", ({ expect }) => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`unknown_${index}`, true]));
    const { problems, warnings } = find("x", { ...many, privacy_status: "private", ["x".repeat(100_000)]: true });
    expect(problems).toHaveLength(1);
    expect(warnings).toHaveLength(19);
    expect(find("x", { ["x".repeat(100_000)]: true }).warnings.join("").length).toBeLessThan(200);
  });
});

test.for<[Platform, JsonObject, string]>([
  ["x", { poll: { options: ["a", "b"], duration_minutes: 60, durration: 5 } }, "poll has no member durration"],
  ["threads", { poll: { options: ["a", "b"], question: "?" } }, "poll has no member question"],
  ["linkedin", { article: { url: "https://a.example", title: "A", subtitle: "B" } }, "article has no member subtitle"],
  ["bluesky", { link_card: { uri: "https://a.example", title: "", description: "", image: "B" } }, "no member image"],
  ["threads", { thread: [{ caption: "Two", media_url: "https://a.example/a.jpg" }] }, "has no member media_url"],
])("%s: a misspelt member of an option is refused by its name", ([platform, options, text], { expect }) => {
  const schema = adapterFor(platform)?.options as z.ZodType<Record<string, unknown>>;
  expect(
    parseOptions(schema, options)
      .problems.map(({ message }) => message)
      .join(),
  ).toContain(text);
});

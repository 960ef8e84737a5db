import { describe, test } from "vitest";
import { z } from "@hono/zod-openapi";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { Adapter, ValidationResult } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { image, validationInput, video } from "../support/adapter-inputs.ts";
import { sampleOf } from "../support/platform-samples.ts";

/* What a caller reads about an option that is refused: which one it is, and what is allowed. */

const adapters = PLATFORMS.flatMap((platform) => adapterFor(platform) ?? []);

interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly OptionSchema[];
  readonly items?: OptionSchema;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

const schemaOf = (adapter: Adapter) =>
  z.toJSONSchema(adapter.options, { io: "input", unrepresentable: "any" }) as OptionSchema;

function validateWith(adapter: Adapter, options: JsonObject): ValidationResult {
  const { media, options: required, capabilities, settings = {} } = sampleOf(adapter.platform).post;
  return adapter.validate(
    validationInput({ media, settings, options: { ...required, ...options }, ...(capabilities && { capabilities }) }),
  );
}

/** What the validator itself says when nobody gave it a sentence. */
const STOCK_PHRASES =
  /invalid input|invalid option|invalid string|invalid type|invalid value|expected|received|undefined|too small|too big|must match pattern|unrecognized|\bNaN\b|\[object/i;

/** Values of every JSON type, of every size, that no option takes as it is. */
const VALUES: readonly JsonValue[] = [
  {},
  { a: 1 },
  { uri: 1, title: null, description: [] },
  { uri: "no url", title: "", description: "a".repeat(100_000) },
  [],
  [null],
  [7],
  [{}],
  ["no value"],
  Array.from({ length: 300 }, (_, index) => `${index}`),
  ["a".repeat(100_000)],
  12,
  -1.5,
  1e300,
  true,
  false,
  "",
  " \n",
  "no such value",
  "< >",
  "a".repeat(100_000),
];

describe.each(adapters)("$platform: the options", (adapter) => {
  const { properties = {}, required = [] } = schemaOf(adapter);
  const names = Object.keys(properties);
  const problemsOf = (name: string, value: JsonValue) =>
    validateWith(adapter, { [name]: value }).problems.filter(({ param }) => param.startsWith("platform_options"));

  test("have a description each", ({ expect }) => {
    expect(names.filter((name) => !properties[name]?.description)).toEqual([]);
  });

  test("a refusal names the option and says what is allowed in words of its own", ({ expect }) => {
    let count = 0;
    for (const name of names) {
      for (const value of VALUES) {
        for (const { code, message, param } of problemsOf(name, value)) {
          count += 1;
          const context = `${name} = ${JSON.stringify(value).slice(0, 60)}: ${message}`;
          expect(param.startsWith(`platform_options.${name}`), context).toBe(true);
          expect(message, context).not.toMatch(STOCK_PHRASES);
          expect(message.length, context).toBeGreaterThan(20);
          if (code === "option_invalid" || code === "option_required") {
            expect(message, context).toContain(name);
          }
        }
      }
    }
    expect(count).toBeGreaterThan(10);
  });

  test("a value of the wrong type is refused with the right one, and with null where null is allowed", ({ expect }) => {
    for (const name of names) {
      const wrong = /^(?:number|integer)$/.test(properties[name]?.type ?? "") ? "no number" : 12;
      const [problem] = problemsOf(name, wrong);
      expect(problem?.message, name).toMatch(
        /must be (?:a text|a number|a whole number|true or false|a list|an object|one of .+, )/,
      );
      expect(problem?.message.includes("or null"), name).toBe(!required.includes(name));
    }
    // A text has a length too: that is not measured where a list is wanted.
    for (const name of names.filter((option) => properties[option]?.type === "array")) {
      expect(problemsOf(name, "a".repeat(5000)), name).toHaveLength(1);
    }
  });

  test("an unknown value is refused with all that are known", ({ expect }) => {
    for (const [name, schema] of Object.entries(properties)) {
      const values = [schema, ...(schema.anyOf ?? [])].flatMap((part) => part.enum ?? []);
      if (values.length > 0) {
        const [problem] = problemsOf(name, "no such value");
        expect(problem?.message, name).toContain(`must be one of ${values.join(", ")}`);
      }
    }
  });

  test("null for an optional option is the same as leaving it out", ({ expect }) => {
    const without = validateWith(adapter, {});
    for (const name of names.filter((option) => !required.includes(option))) {
      expect(validateWith(adapter, { [name]: null }), name).toEqual(without);
    }
    expect(
      validateWith(
        adapter,
        Object.fromEntries(names.filter((name) => !required.includes(name)).map((name) => [name, null])),
      ),
    ).toEqual(without);
  });

  test("a required option is missing when it is left out or null, and the refusal says what to send", ({ expect }) => {
    const { media, options } = sampleOf(adapter.platform).post;
    for (const name of required) {
      const { [name]: _, ...rest } = options;
      for (const sent of [rest, { ...rest, [name]: null }]) {
        const { problems } = adapter.validate(validationInput({ media, options: sent }));
        expect(problems).toContainEqual({
          code: "option_required",
          param: `platform_options.${name}`,
          message: `platform_options.${name} is missing: send it (${properties[name]?.description})`,
        });
      }
    }
  });
});

describe.each(adapters)("$platform: the media", (adapter) => {
  test("a missing or unaccepted file is refused with what is accepted", ({ expect }) => {
    const { options } = sampleOf(adapter.platform).post;
    const { images, videos, textOnly } = adapter.limits.media;
    const messages = (media: Parameters<typeof validationInput>[0] = {}) =>
      adapter.validate(validationInput({ options, ...media })).problems.map(({ message }) => message);
    if (!textOnly) {
      expect(messages()).toContain(
        images === null
          ? "a video is required"
          : videos === null
            ? "an image is required"
            : "at least one image or video is required",
      );
    }
    if (images === null) {
      expect(messages({ media: [image()] })).toContain("images are not accepted here: a video is required");
    }
    if (videos === null) {
      expect(messages({ media: [video()] })).toContain("videos are not accepted here: an image is required");
    }
  });
});

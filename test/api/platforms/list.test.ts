import Ajv2020 from "ajv/dist/2020.js";
import { describe, test } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { callApi } from "../../support/call-api.ts";
import { createCaller } from "../../support/create-caller.ts";

interface Rules {
  readonly platform: string;
  readonly caption: { readonly max: number };
  readonly options: object;
}

describe("200", () => {
  test("every platform with an adapter, with the limits used for validation", async ({ expect }) => {
    const response = await callApi(await createCaller({ scopes: ["accounts:read"] }), {
      method: "GET",
      path: "/platforms",
    });
    const rules: readonly Rules[] = response.body.platforms;
    const expected = PLATFORMS.filter((platform) => adapterFor(platform));
    expect(rules.map(({ platform }) => platform)).toEqual(expected);
    for (const { platform, caption, options } of rules) {
      expect(caption.max).toBe(adapterFor(platform as (typeof expected)[number])?.limits.caption.max);
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(options);
      expect(validate({ unknown_key: 1 }) || validate.errors?.every(({ keyword }) => keyword === "required")).toBe(
        true,
      );
    }
  });
});

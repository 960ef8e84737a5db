import Ajv2020 from "ajv/dist/2020.js";
import { describe, test } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { call } from "../../support/call.ts";
import { newCaller } from "../../support/user.ts";

interface Rules {
  readonly platform: string;
  readonly caption: { readonly max: number };
  readonly options: object;
}

describe("200", () => {
  test("every platform with an adapter, with the rules that validate", async ({ expect }) => {
    const answer = await call(await newCaller({ scopes: ["accounts:read"] }), { method: "GET", path: "/platforms" });
    const rules: readonly Rules[] = answer.body.platforms;
    const known = PLATFORMS.filter((platform) => adapterFor(platform));
    expect(rules.map(({ platform }) => platform)).toEqual(known);
    for (const { platform, caption, options } of rules) {
      expect(caption.max).toBe(adapterFor(platform as (typeof known)[number])?.limits.caption.max);
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(options);
      expect(validate({ unheard_of: 1 }) || validate.errors?.every(({ keyword }) => keyword === "required")).toBe(true);
    }
  });
});

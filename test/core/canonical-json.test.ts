import canonicalize from "canonicalize";
import { assert, double, jsonValue, property } from "fast-check";
import { test } from "vitest";
import { canonicalJson, type JsonValue } from "#core/json.ts";

test("canonicalJson agrees with an independent implementation of RFC 8785", ({ expect }) => {
  assert(
    property(jsonValue({ maxDepth: 4 }), double({ noNaN: true, noDefaultInfinity: true }), (value, number) => {
      const input = { value, number, "\u20ac": 1, "\ud83d\ude00": 2, "\ufb33": 3, "\r": 4 } as JsonValue;
      expect(canonicalJson(input)).toBe(canonicalize(input));
    }),
    { numRuns: 500 },
  );
});

test("the example of RFC 8785 (3.2.2 and 3.2.3)", ({ expect }) => {
  const input = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\u002f",
    literals: [null, true, false],
  };
  expect(canonicalJson(input)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

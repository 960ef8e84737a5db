import * as fc from "fast-check";
import { describe, test } from "vitest";
import { call } from "../support/call.ts";
import { openApiDocument, operationsOf } from "../support/document.ts";
import { connectOne, scheduleText } from "../support/journey.ts";
import { newCaller } from "../support/user.ts";

/*
 * Whatever a caller sends is the caller's affair: it never becomes a fault of ours, and every answer is one the document
 * promises (`call` compares each of them).
 */

const operations = operationsOf(await openApiDocument());
const caller = await newCaller();
const account = await connectOne(caller);
const post = await scheduleText(caller, account.id);

const RUNS = 60;

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(
    "\0",
    "\ud800",
    "__proto__",
    "constructor",
    "1e3",
    "NaN",
    "null",
    "' OR 1=1 --",
    "2026-02-30T00:00:00Z",
    "9999-12-31T23:59:59Z",
    account.id,
    post.id,
  ),
);

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.maxSafeInteger()),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 5 }),
  ),
})).value;

/** A right body with one member of it, however deep, made into something else. */
function mutated(example: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(example) && example.length > 0) {
    return fc.oneof(
      json,
      mutated(example[0]).map((first) => [first, ...example.slice(1)]),
      fc.constant([...example, ...example]),
    );
  }
  if (typeof example === "object" && example !== null && Object.keys(example).length > 0) {
    return fc
      .constantFrom(...Object.keys(example))
      .chain((name) =>
        mutated((example as Record<string, unknown>)[name]).map((member) => ({ ...example, [name]: member })),
      );
  }
  return json;
}

/** Real ids in the place of the example's, so that calls get past the lookups. */
function real(example: unknown): unknown {
  return JSON.parse(JSON.stringify(example), (name, value: unknown) =>
    name === "account_id" ? account.id : name === "post_ids" ? [post.id] : name === "media_urls" ? undefined : value,
  );
}

const encoded = (value: unknown) => encodeURIComponent(String(value).toWellFormed());

describe.each(operations.filter(({ operation }) => operation.requestBody))(
  "$method $path",
  ({ method, path, operation }) => {
    const example = real(operation.requestBody?.content["application/json"]?.example);

    test("takes any JSON without a fault", async ({ expect }) => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(json, mutated(example)), async (body) => {
          const sent = JSON.stringify(body) ?? "null";
          const answer = await call(caller, { method, path: path.replace("{id}", crypto.randomUUID()), body: sent });
          expect(answer.status, sent).toBeLessThan(500);
        }),
        { numRuns: RUNS },
      );
    });
  },
);

describe.each(operations.filter(({ operation }) => operation.parameters?.some((one) => one.in === "query")))(
  "$method $path",
  ({ method, path, operation }) => {
    const names = (operation.parameters ?? []).flatMap((one) => (one.in === "query" && one.name ? [one.name] : []));

    test("takes any query without a fault", async ({ expect }) => {
      const pair = fc.tuple(fc.oneof(fc.constantFrom(...names), text), fc.oneof(text, fc.integer(), fc.double()));
      await fc.assert(
        fc.asyncProperty(fc.array(pair, { maxLength: 4 }), async (pairs) => {
          const query = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
          const answer = await call(caller, { method, path: `${path}?${query}` });
          expect(answer.status, query).toBeLessThan(500);
        }),
        { numRuns: RUNS },
      );
    });
  },
);

test("any id in a path is taken without a fault", async ({ expect }) => {
  await fc.assert(
    fc.asyncProperty(
      text.filter((id) => id !== ""),
      async (id) => {
        const answer = await call(caller, { method: "GET", path: `/posts/${encoded(id)}` });
        expect(answer.status, id).toBeLessThan(500);
      },
    ),
    { numRuns: RUNS },
  );
});

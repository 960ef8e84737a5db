import * as fc from "fast-check";
import { describe, test } from "vitest";
import { callApi } from "../support/call-api.ts";
import { openApiDocument, operationsOf, withUnknownIds } from "../support/openapi-document.ts";
import { connectOneAccount, scheduleTextPost } from "../support/api-workflows.ts";
import { createCaller } from "../support/create-caller.ts";

/*
 * No input may cause a 5xx response, and every response must match the OpenAPI document (`callApi` checks each one).
 */

const operations = operationsOf(await openApiDocument());
const caller = await createCaller();
const account = await connectOneAccount(caller);
const post = await scheduleTextPost(caller, account.id);

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

/** A valid body with one member, at any depth, replaced by another value. */
function mutationsOf(example: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(example) && example.length > 0) {
    return fc.oneof(
      json,
      mutationsOf(example[0]).map((first) => [first, ...example.slice(1)]),
      fc.constant([...example, ...example]),
    );
  }
  if (typeof example === "object" && example !== null && Object.keys(example).length > 0) {
    return fc
      .constantFrom(...Object.keys(example))
      .chain((name) =>
        mutationsOf((example as Record<string, unknown>)[name]).map((member) => ({ ...example, [name]: member })),
      );
  }
  return json;
}

/** Replaces the ids of the example with real ones, so that lookups succeed. */
function withRealIds(example: unknown): unknown {
  return JSON.parse(JSON.stringify(example), (name, value: unknown) =>
    name === "account_id" ? account.id : name === "post_ids" ? [post.id] : name === "media_urls" ? undefined : value,
  );
}

const encode = (value: unknown) => encodeURIComponent(String(value).toWellFormed());

describe.each(operations.filter(({ operation }) => operation.requestBody))(
  "$method $path",
  ({ method, path, operation }) => {
    const example = withRealIds(operation.requestBody?.content["application/json"]?.example);

    test("accepts any JSON without a 5xx response", async ({ expect }) => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(json, mutationsOf(example)), async (body) => {
          const sent = JSON.stringify(body) ?? "null";
          const response = await callApi(caller, {
            method,
            path: withUnknownIds(path),
            body: sent,
          });
          expect(response.status, sent).toBeLessThan(500);
        }),
        { numRuns: RUNS },
      );
    });
  },
);

describe.each(
  operations.filter(({ operation }) => operation.parameters?.some((parameter) => parameter.in === "query")),
)("$method $path", ({ method, path, operation }) => {
  const names = (operation.parameters ?? []).flatMap((parameter) =>
    parameter.in === "query" && parameter.name ? [parameter.name] : [],
  );

  test("accepts any query without a 5xx response", async ({ expect }) => {
    const pair = fc.tuple(fc.oneof(fc.constantFrom(...names), text), fc.oneof(text, fc.integer(), fc.double()));
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { maxLength: 4 }), async (pairs) => {
        const query = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
        const response = await callApi(caller, { method, path: `${withUnknownIds(path)}?${query}` });
        expect(response.status, query).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
  });
});

const PATHS_WITH_ID = ["/posts/", "/webhooks/", "/webhooks/{id}/deliveries/", "/events/"];

test.for(PATHS_WITH_ID)("any id after %s is accepted without a 5xx response", async (path, { expect }) => {
  await fc.assert(
    fc.asyncProperty(
      // URLs leave out dots: they would lead to another operation.
      text.filter((id) => id !== "" && id !== "." && id !== ".."),
      async (id) => {
        const response = await callApi(caller, { method: "GET", path: `${withUnknownIds(path)}${encode(id)}` });
        expect(response.status, id).toBeLessThan(500);
      },
    ),
    { numRuns: RUNS },
  );
});

import { exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { callApi } from "../support/call-api.ts";
import { openApiDocument, operationsOf } from "../support/openapi-document.ts";
import { ORIGIN } from "../support/origin.ts";
import { createCaller } from "../support/create-caller.ts";

const writes = operationsOf(await openApiDocument()).filter(({ operation }) => operation.requestBody);
const caller = await createCaller();
const pathOf = (path: string) => path.replace("{id}", crypto.randomUUID());

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

const INVALID_BODIES: readonly (readonly [what: string, body: string])[] = [
  ["an incomplete object", "{"],
  ["an incomplete string", '{"a": "b'],
  ["a NUL in a value", '{"caption": "a\\u0000b"}'],
  ["a NUL in a name", '{"a\\u0000b": 1}'],
  ["an unpaired surrogate in a value", '{"caption": "\\ud800"}'],
  ["a nested unpaired surrogate", '{"targets": [{"platform_options": {"title": ["\\udc00"]}}]}'],
  ["an unpaired surrogate in a name", '{"\\ud83d": 1}'],
  ["a number too large to represent", '{"shift_minutes": 1e999}'],
  ["a __proto__ member", '{"__proto__": {"confirm": true}}'],
  ["a nested __proto__ member", '{"targets": [{"platform_options": {"__proto__": {}}}]}'],
  ["too deep nesting", nested(100_000)],
];

const NOT_AN_OBJECT = ["null", "true", "1", '"text"', "[]", "[{}]"];

describe.each(writes)("$method $path", ({ method, path, operation }) => {
  const example = JSON.stringify(operation.requestBody?.content["application/json"]?.example);
  const send = (body: string | undefined, headers: Readonly<Record<string, string>> = {}) =>
    callApi(caller, { method, path: pathOf(path), ...(body !== undefined && { body }), headers });

  test("400 without a body", async ({ expect }) => {
    const response = await send(undefined);
    expect(response).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  test("400 with an empty body", async ({ expect }) => {
    const response = await send("");
    expect(response).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  // What a PUT leaves out is removed, and a draft may be empty.
  const takesEmptyObject = method === "PUT" || ["createDraft", "previewDraft"].includes(operation.operationId);
  test.skipIf(takesEmptyObject)(
    "400 with an empty object, naming every missing member, or that a change changes nothing",
    async ({ expect }) => {
      const response = await send("{}");
      expect(response.status).toBe(400);
      expect(response.body.details.length).toBeGreaterThan(0);
      const changesNothing = operation.operationId === "updateWebhook";
      const problem = changesNothing ? { code: "no_changes" } : { code: "required", param: expect.any(String) };
      expect(response.body.details[0]).toMatchObject(problem);
    },
  );

  test.for(INVALID_BODIES)("400 with %s", async ([, body], { expect }) => {
    const response = await send(body);
    expect(response).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  test.for(NOT_AN_OBJECT)("400 with %s", async (body, { expect }) => {
    const response = await send(body);
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });

  test.for(["text/plain", "application/x-www-form-urlencoded", "application/xml", "application/jsonx", "json", ";"])(
    "415 with the content type %s",
    async (type, { expect }) => {
      const response = await send(example, { "content-type": type });
      expect(response).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
    },
  );

  test("413 over 1 MiB", async ({ expect }) => {
    const response = await send(`{"caption": "${"x".repeat(1024 * 1024)}"}`);
    expect(response).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });
});

describe("a body", () => {
  test("that is not UTF-8 is 400", async ({ expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}/v1/workspaces`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    });
    expect(response.status).toBe(400);
  });

  test("without a content type is 415", async ({ expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}/v1/workspaces`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}` },
      body: new TextEncoder().encode('{"name":"Studio"}'),
    });
    expect(response.status).toBe(415);
  });

  test("that is compressed is 415", async ({ expect }) => {
    const response = await callApi(caller, {
      method: "POST",
      path: "/workspaces",
      body: { name: "Studio" },
      headers: { "content-encoding": "gzip" },
    });
    expect(response).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });

  test("with a charset parameter and unknown members is accepted", async ({ expect }) => {
    const response = await callApi(await createCaller(), {
      method: "POST",
      path: "/workspaces",
      body: { name: "Studio", constructor: { prototype: 1 }, colour: "red" },
      headers: { "content-type": "Application/JSON; charset=utf-8" },
    });
    expect(response.status).toBe(201);
  });
});

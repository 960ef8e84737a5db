import { exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { call } from "../support/call.ts";
import { openApiDocument, operationsOf } from "../support/document.ts";
import { ORIGIN } from "../support/origin.ts";
import { newCaller } from "../support/user.ts";

const writes = operationsOf(await openApiDocument()).filter(({ operation }) => operation.requestBody);
const caller = await newCaller();
const pathOf = (path: string) => path.replace("{id}", crypto.randomUUID());

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

const UNREADABLE: readonly (readonly [what: string, body: string])[] = [
  ["no JSON", "{"],
  ["JSON that stops", '{"a": "b'],
  ["a NUL in a value", '{"caption": "a\\u0000b"}'],
  ["a NUL in a name", '{"a\\u0000b": 1}'],
  ["an unpaired surrogate in a value", '{"caption": "\\ud800"}'],
  ["an unpaired surrogate deep inside", '{"targets": [{"platform_options": {"title": ["\\udc00"]}}]}'],
  ["an unpaired surrogate in a name", '{"\\ud83d": 1}'],
  ["a number beyond all bounds", '{"shift_minutes": 1e999}'],
  ["a prototype", '{"__proto__": {"confirm": true}}'],
  ["a prototype deep inside", '{"targets": [{"platform_options": {"__proto__": {}}}]}'],
  ["nesting without end", nested(100_000)],
];

const NOT_AN_OBJECT = ["null", "true", "1", '"text"', "[]", "[{}]"];

describe.each(writes)("$method $path", ({ method, path, operation }) => {
  const example = JSON.stringify(operation.requestBody?.content["application/json"]?.example);
  const send = (body: string | undefined, headers: Readonly<Record<string, string>> = {}) =>
    call(caller, { method, path: pathOf(path), ...(body !== undefined && { body }), headers });

  test("400 without a body", async ({ expect }) => {
    const answer = await send(undefined);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  test("400 with an empty body", async ({ expect }) => {
    const answer = await send("");
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  test("400 with an empty object, every missing member named", async ({ expect }) => {
    const answer = await send("{}");
    expect(answer.status).toBe(400);
    expect(answer.body.details.length).toBeGreaterThan(0);
    expect(answer.body.details[0]).toMatchObject({ code: "required", param: expect.any(String) });
  });

  test.for(UNREADABLE)("400 with %s", async ([, body], { expect }) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  test.for(NOT_AN_OBJECT)("400 with %s", async (body, { expect }) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });

  test.for(["text/plain", "application/x-www-form-urlencoded", "application/xml", "application/jsonx", "json", ";"])(
    "415 as %s",
    async (type, { expect }) => {
      const answer = await send(example, { "content-type": type });
      expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
    },
  );

  test("413 over 1 MiB", async ({ expect }) => {
    const answer = await send(`{"caption": "${"x".repeat(1024 * 1024)}"}`);
    expect(answer).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });
});

describe("a body", () => {
  test("of bytes that are no UTF-8 is 400", async ({ expect }) => {
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
    const answer = await call(caller, {
      method: "POST",
      path: "/workspaces",
      body: { name: "Studio" },
      headers: { "content-encoding": "gzip" },
    });
    expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });

  test("that says its character set, and members nobody knows, are taken", async ({ expect }) => {
    const answer = await call(await newCaller(), {
      method: "POST",
      path: "/workspaces",
      body: { name: "Studio", constructor: { prototype: 1 }, colour: "red" },
      headers: { "content-type": "Application/JSON; charset=utf-8" },
    });
    expect(answer.status).toBe(201);
  });
});

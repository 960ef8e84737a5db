import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, test } from "vitest";
import { readConfig } from "#config.ts";
import { DETAILS, HTTP_ERRORS, PAUSED_REASONS, REFUSALS, TARGET_ERRORS, WARNINGS } from "#core/codes.ts";
import { PLATFORMS } from "#core/platform.ts";
import { EVENT_TYPES } from "#core/event-type.ts";
import { SCOPES } from "#core/scope.ts";
import { adapterFor } from "#platforms/registry.ts";
import { EVENT_BODIES } from "#wire/schemas/event.ts";
import { env } from "cloudflare:workers";
import { openApiDocument, operationsOf } from "../support/openapi-document.ts";

/** The endpoint table of the product's specification: method, path, scope and statuses. */
const SPECIFIED: readonly (readonly [method: string, path: string, scope: string, statuses: readonly number[]])[] = [
  ["GET", "/accounts", "accounts:read", [200, 401, 403]],
  ["POST", "/accounts", "accounts:write", [200, 400, 403]],
  ["DELETE", "/accounts", "accounts:write", [200, 400, 404]],
  ["POST", "/accounts/sync", "accounts:write", [200]],
  ["GET", "/accounts/pinterest-boards", "accounts:read", [200, 404]],
  ["GET", "/workspaces", "workspaces:read", [200]],
  ["POST", "/workspaces", "workspaces:write", [201, 403]],
  ["POST", "/workspaces/active", "workspaces:write", [200]],
  ["GET", "/posts", "posts:read", [200, 401, 403]],
  ["GET", "/schedule/summary", "posts:read", [200, 401, 403]],
  ["POST", "/media", "posts:write", [200, 400, 401, 403]],
  ["POST", "/posts/preview", "posts:write", [200, 400, 401, 403]],
  ["POST", "/posts/confirm", "posts:write", [200, 400, 401, 403]],
  ["POST", "/posts/edit/preview", "posts:write", [200, 400, 401, 403]],
  ["POST", "/posts/edit/confirm", "posts:write", [200, 400, 401, 403]],
  ["GET", "/posts/{id}", "posts:read", [200, 404]],
  ["DELETE", "/posts/{id}", "posts:write", [200, 400, 401, 403, 404]],
];

/** Operations that are not in that table. */
const ADDITIONAL: readonly (readonly [method: string, path: string, scope: string | null])[] = [
  ["GET", "/platforms", null],
  ["GET", "/posts/{id}/attempts", "posts:read"],
  ["GET", "/approvals", "posts:read"],
  ["GET", "/approvals/{id}", "posts:read"],
  ["DELETE", "/approvals/{id}", "posts:write"],
  ["POST", "/media/uploads", "posts:write"],
  ["GET", "/limits", null],
  ["GET", "/events", "posts:read"],
  ["GET", "/events/{id}", "posts:read"],
  ["GET", "/webhooks", "workspaces:read"],
  ["POST", "/webhooks", "workspaces:write"],
  ["GET", "/webhooks/{id}", "workspaces:read"],
  ["PATCH", "/webhooks/{id}", "workspaces:write"],
  ["DELETE", "/webhooks/{id}", "workspaces:write"],
  ["POST", "/webhooks/{id}/rotate-secret", "workspaces:write"],
  ["POST", "/webhooks/{id}/test", "workspaces:write"],
  ["GET", "/webhooks/{id}/deliveries", "workspaces:read"],
  ["GET", "/webhooks/{id}/deliveries/{delivery_id}", "workspaces:read"],
  ["POST", "/webhooks/{id}/deliveries/{delivery_id}/resend", "workspaces:write"],
  ["POST", "/webhooks/{id}/replay", "workspaces:write"],
];

/** Statuses that every operation may document in addition to the table. */
const COMMON_STATUSES = new Set([400, 401, 403, 409, 413, 415, 429, 500, 503]);

const document = await openApiDocument();
const operations = operationsOf(document);
const findOperation = (method: string, path: string) =>
  operations.find((operation) => operation.method === method && operation.path === path)?.operation;

describe("the document and the specification agree", () => {
  test("on the operations", ({ expect }) => {
    const expected = [...SPECIFIED, ...ADDITIONAL].map(([method, path]) => `${method} ${path}`);
    expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(expected.toSorted());
  });

  test.for(SPECIFIED)("on %s %s: scope and statuses", ([method, path, scope, statuses], { expect }) => {
    const operation = findOperation(method, path);
    expect(operation?.security).toEqual([{ apiKey: [] }, { oauth2: [scope] }]);
    const documented = Object.keys(operation?.responses ?? {}).map(Number);
    expect(documented).toEqual(expect.arrayContaining([...statuses]));
    const extra = documented.filter((status) => !statuses.includes(status) && !COMMON_STATUSES.has(status));
    // The table does not list 404 for a workspace of another user.
    expect(extra).toEqual(path === "/workspaces/active" ? [404] : []);
  });

  test.for(ADDITIONAL)("on the scope of %s %s", ([method, path, scope], { expect }) => {
    expect(findOperation(method, path)?.security).toEqual([{ apiKey: [] }, { oauth2: scope === null ? [] : [scope] }]);
  });

  test("on the versions and the server URL", ({ expect }) => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.2.0");
    expect(document.servers[0]?.url).toBe(readConfig(env).baseUrl);
  });

  test("on the platforms", ({ expect }) => {
    expect(document.components.schemas["Platform"]).toMatchObject({ enum: [...PLATFORMS] });
  });

  test.for([
    ["ErrorCode", { ...REFUSALS, ...HTTP_ERRORS }],
    ["DetailCode", DETAILS],
    ["TargetErrorCode", TARGET_ERRORS],
    ["WarningCode", WARNINGS],
    ["PausedReason", PAUSED_REASONS],
  ] as const)("on the codes of %s, each with what to do", ([name, list], { expect }) => {
    expect(document.components.schemas[name]).toMatchObject({
      enum: Object.keys(list),
      "x-enum-descriptions": Object.values(list),
    });
  });

  test.for([
    ["ErrorBody", "code", "ErrorCode"],
    ["ErrorDetail", "code", "DetailCode"],
    ["TargetError", "code", "TargetErrorCode"],
    ["Warning", "code", "WarningCode"],
    ["Post", "paused_reason", "PausedReason"],
  ] as const)("on the closed list of %s.%s", ([schema, member, list], { expect }) => {
    const properties = (document.components.schemas[schema] as { properties: Record<string, unknown> }).properties;
    expect(JSON.stringify(properties[member])).toContain(`"#/components/schemas/${list}"`);
  });

  test("on the scopes and URLs of OAuth", ({ expect }) => {
    const { authUrl } = readConfig(env);
    expect(document.components.securitySchemes["apiKey"]).toMatchObject({ type: "http", scheme: "bearer" });
    expect(document.components.securitySchemes["oauth2"]).toMatchObject({
      flows: {
        authorizationCode: {
          authorizationUrl: `${authUrl}/oauth/authorize`,
          tokenUrl: `${authUrl}/oauth/token`,
          refreshUrl: `${authUrl}/oauth/token`,
          scopes: Object.fromEntries(SCOPES.map((scope) => [scope, expect.any(String)])),
        },
      },
    });
  });
});

describe("every operation", () => {
  test("has a unique id", ({ expect }) => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  });

  test.for(operations)("$method $path requires its body", ({ operation }, { expect }) => {
    expect(operation.requestBody?.required ?? true).toBe(true);
  });

  test.for(operations)("$method $path has valid examples", ({ operation }, { expect }) => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    ajv.addSchema({ $id: "https://document.test/", components: document.components });
    const contents = [
      operation.requestBody?.content,
      ...Object.values(operation.responses).map(({ content }) => content),
    ];
    for (const [, { schema, example }] of contents.flatMap((content) => Object.entries(content ?? {}))) {
      expect(example).toBeDefined();
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://document.test/#/')) as object;
      expect(ajv.validate(absolute, example), ajv.errorsText()).toBe(true);
    }
  });
});

describe("the webhooks section", () => {
  test("has every event type, and nothing else", ({ expect }) => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual([...EVENT_TYPES].toSorted());
  });

  test.for(EVENT_TYPES)("describes the headers of %s, and its example is valid", (type, { expect }) => {
    const operation = document.webhooks[type]?.["post"];
    expect(operation?.parameters?.map(({ name }) => name)).toEqual([
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
    ]);
    const { schema, example } = operation?.requestBody?.content["application/json"] ?? { schema: {} };
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    ajv.addSchema({ $id: "https://document.test/", components: document.components });
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://document.test/#/')) as object;
    expect(ajv.validate(absolute, example), ajv.errorsText()).toBe(true);
    expect(example).toMatchObject({ type });
    expect(EVENT_BODIES[type].parse(example)).toEqual(example);
    expect(ajv.validate(absolute, { ...(example as object), type: "post.invented" })).toBe(false);
  });
});

describe("Idempotency-Key", () => {
  test("is described, and not a parameter that imported collections would send with one value", ({ expect }) => {
    const writes = operations.filter(({ method }) => method !== "GET");
    for (const { operation } of writes) {
      expect(operation.description).toContain("`Idempotency-Key`");
    }
    const parameters = operations.flatMap(({ operation }) => operation.parameters ?? []);
    expect(JSON.stringify(parameters)).not.toMatch(/idempotency/i);
    expect(document.info.description).toMatch(/`Idempotent-Replayed: true`[^]+`request_id` of the first call/);
  });
});

describe("optional members", () => {
  test.for(operations.filter(({ operation }) => operation.requestBody))(
    "of $method $path accept null",
    ({ operation }, { expect }) => {
      const ajv = new Ajv2020({ strict: false });
      addFormats(ajv);
      ajv.addSchema({ $id: "https://document.test/", components: document.components });
      for (const { schema, example } of Object.values(operation.requestBody?.content ?? {})) {
        const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://document.test/#/')) as object;
        const name = /schemas\/(\w+)"/.exec(JSON.stringify(schema))?.[1] ?? "";
        const { properties = {}, required = [] } = document.components.schemas[name] as {
          properties?: object;
          required?: string[];
        };
        const unset = Object.keys(properties).filter((member) => !required.includes(member));
        const body = { ...(example as object), ...Object.fromEntries(unset.map((member) => [member, null])) };
        expect(ajv.validate(absolute, body), ajv.errorsText()).toBe(true);
      }
    },
  );

  test("of a target accept null", ({ expect }) => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    ajv.addSchema({ $id: "https://document.test/", components: document.components });
    const target = { account_id: crypto.randomUUID(), caption: null, platform_options: null };
    const schema = { $ref: "https://document.test/#/components/schemas/ScheduleTarget" };
    expect(ajv.validate(schema, target), ajv.errorsText()).toBe(true);
  });
});

describe("platform_options", () => {
  test.for(PLATFORMS.filter((platform) => adapterFor(platform)))("of %s are described", (platform, { expect }) => {
    const name = `${platform.charAt(0).toUpperCase()}${platform.slice(1)}Options`;
    expect(document.components.schemas[name]).toMatchObject({ type: "object", additionalProperties: {} });
  });
});

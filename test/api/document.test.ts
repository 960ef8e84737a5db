import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, test } from "vitest";
import { readConfig } from "#config.ts";
import { PLATFORMS } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import { adapterFor } from "#platforms/registry.ts";
import { env } from "cloudflare:workers";
import { openApiDocument, operationsOf } from "../support/document.ts";

/** The endpoint table of the product's specification: method, path, scope, the statuses it names. */
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

/** What the product offers beyond that table. */
const BEYOND: readonly (readonly [method: string, path: string, scope: string | null])[] = [
  ["GET", "/platforms", null],
  ["GET", "/posts/{id}/attempts", "posts:read"],
  ["POST", "/media/uploads", "posts:write"],
];

/** Statuses that any operation may add to those the table names. */
const COMMON_STATUSES = new Set([400, 401, 403, 409, 413, 415, 429, 500]);

const document = await openApiDocument();
const operations = operationsOf(document);
const known = (method: string, path: string) =>
  operations.find((one) => one.method === method && one.path === path)?.operation;

describe("the document and the specification agree", () => {
  test("on the operations", ({ expect }) => {
    const promised = [...SPECIFIED, ...BEYOND].map(([method, path]) => `${method} ${path}`);
    expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(promised.toSorted());
  });

  test.for(SPECIFIED)("on %s %s: scope and statuses", ([method, path, scope, statuses], { expect }) => {
    const operation = known(method, path);
    expect(operation?.security).toEqual([{ apiKey: [] }, { oauth2: [scope] }]);
    const documented = Object.keys(operation?.responses ?? {}).map(Number);
    expect(documented).toEqual(expect.arrayContaining([...statuses]));
    const extra = documented.filter((status) => !statuses.includes(status) && !COMMON_STATUSES.has(status));
    // A workspace of somebody else is not found, which the table does not spell out.
    expect(extra).toEqual(path === "/workspaces/active" ? [404] : []);
  });

  test.for(BEYOND)("on the scope of %s %s", ([method, path, scope], { expect }) => {
    expect(known(method, path)?.security).toEqual([{ apiKey: [] }, { oauth2: scope === null ? [] : [scope] }]);
  });

  test("on its versions and its address", ({ expect }) => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.1.0");
    expect(document.servers[0]?.url).toBe(readConfig(env).baseUrl);
  });

  test("on the platforms", ({ expect }) => {
    expect(document.components.schemas["Platform"]).toMatchObject({ enum: [...PLATFORMS] });
  });

  test("on the scopes and addresses of OAuth", ({ expect }) => {
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
  test("has an id of its own", ({ expect }) => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  });

  test.for(operations)("$method $path requires its body", ({ operation }, { expect }) => {
    expect(operation.requestBody?.required ?? true).toBe(true);
  });

  test.for(operations)("$method $path shows examples that are valid", ({ operation }, { expect }) => {
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

describe("platform_options", () => {
  test.for(PLATFORMS.filter((platform) => adapterFor(platform)))("of %s are described", (platform, { expect }) => {
    const name = `${platform.charAt(0).toUpperCase()}${platform.slice(1)}Options`;
    expect(document.components.schemas[name]).toMatchObject({ type: "object", additionalProperties: {} });
  });
});

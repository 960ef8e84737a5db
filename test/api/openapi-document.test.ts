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
import { MEMBER_DESCRIPTIONS, SCHEMA_DESCRIPTIONS } from "#api/document/descriptions.ts";
import packageFile from "../../package.json";
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
const ADDITIONAL: readonly (readonly [method: string, path: string, scope: string | null, second?: string])[] = [
  ["GET", "/platforms", null],
  ["GET", "/posts/{id}/attempts", "posts:read"],
  ["POST", "/posts/bulk/preview", "posts:write"],
  ["POST", "/posts/bulk/confirm", "posts:write"],
  ["PUT", "/posts/{id}/annotations", "posts:write"],
  ["GET", "/drafts", "posts:read"],
  ["POST", "/drafts", "posts:write"],
  ["GET", "/drafts/{id}", "posts:read"],
  ["PATCH", "/drafts/{id}", "posts:write"],
  ["DELETE", "/drafts/{id}", "posts:write"],
  ["POST", "/drafts/{id}/preview", "posts:write"],
  ["GET", "/schedule/slots", "posts:read"],
  ["PUT", "/schedule/slots", "posts:write"],
  ["GET", "/schedule/next-slots", "posts:read"],
  ["GET", "/approvals", "posts:read"],
  ["GET", "/approvals/{id}", "posts:read"],
  ["DELETE", "/approvals/{id}", "posts:write"],
  ["POST", "/media/uploads", "posts:write"],
  ["GET", "/limits", null],
  ["GET", "/events", "posts:read"],
  ["GET", "/events/{id}", "posts:read"],
  ["GET", "/webhooks", "workspaces:read"],
  ["POST", "/webhooks", "workspaces:write", "posts:read"],
  ["GET", "/webhooks/{id}", "workspaces:read"],
  ["PATCH", "/webhooks/{id}", "workspaces:write", "posts:read"],
  ["DELETE", "/webhooks/{id}", "workspaces:write"],
  ["POST", "/webhooks/{id}/rotate-secret", "workspaces:write"],
  ["POST", "/webhooks/{id}/test", "workspaces:write"],
  ["GET", "/webhooks/{id}/deliveries", "workspaces:read"],
  ["GET", "/webhooks/{id}/deliveries/{delivery_id}", "workspaces:read", "posts:read"],
  ["POST", "/webhooks/{id}/deliveries/{delivery_id}/resend", "workspaces:write", "posts:read"],
  ["POST", "/webhooks/{id}/replay", "workspaces:write", "posts:read"],
];

/** Statuses that every operation may document in addition to the table. */
const COMMON_STATUSES = new Set([400, 401, 403, 404, 409, 413, 415, 429, 500, 503]);

const document = await openApiDocument();
/** One for all tests, because it compiles a schema once. */
const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
ajv.addSchema({ $id: "https://document.test/", components: document.components });
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
    // A call may name no UUID, or a workspace that it cannot reach.
    expect(documented).toEqual(expect.arrayContaining([...statuses, 400, 404]));
    const extra = documented.filter((status) => !statuses.includes(status) && !COMMON_STATUSES.has(status));
    expect(extra).toEqual([]);
  });

  test.for(ADDITIONAL)("on the scopes of %s %s", ([method, path, ...scopes], { expect }) => {
    expect(findOperation(method, path)?.security).toEqual([
      { apiKey: [] },
      { oauth2: scopes.filter((scope) => scope !== null) },
    ]);
  });

  test("on the versions (1.1.0, whatever is added to it) and the server URL", ({ expect }) => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.1.0");
    expect(document.info["x-service-version"]).toBe(packageFile.version);
    expect(document.servers[0]?.url).toBe(readConfig(env).baseUrl);
  });

  test.for(["PreviewScheduleBody", "PreviewEditBody", "CreateDraftBody", "UpdateDraftBody", "PreviewDraftBody"])(
    "on both forms of scheduled_at, in %s",
    (name, { expect }) => {
      const members = document.components.schemas[name]?.["properties"] as Record<string, object>;
      const validate = ajv.compile(members["scheduled_at"] ?? false);
      const taken = [
        "2026-12-24T18:00:00Z",
        "2026-12-24T18:00:00.5+02:00",
        "2026-12-24T18:00",
        "2026-12-24 18:00:30",
        "2026-12-24T18:00Z",
      ];
      expect(taken.filter((text) => !validate(text))).toEqual([]);
      expect(["tomorrow", "2026-12-24", "24.12.2026 18:00", 1].filter((text) => validate(text))).toEqual([]);
      expect(validate(null)).toBe(name !== "PreviewScheduleBody");
    },
  );

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
      // A table has no members.
      const bodies = Object.entries(operation.requestBody?.content ?? {}).filter(
        ([type]) => type === "application/json",
      );
      for (const [, { schema, example }] of bodies) {
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

interface Place {
  /** `Post.targets[].status`, `GET /posts ?status`, `webhook post.published.data`. */
  readonly place: string;
  readonly schema: JsonSchema;
  readonly isMember: boolean;
}

interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** A schema and every schema inside it, but not those that it refers to. */
function placesOf(place: string, schema: JsonSchema, isMember = false): Place[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const values = typeof schema.additionalProperties === "object" ? (schema.additionalProperties as JsonSchema) : null;
  return [
    { place, schema, isMember },
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => placesOf(`${place}.${name}`, member, true)),
    ...parts.flatMap((part) => placesOf(place, part)),
    ...(schema.items ? placesOf(`${place}[]`, schema.items) : []),
    ...(values ? placesOf(`${place}{}`, values) : []),
  ];
}

const namedSchemas = Object.entries(document.components.schemas) as [string, JsonSchema][];
const places: readonly Place[] = [
  ...namedSchemas.flatMap(([name, schema]) => placesOf(name, schema)),
  ...operations.flatMap(({ method, path, operation }) =>
    (operation.parameters ?? []).flatMap(({ name, schema }) =>
      placesOf(`${method} ${path} ?${name}`, (schema ?? {}) as JsonSchema),
    ),
  ),
  ...Object.entries(document.webhooks).flatMap(([type, methods]) =>
    Object.values(methods["post"]?.requestBody?.content ?? {}).flatMap(({ schema }) =>
      placesOf(`webhook ${type}`, schema as JsonSchema),
    ),
  ),
];

const isDescribed = ({ description, $ref }: JsonSchema): boolean =>
  Boolean(description ?? document.components.schemas[$ref?.split("/").at(-1) ?? ""]?.["description"]);

describe("a reader of the document is told", () => {
  test("what every schema is", ({ expect }) => {
    const missing = namedSchemas.filter(([, schema]) => !isDescribed(schema)).map(([name]) => name);
    expect(missing, "add these to SCHEMA_DESCRIPTIONS in src/api/document/descriptions.ts").toEqual([]);
  });

  test("what every member is", ({ expect }) => {
    const missing = places.filter(({ schema, isMember }) => isMember && !isDescribed(schema));
    const help =
      "add each to MEMBER_DESCRIPTIONS in src/api/document/descriptions.ts; an option of a platform gets `.describe(…)` in its options.ts";
    expect([...new Set(missing.map(({ place }) => place))], help).toEqual([]);
  });

  test("what every parameter is", ({ expect }) => {
    const missing = operations.flatMap(({ method, path, operation }) =>
      (operation.parameters ?? [])
        .filter(({ description }) => !description)
        .map(({ name }) => `${method} ${path} ?${name}`),
    );
    expect(missing, "add `param: { description }` to each in its operation").toEqual([]);
  });

  test("what every value of an enum means", ({ expect }) => {
    const missing = places.flatMap(({ place, schema }) => {
      const values = (schema.enum ?? []).filter((value) => value !== null && typeof value !== "boolean");
      const meanings = (schema as Readonly<Record<string, unknown>>)["x-enum-descriptions"];
      const isComplete = Array.isArray(meanings) && meanings.length === values.length && meanings.every(Boolean);
      return values.length < 2 || isComplete ? [] : [`${place}: ${values.join(", ")}`];
    });
    const help =
      "add its list to src/api/document/enum-meanings.ts; an option of a platform is a `choiceOf({ value: meaning })`";
    expect([...new Set(missing)], help).toEqual([]);
  });

  test("nothing about members and schemas that do not exist", ({ expect }) => {
    const known = new Set(places.map(({ place }) => place));
    const unknown = Object.entries(MEMBER_DESCRIPTIONS).flatMap(([schema, members]) =>
      Object.keys(members)
        .map((member) => `${schema}.${member}`)
        .filter((place) => {
          const pattern = new RegExp(`^${place.replaceAll(/[.[\]]/g, "\\$&").replaceAll("*", "\\w+")}$`);
          return ![...known].some((candidate) => pattern.test(candidate));
        }),
    );
    expect([...unknown, ...Object.keys(SCHEMA_DESCRIPTIONS).filter((name) => !known.has(name))]).toEqual([]);
  });

  test.for([
    ["POST", "/posts/preview", /preview again[^]*expired/i],
    ["POST", "/posts/confirm", /preview again[^]*`Idempotency-Key`/],
    ["POST", "/posts/edit/preview", /Preview again after `post_changed`/],
    ["POST", "/posts/edit/confirm", /preview the edit again/],
    ["GET", "/posts/{id}", /every 5 seconds/],
    ["GET", "/events", /after 10 seconds or more/],
    ["POST", "/accounts", /every 5 seconds until `expires_at`/],
    ["GET", "/approvals/{id}", /every minute/],
    ["POST", "/media/uploads", /PUT each part[^]*POST to `complete_url`[^]*`missing_parts`/],
  ] as const)("how to go on after %s %s", ([method, path, guidance], { expect }) => {
    expect(findOperation(method, path)?.description).toMatch(guidance);
  });
});

import { describe, test } from "vitest";
import { SCOPES, type Scope } from "#core/scope.ts";
import { call, type Call } from "../support/call.ts";
import { type DocumentedOperation, openApiDocument, operationsOf } from "../support/document.ts";
import { ORIGIN } from "../support/origin.ts";
import { newCaller } from "../support/user.ts";

const operations = operationsOf(await openApiDocument());

/** A well-formed call of an operation, made of its own examples. */
function exampleOf({ method, path, operation }: DocumentedOperation): Call {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && parameter.required === true)
    .map((parameter) => `${parameter.name}=${String(parameter.schema?.example)}`)
    .join("&");
  const body = operation.requestBody?.content["application/json"]?.example;
  return {
    method,
    path: path.replace("{id}", crypto.randomUUID()) + (query === "" ? "" : `?${query}`),
    ...(body !== undefined && { body }),
  };
}

function scopeOf({ operation }: DocumentedOperation): Scope | null {
  const [scope] = operation.security.flatMap((requirement) => requirement["oauth2"] ?? []);
  return (scope as Scope | undefined) ?? null;
}

/** Each its own address, because junk is limited per address. */
const fromSomewhere = () => ({
  "cf-connecting-ip": `192.0.2.${Math.floor(Math.random() * 250)}-${crypto.randomUUID()}`,
});

const METADATA = `${ORIGIN}/.well-known/oauth-protected-resource/v1`;

describe.each(operations)("$method $path refuses strangers", (documented) => {
  const scope = scopeOf(documented);

  test("401 without a credential, and says where to get one", async ({ expect }) => {
    const answer = await call(null, exampleOf(documented));
    expect(answer).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    const challenge = answer.headers.get("www-authenticate");
    expect(challenge).toContain(`resource_metadata="${METADATA}"`);
    expect(challenge).toContain("accounts:read posts:read workspaces:read");
    expect(challenge).toContain(scope ?? "posts:read");
    expect(challenge).not.toContain("error=");
  });

  test.for(["Bearer nonsense", "Basic YTpi", "Bearer", "bearer\tabc", `Bearer alk_${"0".repeat(49)}`])(
    "401 with %j",
    async (authorization, { expect }) => {
      const answer = await call(null, { ...exampleOf(documented), headers: { authorization, ...fromSomewhere() } });
      expect(answer).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    },
  );

  test.skipIf(scope === null)("403 with every scope but its own, before the body is read", async ({ expect }) => {
    const caller = await newCaller({ scopes: SCOPES.filter((other) => other !== scope) });
    const answer = await call(caller, {
      ...exampleOf(documented),
      ...(documented.operation.requestBody && { body: "{" }),
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(answer.headers.get("www-authenticate")).toContain(`scope="${scope}"`);
    expect(answer.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  });

  test("403 without a subscription, and no word of scopes", async ({ expect }) => {
    const caller = await newCaller({ subscription: "canceled" });
    const answer = await call(caller, {
      ...exampleOf(documented),
      ...(documented.operation.requestBody && { body: "{" }),
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "subscription_required" } });
    expect(answer.headers.get("www-authenticate")).toBeNull();
  });

  test("its own scope is enough to get past the guard", async ({ expect }) => {
    const caller = await newCaller({ scopes: [scope ?? "posts:read"] });
    const answer = await call(caller, exampleOf(documented));
    expect([401, 403]).not.toContain(answer.status);
  });
});

test("a token in the query or in a cookie is no credential", async ({ expect }) => {
  const { key } = await newCaller();
  const query = await call(null, { method: "GET", path: `/posts?access_token=${key}` });
  const cookie = await call(null, { method: "GET", path: "/posts", headers: { cookie: `__Host-session=${key}` } });
  expect([query.status, cookie.status]).toEqual([401, 401]);
});

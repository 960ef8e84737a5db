import { describe, test } from "vitest";
import { SCOPES, type Scope } from "#core/scope.ts";
import { callApi, type ApiRequest } from "../support/call-api.ts";
import {
  type DocumentedOperation,
  openApiDocument,
  operationsOf,
  withUnknownIds,
} from "../support/openapi-document.ts";
import { ORIGIN } from "../support/origin.ts";
import { createCaller } from "../support/create-caller.ts";

const operations = operationsOf(await openApiDocument());

/** A valid call of an operation, built from the examples in the document. */
function exampleRequest({ method, path, operation }: DocumentedOperation): ApiRequest {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && parameter.required === true)
    .map((parameter) => `${parameter.name}=${String(parameter.schema?.example)}`)
    .join("&");
  const body = operation.requestBody?.content["application/json"]?.example;
  return {
    method,
    path: withUnknownIds(path) + (query === "" ? "" : `?${query}`),
    ...(body !== undefined && { body }),
  };
}

function scopesOf({ operation }: DocumentedOperation): readonly Scope[] {
  return operation.security.flatMap((requirement) => requirement["oauth2"] ?? []) as Scope[];
}

/** A different IP address for each call, because invalid credentials are limited per address. */
const uniqueAddress = () => ({
  "cf-connecting-ip": `192.0.2.${Math.floor(Math.random() * 250)}-${crypto.randomUUID()}`,
});

const METADATA = `${ORIGIN}/.well-known/oauth-protected-resource/v1`;

describe.each(operations)("$method $path", (documented) => {
  const scopes = scopesOf(documented);

  test("401 without a credential, with a challenge that names the metadata URL", async ({ expect }) => {
    const response = await callApi(null, exampleRequest(documented));
    expect(response).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    const challenge = response.headers.get("www-authenticate");
    expect(challenge).toContain(`resource_metadata="${METADATA}"`);
    expect(challenge).toContain("accounts:read posts:read workspaces:read");
    for (const scope of scopes) {
      expect(challenge).toContain(scope);
    }
    expect(challenge).not.toContain("error=");
  });

  test.for(["Bearer nonsense", "Basic YTpi", "Bearer", "bearer\tabc", `Bearer alk_${"0".repeat(49)}`])(
    "401 with %j",
    async (authorization, { expect }) => {
      const response = await callApi(null, {
        ...exampleRequest(documented),
        headers: { authorization, ...uniqueAddress() },
      });
      expect(response).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
      expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
    },
  );

  test.for([...scopes])("403 with all scopes but %s, before the body is read", async (scope, { expect }) => {
    const caller = await createCaller({ scopes: SCOPES.filter((other) => other !== scope) });
    const response = await callApi(caller, {
      ...exampleRequest(documented),
      ...(documented.operation.requestBody && { body: "{" }),
    });
    expect(response).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(response.headers.get("www-authenticate")).toContain(`scope="${scopes.join(" ")}"`);
    expect(response.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  });

  test("403 without a subscription, without a challenge", async ({ expect }) => {
    const caller = await createCaller({ subscription: "canceled" });
    const response = await callApi(caller, {
      ...exampleRequest(documented),
      ...(documented.operation.requestBody && { body: "{" }),
    });
    expect(response).toMatchObject({ status: 403, body: { code: "subscription_required" } });
    expect(response.headers.get("www-authenticate")).toBeNull();
  });

  test("its own scopes are sufficient", async ({ expect }) => {
    const caller = await createCaller({ scopes: scopes.length === 0 ? ["posts:read"] : scopes });
    const response = await callApi(caller, exampleRequest(documented));
    expect([401, 403]).not.toContain(response.status);
  });
});

test("a token in the query or in a cookie is ignored", async ({ expect }) => {
  const { key } = await createCaller();
  const query = await callApi(null, { method: "GET", path: `/posts?access_token=${key}` });
  const cookie = await callApi(null, { method: "GET", path: "/posts", headers: { cookie: `__Host-session=${key}` } });
  expect([query.status, cookie.status]).toEqual([401, 401]);
});

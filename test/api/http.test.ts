import { exports } from "cloudflare:workers";
import { DrizzleQueryError } from "drizzle-orm";
import { Hono } from "hono";
import { describe, test, vi } from "vitest";
import type { ApiEnv } from "#api/env.ts";
import { onError } from "#api/errors.ts";
import { callApi } from "../support/call-api.ts";
import { ORIGIN } from "../support/origin.ts";
import { createCaller } from "../support/create-caller.ts";

describe("X-Request-Id", () => {
  test("a valid id of the caller is returned, also in the error body", async ({ expect }) => {
    const response = await callApi(null, { method: "GET", path: "/posts", headers: { "x-request-id": "caller-1" } });
    expect(response.headers.get("x-request-id")).toBe("caller-1");
    expect(response.body.request_id).toBe("caller-1");
  });

  test.for(["", "with space", "x".repeat(129), "ä"])("%j is replaced by a new id", async (id, { expect }) => {
    const response = await callApi(null, { method: "GET", path: "/posts", headers: { "x-request-id": id } });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("an unknown path", () => {
  test.for(["/nothing", "/posts//", "/nothing/", "/Posts", "/posts/a/b/c", "/%00", "/%ff", "/..%2f..%2fetc", ""])(
    "%s is 404",
    async (path, { expect }) => {
      const response = await callApi(null, { method: "GET", path });
      expect(response).toMatchObject({ status: 404, body: { code: "not_found" } });
    },
  );
});

describe("a slash at the end of a path", () => {
  test("makes no difference", async ({ expect }) => {
    const caller = await createCaller();
    const list = await callApi(caller, { method: "GET", path: "/posts/?limit=1" });
    expect(list).toMatchObject({ status: 200, body: { posts: [], pagination: { limit: 1 } } });
    const wrongMethod = await callApi(caller, { method: "PUT", path: "/workspaces/active/" });
    expect(wrongMethod.status).toBe(405);
    const create = (path: string) =>
      callApi(caller, { method: "POST", path, body: { name: "Studio" }, headers: { "idempotency-key": "k1" } });
    const first = await create("/workspaces/");
    expect((await create("/workspaces")).body).toEqual(first.body);
  });
});

describe("an unexpected error", () => {
  test("is 500 and tells nothing about the inside", async ({ expect }) => {
    const app = new Hono<ApiEnv>();
    app.onError(onError);
    app.get("/", () => {
      throw new Error("SELECT secret FROM tables");
    });
    const response = await app.request("/");
    expect(response.status).toBe(500);
    const body = await response.text();
    expect(JSON.parse(body)).toMatchObject({ code: "internal_error" });
    expect(body).not.toContain("SELECT");
  });
});

describe("an overloaded database", () => {
  // The texts of https://developers.cloudflare.com/d1/observability/debug-d1/
  test.for(["D1 DB is overloaded. Requests queued for too long.", "D1 DB is overloaded. Too many requests queued."])(
    "%s is 503 with Retry-After and a code of its own",
    async (message, { expect }) => {
      vi.spyOn(console, "warn").mockImplementation(() => undefined);
      const app = new Hono<ApiEnv>();
      app.onError(onError);
      app.get("/", () => {
        throw new Error(`D1_ERROR: ${message}`);
      });
      app.get("/drizzle", () => {
        throw new DrizzleQueryError("SELECT secret FROM tables", [], new Error(`D1_ERROR: ${message}`));
      });
      for (const path of ["/", "/drizzle"]) {
        const response = await app.request(path);
        expect(response.status).toBe(503);
        expect(response.headers.get("retry-after")).toBe("5");
        const body = await response.text();
        expect(JSON.parse(body)).toMatchObject({ code: "overloaded" });
        expect(body).not.toContain("D1");
      }
    },
  );
});

describe("a wrong method", () => {
  test.for([
    ["PUT", "/posts", "GET, HEAD, OPTIONS"],
    ["PATCH", "/accounts", "DELETE, GET, HEAD, OPTIONS, POST"],
    ["GET", "/posts/preview", "OPTIONS, POST"],
    ["DELETE", "/posts/confirm", "OPTIONS, POST"],
    ["POST", "/posts/01983c1e-7d1a-7c3e-9a57-3f1f6f0f2a11", "DELETE, GET, HEAD, OPTIONS"],
    ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
  ] as const)("%s %s is 405 and names the allowed methods", async ([method, path, allow], { expect }) => {
    const response = await callApi(null, { method, path });
    expect(response).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(response.headers.get("allow")).toBe(allow);
  });
});

describe("browsers of other origins", () => {
  test("may call the API and read its headers", async ({ expect }) => {
    const response = await callApi(null, {
      method: "GET",
      path: "/posts",
      headers: { origin: "https://agent.example" },
    });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    for (const name of ["WWW-Authenticate", "X-Request-Id", "Retry-After", "RateLimit-Policy", "Idempotent-Replayed"]) {
      expect(response.headers.get("access-control-expose-headers")).toContain(name);
    }
  });

  test("get a preflight response without a credential", async ({ expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}/v1/posts/preview`, {
      method: "OPTIONS",
      headers: {
        origin: "https://agent.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,idempotency-key",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-headers")).toMatch(
      /authorization.*content-type.*idempotency-key/i,
    );
    expect(response.headers.get("access-control-allow-methods")).toContain("DELETE");
  });
});

describe("every response", () => {
  test("is not cacheable and has nosniff", async ({ expect }) => {
    const caller = await createCaller();
    const response = await callApi(caller, { method: "GET", path: "/workspaces" });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("with a credential has the plan's rate limit", async ({ expect }) => {
    const caller = await createCaller({ plan: "growth" });
    const accepted = await callApi(caller, { method: "GET", path: "/workspaces" });
    const refused = await callApi(caller, { method: "GET", path: "/posts?limit=0" });
    expect(accepted.headers.get("ratelimit-policy")).toBe('"growth";q=300;w=60, "growth-user";q=600;w=60');
    expect(refused.headers.get("ratelimit-policy")).toBe('"growth";q=300;w=60, "growth-user";q=600;w=60');
  });

  test("to HEAD has the status of GET and no body", async ({ expect }) => {
    const caller = await createCaller();
    const response = await callApi(caller, { method: "HEAD", path: "/workspaces" });
    expect(response).toMatchObject({ status: 200, body: null });
  });
});

describe("the document", () => {
  test("is public and cacheable", async ({ expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}/v1/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    expect(await response.json()).toMatchObject({ openapi: "3.1.0" });
  });
});

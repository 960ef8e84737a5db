import { exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { call } from "../support/call.ts";
import { ORIGIN } from "../support/origin.ts";
import { newCaller } from "../support/user.ts";

describe("X-Request-Id", () => {
  test("the caller's own is kept and stands in the error body", async ({ expect }) => {
    const answer = await call(null, { method: "GET", path: "/posts", headers: { "x-request-id": "mine-1" } });
    expect(answer.headers.get("x-request-id")).toBe("mine-1");
    expect(answer.body.request_id).toBe("mine-1");
  });

  test.for(["", "with space", "x".repeat(129), "ä"])("%j is replaced by a fresh one", async (id, { expect }) => {
    const answer = await call(null, { method: "GET", path: "/posts", headers: { "x-request-id": id } });
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("an unknown path", () => {
  test.for(["/nothing", "/posts/", "/Posts", "/posts/a/b/c", "/%00", "/%ff", "/..%2f..%2fetc", ""])(
    "%s is 404",
    async (path, { expect }) => {
      const answer = await call(null, { method: "GET", path });
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
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
  ] as const)("%s %s is 405 and names the right ones", async ([method, path, allow], { expect }) => {
    const answer = await call(null, { method, path });
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(answer.headers.get("allow")).toBe(allow);
  });
});

describe("browsers of other origins", () => {
  test("may call, and see what they need", async ({ expect }) => {
    const answer = await call(null, { method: "GET", path: "/posts", headers: { origin: "https://agent.example" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    for (const name of ["WWW-Authenticate", "X-Request-Id", "Retry-After", "RateLimit-Policy", "Idempotent-Replayed"]) {
      expect(answer.headers.get("access-control-expose-headers")).toContain(name);
    }
  });

  test("get their preflight answered without a credential", async ({ expect }) => {
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

describe("every answer", () => {
  test("is kept out of caches and is what it says it is", async ({ expect }) => {
    const caller = await newCaller();
    const answer = await call(caller, { method: "GET", path: "/workspaces" });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("names the plan's rate limit to a caller with a credential", async ({ expect }) => {
    const caller = await newCaller({ plan: "growth" });
    const found = await call(caller, { method: "GET", path: "/workspaces" });
    const refused = await call(caller, { method: "GET", path: "/posts?limit=0" });
    expect(found.headers.get("ratelimit-policy")).toBe('"growth";q=300;w=60');
    expect(refused.headers.get("ratelimit-policy")).toBe('"growth";q=300;w=60');
  });

  test("to HEAD has the headers of GET and no body", async ({ expect }) => {
    const caller = await newCaller();
    const answer = await call(caller, { method: "HEAD", path: "/workspaces" });
    expect(answer).toMatchObject({ status: 200, body: null });
  });
});

describe("the document", () => {
  test("is public and may be cached", async ({ expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}/v1/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    expect(await response.json()).toMatchObject({ openapi: "3.1.0" });
  });
});

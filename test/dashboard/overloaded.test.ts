import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { generateSecret } from "#auth/secrets.ts";
import { BrowserClient, createServiceFixture, formBody, uniqueIpAddress } from "../auth/service-fixture.ts";
import { ORIGIN } from "../support/origin.ts";

/** Every statement is refused with the text of https://developers.cloudflare.com/d1/observability/debug-d1/. */
const overloadedDb = new Proxy(env.DB, {
  get(_, name) {
    if (name === "prepare") {
      return (sql: string) => overloadedStatement(env.DB.prepare(sql));
    }
    return refuse;
  },
});

const refuse = () => Promise.reject(new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long."));

function overloadedStatement(statement: D1PreparedStatement): D1PreparedStatement {
  return new Proxy(statement, {
    get: (_, name) => (name === "bind" ? () => overloadedStatement(statement) : refuse),
  });
}

const CLIENT_ID = crypto.randomUUID();
const service = createServiceFixture({ DB: overloadedDb });

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function browser(): BrowserClient {
  const client = new BrowserClient(service);
  client.session = generateSecret(service.services.ids, "session");
  return client;
}

describe("an overloaded database", () => {
  test.for([
    ["GET", "/dashboard"],
    ["GET", "/dashboard/keys"],
    ["GET", "/"],
    ["POST", "/login"],
    ["GET", `/oauth/authorize?client_id=${CLIENT_ID}&response_type=code`],
    ["GET", "/connect/x?state=abc"],
    ["POST", "/connect/x?state=abc"],
    ["GET", "/connect/x/callback?state=abc&code=def"],
  ] as const)("%s %s is a page with 503, Retry-After and a sentence", async ([method, path], { expect }) => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const response =
      method === "GET"
        ? await browser().get(path)
        : await browser().post(path, { email: "a@example.com", password: "a long password" });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain("overloaded at the moment");
    expect(page).not.toContain("D1");
    expect(errors).not.toHaveBeenCalled();
  });

  test.for(["/login/passkey/options", "/login/passkey"])(
    "POST %s is 503 with Retry-After and the code of the API",
    async (path, { expect }) => {
      const response = await service.fetch(path, {
        method: "POST",
        headers: { origin: ORIGIN, "cf-connecting-ip": uniqueIpAddress(), "content-type": "application/json" },
        body: JSON.stringify({ response: { id: "abc" } }),
      });
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("5");
      expect(await response.json()).toMatchObject({
        code: "overloaded",
        error: expect.stringContaining("overloaded") as unknown,
      });
    },
  );

  test.for([
    ["/oauth/token", formBody({ grant_type: "refresh_token", client_id: CLIENT_ID, refresh_token: "x" })],
    ["/oauth/revoke", formBody({ client_id: CLIENT_ID, token: "x" })],
    ["/oauth/register", JSON.stringify({ client_name: "An agent", redirect_uris: ["https://app.example/callback"] })],
  ] as const)("POST %s is 503 with Retry-After and temporarily_unavailable", async ([path, body], { expect }) => {
    const response = await service.fetch(path, {
      method: "POST",
      headers: {
        "cf-connecting-ip": uniqueIpAddress(),
        ...(typeof body === "string" && { "content-type": "application/json" }),
      },
      body,
    });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    const answer = await response.json<{ error: string; error_description: string }>();
    expect(answer.error).toBe("temporarily_unavailable");
    expect(answer.error_description).toContain("overloaded");
  });
});

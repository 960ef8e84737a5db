import Ajv from "ajv";
import addFormats from "ajv-formats";
import { describe, test } from "vitest";
import skillSource from "#docs/agent-files/SKILL.md?raw";
import { HTTP_ERRORS, REFUSALS } from "#core/codes.ts";
import { createKey } from "#auth/index.ts";
import { createServiceFixture, ORIGIN } from "../auth/service-fixture.ts";
import { createTestUser } from "../auth/test-context.ts";
import { openApiDocument, operationsOf } from "../support/openapi-document.ts";

const SKILL = "/.well-known/agent-skills/almanac/SKILL.md";
const service = createServiceFixture();

async function read(path: string): Promise<string> {
  return (await service.fetch(path)).text();
}

test.for([
  ["/llms.txt", "text/plain"],
  ["/llms-full.txt", "text/plain"],
  ["/server.json", "application/json"],
  ["/.well-known/mcp/server-card.json", "application/json"],
  [SKILL, "text/markdown"],
])("%s is for everybody, from any origin", async ([path = "", type], { expect }) => {
  const response = await service.fetch(path, { headers: { origin: "https://agent.example" } });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")?.split(";")[0]).toBe(type);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("cache-control")).toBe("public, max-age=300");
  expect(response.headers.get("set-cookie")).toBeNull();
  expect((await service.fetch(path, { method: "POST", headers: { origin: ORIGIN } })).status).toBe(404);
});

describe("llms.txt", () => {
  test("every link leads to what it promises", async ({ expect }) => {
    const text = await read("/llms.txt");
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThanOrEqual(8);
    for (const link of links) {
      expect(link.startsWith(`${ORIGIN}/`), link).toBe(true);
      const response = await service.fetch(link);
      await response.body?.cancel();
      expect(response.status, link).toBe(200);
    }
  });

  test("names the addresses of this installation", async ({ expect }) => {
    const text = await read("/llms.txt");
    expect(text).toContain(`\`${ORIGIN}/mcp\``);
    expect(text).toContain(`\`${ORIGIN}/v1\``);
    expect(text).toContain(`[Documentation](${ORIGIN}/docs)`);
    // Platforms whose apps the operator has not set up are not promised.
    expect(text).toContain("> Schedules posts to social media (Bluesky, Mastodon). What");
  });
});

describe("the server card", () => {
  /* What the MCP registry's schema of 11 December 2025 requires of the members that the card has. */
  const uri = { type: "string", format: "uri" };
  const SCHEMA = {
    type: "object",
    required: ["name", "description", "version"],
    // Stricter than the registry's: a member that is not listed here has not been checked against its schema.
    additionalProperties: false,
    properties: {
      $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
      name: { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
      title: { type: "string", minLength: 1, maxLength: 100 },
      description: { type: "string", minLength: 1, maxLength: 100 },
      version: { type: "string", maxLength: 255, pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+$" },
      websiteUrl: uri,
      icons: {
        type: "array",
        items: {
          type: "object",
          required: ["src"],
          additionalProperties: false,
          properties: {
            src: { ...uri, maxLength: 255 },
            mimeType: { enum: ["image/png", "image/jpeg", "image/jpg", "image/svg+xml", "image/webp"] },
            sizes: { type: "array", items: { type: "string", pattern: "^(\\d+x\\d+|any)$" } },
          },
        },
      },
      remotes: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          required: ["type", "url"],
          additionalProperties: false,
          properties: { type: { const: "streamable-http" }, url: { type: "string", pattern: "^https?://[^\\s]+$" } },
        },
      },
    },
  };

  test.for(["https://calendar.example.org", ORIGIN])(
    "of %s is a valid server.json without tools",
    async (origin, { expect }) => {
      const ajv = new Ajv({ strict: false });
      addFormats(ajv);
      const installation = createServiceFixture({ ORIGIN: origin });
      const card = await (
        await installation.fetch("/.well-known/mcp/server-card.json")
      ).json<Record<string, unknown>>();
      const validate = ajv.compile(SCHEMA);
      expect(validate(card), JSON.stringify(validate.errors)).toBe(true);
      expect(card).toMatchObject({
        name: origin === ORIGIN ? "localhost/almanac" : "org.example.calendar/almanac",
        remotes: [{ url: `${origin}/mcp` }],
      });
      expect(await (await installation.fetch("/server.json")).json()).toEqual(card);
    },
  );
});

test("the card and the MCP server agree on title and version", async ({ expect }) => {
  const { userId } = await createTestUser(service.services);
  const { key } = await createKey(service.services, { userId, name: "k", scopes: ["posts:read"], expiresInDays: 1 });
  const info = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } };
  const response = await service.fetch("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: info }),
  });
  const data = /^data: (.+)$/m.exec(await response.text())?.[1] ?? "{}";
  const { result } = JSON.parse(data) as { result?: { serverInfo: { title: string; version: string } } };
  const { title, version } = JSON.parse(await read("/server.json")) as { title: string; version: string };
  expect(result?.serverInfo).toMatchObject({ title, version });
});

describe("the skill", () => {
  test("is short, and names the addresses of this installation", async ({ expect }) => {
    const text = await read(SKILL);
    expect(skillSource.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
    expect(text).not.toContain("example.org");
    for (const path of ["/mcp", "/v1", "/v1/openapi.json", "/dashboard/keys"]) {
      expect(text).toContain(`${ORIGIN}${path}`);
    }
    expect(text).toMatch(/^---\nname: almanac\ndescription: .{50,1024}\n---\n/);
    const elsewhere = createServiceFixture({ BASE_URL: "https://api.example/v1" });
    expect(await (await elsewhere.fetch(SKILL)).text()).toContain("https://api.example/mcp");
  });

  test("names only error codes that exist", ({ expect }) => {
    const table = skillSource.slice(skillSource.indexOf("| Status, code"), skillSource.indexOf("After an answer"));
    const codes = [...table.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(8);
    for (const code of codes) {
      expect([...Object.keys(REFUSALS), ...Object.keys(HTTP_ERRORS), "post_ids"], code).toContain(code);
    }
  });

  test("names only operations that exist", async ({ expect }) => {
    const operations = operationsOf(await openApiDocument()).map(({ method, path }) => `${method} ${path}`);
    for (const [, named] of skillSource.matchAll(/`((?:GET|POST|PUT|DELETE) \/[a-z/{}]+)`/g)) {
      expect(operations).toContain(named);
    }
  });
});

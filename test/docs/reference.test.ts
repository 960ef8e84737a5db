import { describe, test } from "vitest";
import { DETAILS, HTTP_ERRORS, LOGIN_ERRORS, PAUSED_REASONS, REFUSALS, TARGET_ERRORS, WARNINGS } from "#core/codes.ts";
import { LIMIT_NAMES, PLAN_LIMITS } from "#core/plan.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import { createServiceFixture, ORIGIN } from "../auth/service-fixture.ts";
import { openApiDocument, operationsOf } from "../support/openapi-document.ts";

const service = createServiceFixture();
const read = async (path: string) => (await service.fetch(`/docs/${path}.md`)).text();

/** The part of a page below one heading of the second level. */
const sectionOf = (text: string, heading: string) =>
  text.split(/^(?=## )/m).find((section) => section.startsWith(`## ${heading}\n`)) ?? "";

const blocksOf = (text: string, language: string) =>
  Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, "gm")), ([, code = ""]) => code);

describe("the reference", () => {
  test("has every operation of the served document, with its scope, members and refusals", async ({ expect }) => {
    const document = await openApiDocument();
    const overview = await read("reference");
    for (const { method, path, operation } of operationsOf(document)) {
      expect(overview).toContain(`\`${method} ${path}\``);
      const section = await read(`reference/${operation.tags[0]}/${operation.operationId}`);
      const { operationId } = operation;
      expect(section.split(`${method} ${path}\n`).length, `${operationId}: its call once`).toBe(2);
      expect(section, operationId).toContain(operation.description);
      const scopes = operation.security.flatMap((way) => way["oauth2"] ?? []);
      const named = scopes.map((scope) => `\`${scope}\``).join(" and ");
      expect(section, operationId).toContain(`Scope: ${named === "" ? "any valid credential" : named}.`);
      for (const status of Object.keys(operation.responses)) {
        expect(section, operationId).toContain(Number(status) < 400 ? `## Answer ${status}` : `| ${status} |`);
      }
      expect(section, operationId).toContain("[`unauthenticated`]");
    }
  });

  test("sends the document's own examples, in three languages", async ({ expect }) => {
    const document = await openApiDocument();
    for (const { method, operation } of operationsOf(document)) {
      const section = await read(`reference/${operation.tags[0]}/${operation.operationId}`);
      const example = operation.requestBody?.content["application/json"]?.example;
      const [curl = ""] = blocksOf(section, "sh");
      const [script = ""] = blocksOf(section, "ts");
      const [python = ""] = blocksOf(section, "python");
      const address = new RegExp(`${ORIGIN}/v1/[\\w/?=&-]+`).exec(curl)?.[0] ?? "";
      expect(address, operation.operationId).not.toBe("");
      for (const code of [script, python]) {
        expect(code, operation.operationId).toContain(`"${address}"`);
      }
      // No name of a parameter stands where an example belongs.
      expect(curl.split(" -d ")[0], operation.operationId).not.toMatch(/\{\w+\}/);
      expect(curl.includes("Idempotency-Key"), operation.operationId).toBe(method !== "GET");
      if (example !== undefined) {
        const [, body = "null"] = /-d '([\s\S]*)'$/.exec(curl) ?? [];
        expect(JSON.parse(body.replaceAll(`'\\''`, "'")), operation.operationId).toEqual(example);
        const [, sent = "null"] = /JSON\.stringify\(([\s\S]*?)\),\n\}\);/.exec(script) ?? [];
        expect(JSON.parse(sent), operation.operationId).toEqual(example);
        const [, given = "null"] = / json=([\s\S]*),\n {4}timeout/.exec(python) ?? [];
        const json = given.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:True|False|None)\b/g, (part) =>
          part === "None" ? "null" : part.startsWith('"') ? part : part.toLowerCase(),
        );
        expect(JSON.parse(json), operation.operationId).toEqual(example);
      }
    }
  });

  test("has every schema and every event", async ({ expect }) => {
    const document = await openApiDocument();
    const list = await read("reference/schemas");
    for (const name of Object.keys(document.components.schemas)) {
      expect(list, name).toContain(`[${name}](${ORIGIN}/docs/reference/schemas/${name}.md) |`);
      expect(await read(`reference/schemas/${name}`), name).toMatch(new RegExp(`^# ${name}\\n`));
    }
    const page = await (await service.fetch("/docs/reference/schemas")).text();
    expect(page, "no list of what is a list already").not.toContain("On this page");
    const events = await read("reference/event-bodies");
    for (const type of Object.keys(document.webhooks)) {
      expect(blocksOf(sectionOf(events, type), "json").length, type).toBe(1);
    }
  });
});

describe("every code", () => {
  test.for([
    ["error-codes", { ...REFUSALS, ...HTTP_ERRORS }],
    ["problem-codes", DETAILS],
    ["publishing-errors", { ...TARGET_ERRORS, ...LOGIN_ERRORS, ...PAUSED_REASONS }],
    ["warnings", WARNINGS],
  ] as const)("of %s has its cause and what to do", async ([path, codes], { expect }) => {
    const text = await read(path);
    for (const [code, remedy] of Object.entries(codes)) {
      const section = text.split(/^(?=##)/m).find((part) => part.startsWith(`### ${code}\n`)) ?? "";
      expect(section, code).toContain(`**What to do**: ${remedy}`);
      expect(section, code).toMatch(/^### \w+\n\n[A-Z`].{10,}\.\n\n\*\*/);
    }
  });
});

describe("the pages of values", () => {
  test("have every platform with its limits and options, as GET /platforms has them", async ({ expect }) => {
    const overview = await read("platforms");
    for (const platform of PLATFORMS) {
      expect(overview).toContain(`[${PLATFORM_NAMES[platform]}](${ORIGIN}/docs/platforms/${platform}.md)`);
      const text = await read(`platforms/${platform}`);
      for (const heading of ["Options", "Limits", "Connect"]) {
        expect(sectionOf(text, heading), platform).not.toBe("");
      }
      expect(text, platform).toContain("| Caption |");
    }
  });

  test("have every scope with its calls, and every limit with the numbers of the plans", async ({ expect }) => {
    const scopes = await read("scopes");
    for (const scope of SCOPES) {
      expect(scopes).toMatch(new RegExp(`\\| \`${scope}\` \\| \\[\``));
    }
    const quotas = await read("quotas");
    for (const name of Object.values(LIMIT_NAMES)) {
      expect(quotas).toMatch(new RegExp(`\\| \`${name}\` \\| [A-Z]`));
    }
    expect(quotas).toContain(`| ${PLAN_LIMITS.growth.previewsPerHour.toLocaleString("en")} |`);
    const own = createServiceFixture({ QUOTAS: '{"scale":{"previews_per_hour":12345}}' });
    expect(await (await own.fetch("/docs/quotas.md")).text()).toContain("| 12,345 |");
  });
});

import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { BrowserClient, createServiceFixture, type ServiceFixture } from "./service-fixture.ts";

const CODE = "a-code-that-only-the-operator-knows";
const PUBLIC = { SIGNUP: "first", ORIGIN: "https://almanac.example.com" };
const FORM = { password: "four unrelated words here", plan: "growth", time_zone: "UTC" };

function signUp(service: ServiceFixture, fields: Record<string, string>): Promise<Response> {
  const email = `${crypto.randomUUID()}@example.com`;
  return new BrowserClient(service).post("/signup", { ...FORM, email, ...fields }, { origin: PUBLIC.ORIGIN });
}

async function countUsers(): Promise<number> {
  return (await env.DB.prepare("SELECT count(*) AS n FROM users").first<{ n: number }>())?.n ?? 0;
}

beforeEach(async () => {
  for (const table of ["users", "subscriptions", "workspaces"]) {
    await env.DB.prepare(`DELETE FROM ${table}`).run();
  }
});

describe("the first sign-up at a public address", () => {
  const service = createServiceFixture({ ...PUBLIC, SETUP_CODE: CODE });

  test("has the code of its link in the form", async ({ expect }) => {
    const page = await (await new BrowserClient(service).get(`/signup?setup_code=${CODE}`)).text();
    expect(page).toMatch(new RegExp(`<input [^>]*name="setup_code"[^>]*value="${CODE}"`));
  });

  test.for([
    ["no code", {}],
    ["an empty code", { setup_code: "" }],
    ["the beginning of the code", { setup_code: CODE.slice(0, -1) }],
    ["a longer code", { setup_code: `${CODE}s` }],
    ["the code in other letters", { setup_code: CODE.toUpperCase() }],
  ] satisfies [string, Record<string, string>][])("with %s is refused at its field", async ([, fields], { expect }) => {
    const response = await signUp(service, fields);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/id="setup_code-error" role="alert">The setup code is wrong/);
    expect(await countUsers()).toBe(0);
  });

  test("with the code succeeds, and the code is of no further use", async ({ expect }) => {
    expect((await signUp(service, { setup_code: ` ${CODE} ` })).status).toBe(303);
    expect((await signUp(service, { setup_code: CODE })).status).toBe(400);
    expect(await countUsers()).toBe(1);
  });

  test("of eight at once with the code one succeeds", async ({ expect }) => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => signUp(service, { setup_code: CODE })));
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await countUsers()).toBe(1);
  });

  test("is refused while the operator has set no code, whatever is sent", async ({ expect }) => {
    const withoutCode = createServiceFixture(PUBLIC);
    expect((await signUp(withoutCode, {})).status).toBe(400);
    expect((await signUp(withoutCode, { setup_code: "" })).status).toBe(400);
    expect(await countUsers()).toBe(0);
  });

  test("needs the code also where e-mails can be sent", async ({ expect }) => {
    const sent: unknown[] = [];
    const EMAIL = { send: (email: unknown) => Promise.resolve(void sent.push(email)) };
    const withMail = createServiceFixture({ ...PUBLIC, SETUP_CODE: CODE, EMAIL, MAIL_FROM: "almanac@example.com" });
    expect((await signUp(withMail, { setup_code: "wrong" })).status).toBe(400);
    expect([await countUsers(), sent.length]).toEqual([0, 0]);
    expect((await signUp(withMail, { setup_code: CODE })).status).toBe(200);
    expect([await countUsers(), sent.length]).toEqual([1, 1]);
  });
});

describe("no code is asked", () => {
  test.for([
    ["on this machine", { SIGNUP: "first" }],
    ["where sign-up is open", { ...PUBLIC, SIGNUP: "open" }],
  ] satisfies [string, Record<string, string>][])("%s", async ([, settings], { expect }) => {
    const service = createServiceFixture(settings);
    expect(await (await new BrowserClient(service).get("/signup")).text()).not.toContain("setup_code");
  });
});

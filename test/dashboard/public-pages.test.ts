import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createPages } from "#dashboard/index.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { ORIGIN } from "../support/origin.ts";

const OPERATOR = {
  OPERATOR_NAME: "Tonstudio Kern",
  OPERATOR_CONTACT: "datenschutz@example.org",
  OPERATOR_JURISDICTION: "Austria",
};

async function open(path: string, variables: Record<string, string> = {}): Promise<Response> {
  const execution = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
  return await createPages(sandboxOutbound).request(
    `${ORIGIN}${path}`,
    {},
    { ...withSandboxCredentials(env), ...variables },
    execution,
  );
}

describe("pages about this installation", () => {
  test.for(["/privacy", "/terms", "/data-deletion"])(
    "%s is missing until the operator is named",
    async (path, { expect }) => {
      expect((await open(path)).status).toBe(404);
      expect((await open(path, { OPERATOR_NAME: OPERATOR.OPERATOR_NAME })).status).toBe(404);
      const page = await open(path, OPERATOR);
      expect(page.status).toBe(200);
      const html = await page.text();
      expect(html).toContain("Tonstudio Kern");
      expect(html).toContain("datenschutz@example.org");
      expect(html).not.toContain("<script");
    },
  );

  test("the privacy page names every platform that can be connected, with the links that its terms ask for", async ({
    expect,
  }) => {
    const html = await (await open("/privacy", OPERATOR)).text();
    for (const text of ["YouTube Terms of Service", "Limited Use", "LinkedIn Privacy Policy", "law of Austria"]) {
      expect(html).toContain(text);
    }
    const without = await (await open("/privacy", { ...OPERATOR, YOUTUBE_CLIENT_ID: "" })).text();
    expect(without).not.toContain("YouTube Terms of Service");
  });

  test("the privacy page names the cookies, and who handles payments only where there are any", async ({ expect }) => {
    const html = await (await open("/privacy", OPERATOR)).text();
    expect(html).toContain("Cookies");
    expect(html).not.toContain("Stripe");
    const paid = await (await open("/privacy", { ...OPERATOR, STRIPE_SECRET_KEY: "sk_test_1" })).text();
    expect(paid).toContain("Stripe");
  });

  test("the terms contain what a connected platform's developer terms demand, with the link", async ({ expect }) => {
    const html = await (await open("/terms", OPERATOR)).text();
    const link = '<a href="https://www.youtube.com/t/terms">YouTube Terms of Service</a>';
    expect(html).toContain(`By connecting a channel you agree to be bound by the ${link}.`);
    const without = await (await open("/terms", { ...OPERATOR, YOUTUBE_CLIENT_ID: "" })).text();
    expect(without).not.toContain("YouTube");
  });

  test("who creates an account is led to the terms and the privacy page, where they exist", async ({ expect }) => {
    const html = await (await open("/signup", { ...OPERATOR, SIGNUP: "open" })).text();
    expect(html).toContain('<a href="/terms">terms</a>');
    expect(html).toContain('<a href="/privacy">privacy');
    expect(await (await open("/signup", { SIGNUP: "open" })).text()).not.toContain("/terms");
  });

  test("the page about deletion names the platforms that pass on such requests", async ({ expect }) => {
    expect(await (await open("/data-deletion", OPERATOR)).text()).toContain("At Instagram, Facebook, and Threads you");
    const without = { INSTAGRAM_CLIENT_ID: "", FACEBOOK_CLIENT_ID: "", THREADS_CLIENT_ID: "" };
    expect(await (await open("/data-deletion", { ...OPERATOR, ...without })).text()).not.toContain(
      "You receive a code",
    );
  });

  test("a contact that is a web address is linked as one", async ({ expect }) => {
    const html = await (await open("/terms", { ...OPERATOR, OPERATOR_CONTACT: "https://example.org/contact" })).text();
    expect(html).toContain('href="https://example.org/contact"');
  });
});

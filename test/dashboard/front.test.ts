import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { withSandboxCredentials } from "#sandbox/index.ts";
import robots from "../../src/dashboard/static/robots.txt?raw";
import { BrowserClient, createServiceFixture, ORIGIN, signInNewUser } from "../auth/service-fixture.ts";
import { countingD1 } from "../support/counting-d1.ts";

const OPEN = { SIGNUP: "open", PLAN_FOR_ALL: "none" };

async function openFront(settings: Record<string, unknown> = {}): Promise<Response> {
  return await new BrowserClient(createServiceFixture(settings)).get("/");
}

describe("the front page", () => {
  test("tells strangers what it is, and leads to sign-in and sign-up", async ({ expect }) => {
    const response = await openFront(OPEN);
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toContain("<h1>Plan a month of posts on one calendar</h1>");
    for (const text of ['href="/login"', 'href="/signup"', "days free", "What you preview is what is published"]) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain("<script");
  });

  test("offers an account only where one can be created, and a trial only where there are plans", async ({
    expect,
  }) => {
    const closed = await (await openFront({ SIGNUP: "closed" })).text();
    expect(closed).toContain('href="/login"');
    expect(closed).not.toContain('href="/signup"');
    const withoutPlans = await (await openFront({ SIGNUP: "open", PLAN_FOR_ALL: "scale" })).text();
    expect(withoutPlans).toContain('href="/signup"');
    expect(withoutPlans).not.toContain("days free");
  });

  test("names the platforms that can be connected here, and no other", async ({ expect }) => {
    const all = await (await openFront({ ...withSandboxCredentials(env) })).text();
    const without = await (await openFront({ ...withSandboxCredentials(env), LINKEDIN_CLIENT_ID: "" })).text();
    expect(all).toContain(PLATFORM_NAMES.linkedin);
    expect(without).toContain(PLATFORM_NAMES.pinterest);
    expect(without).not.toContain(PLATFORM_NAMES.linkedin);
  });

  test("links the documentation, and the operator's pages where they are set", async ({ expect }) => {
    const plain = await (await openFront()).text();
    expect(plain).not.toContain('href="/privacy"');
    expect(plain).toContain(`href="${ORIGIN}/docs">Documentation`);
    const named = await (
      await openFront({
        OPERATOR_NAME: "Kern <Ton>",
        OPERATOR_CONTACT: "k@example.org",
        DOCS_URL: "https://docs.example.org",
      })
    ).text();
    for (const text of ['href="/privacy"', 'href="/terms"', "Kern &lt;Ton&gt;", 'href="https://docs.example.org"']) {
      expect(named).toContain(text);
    }
  });

  test("has a card for link previews with absolute addresses", async ({ expect }) => {
    const html = await (await openFront()).text();
    expect(html).toContain(`property="og:url" content="${ORIGIN}/"`);
    expect(html).toContain(`property="og:image" content="${ORIGIN}/social-card.jpg"`);
    expect(html).toContain('name="twitter:card" content="summary_large_image"');
  });

  test("can be cached for browsers without a session, and asks the database once at most", async ({ expect }) => {
    const { d1, count } = countingD1(env.DB);
    const response = await openFront({ DB: d1 });
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    expect(response.headers.get("vary")).toBe("Cookie");
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(count.roundTrips).toBeLessThanOrEqual(1);
  });

  test("a signed-in browser continues to the calendar, one with an ended session stays", async ({ expect }) => {
    const service = createServiceFixture();
    const { browser } = await signInNewUser(service);
    const response = await browser.get("/");
    expect([response.status, response.headers.get("location")]).toEqual([303, "/dashboard"]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    browser.session = "als_ended";
    const ended = await browser.get("/");
    expect([ended.status, ended.headers.get("cache-control")]).toEqual([200, "no-store"]);
  });
});

describe("robots.txt", () => {
  const forbidden = [...robots.matchAll(/^Disallow: (.+)$/gm)].map(([, path]) => path!);
  const isForbidden = (path: string) => forbidden.some((prefix) => path.startsWith(prefix));

  test.for(["/dashboard", "/dashboard/media", "/oauth/authorize", "/v1/posts"])(
    "keeps out of %s",
    (path, { expect }) => {
      expect(isForbidden(path)).toBe(true);
    },
  );

  test.for(["/", "/privacy", "/media/0f/picture.jpg", "/connect/x/client-metadata.json"])(
    "leaves %s to strangers and to the fetchers of platforms",
    (path, { expect }) => {
      expect(isForbidden(path)).toBe(false);
    },
  );
});

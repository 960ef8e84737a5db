import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createPerson } from "../dashboard/simulated-person.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";

const PATH = "/sandbox/sample-posts";
const FORM = `action="${PATH}"`;

type Person = Awaited<ReturnType<typeof createPerson>>;

interface StoredPost {
  readonly id: string;
  readonly external_id: string;
  readonly created_via: string;
}

async function storedPosts({ caller }: Person): Promise<readonly StoredPost[]> {
  const { results } = await env.DB.prepare(
    `SELECT p.id, a.external_id, p.created_via FROM posts p JOIN post_annotations a ON a.post_id = p.id
     WHERE p.workspace_id = ? ORDER BY p.scheduled_at`,
  )
    .bind(caller.workspaceId)
    .all<StoredPost>();
  return results;
}

async function connectedPlatforms({ caller }: Person): Promise<readonly string[]> {
  const { results } = await env.DB.prepare("SELECT platform FROM accounts WHERE workspace_id = ? ORDER BY platform")
    .bind(caller.workspaceId)
    .all<{ platform: string }>();
  return results.map(({ platform }) => platform);
}

const SAMPLES = ["sample-text", "sample-failing", "sample-thread", "sample-carousel", "sample-reel"];

describe("sample posts", () => {
  test("one press connects the accounts and schedules the samples; the offer ends with them", async ({ expect }) => {
    const person = await createPerson();
    for (const page of ["/dashboard", "/dashboard/overview"]) {
      expect(await (await person.browser.get(page)).text()).toContain(FORM);
    }
    const pressed = await person.browser.post(PATH);
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, "/dashboard?view=list"]);
    expect(await connectedPlatforms(person)).toEqual(["bluesky", "instagram", "x"]);
    const posts = await storedPosts(person);
    expect(posts.map(({ external_id }) => external_id)).toEqual(SAMPLES);
    expect(new Set(posts.map(({ created_via }) => created_via))).toEqual(new Set(["dashboard"]));
    const list = await (await person.browser.get("/dashboard?view=list")).text();
    for (const { id } of posts) {
      expect(list).toContain(id);
    }
    expect(await (await person.browser.get("/dashboard/overview")).text()).not.toContain(FORM);
  });

  test("a second press, later or meanwhile, doubles nothing", async ({ expect }) => {
    const person = await createPerson();
    await Promise.all([person.browser.post(PATH), person.browser.post(PATH)]);
    const posts = await storedPosts(person);
    expect(posts.map(({ external_id }) => external_id)).toEqual(SAMPLES);
    expect((await person.browser.post(PATH)).status).toBe(303);
    expect(await storedPosts(person)).toEqual(posts);
    expect(await connectedPlatforms(person)).toEqual(["bluesky", "instagram", "x"]);
  });

  test("another site and a browser without a session add nothing", async ({ expect }) => {
    const person = await createPerson();
    expect((await person.browser.post(PATH, {}, { origin: "https://evil.example" })).status).toBe(403);
    expect((await person.browser.post(PATH, {}, { origin: env.ORIGIN, "sec-fetch-site": "cross-site" })).status).toBe(
      403,
    );
    expect((await person.browser.post(PATH, {}, {})).status).toBe(403);
    person.browser.session = undefined;
    const signedOut = await person.browser.post(PATH);
    expect([signedOut.status, signedOut.headers.get("location")]).toEqual([303, "/login?next=/dashboard"]);
    expect(await storedPosts(person)).toEqual([]);
    expect(await connectedPlatforms(person)).toEqual([]);
  });

  test("the pages of production offer none", async ({ expect }) => {
    const { browser } = await signInNewUser(createServiceFixture());
    for (const page of ["/dashboard", "/dashboard/overview"]) {
      const html = await (await browser.get(page)).text();
      expect(html).toContain("First steps");
      expect(html).not.toContain("/sandbox/");
    }
  });
});

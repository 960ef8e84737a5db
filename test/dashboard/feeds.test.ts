import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";

/* Making and revoking the addresses at which other calendars read the posts, on the profile page. */

const service = createServiceFixture();
const ADDRESS = new RegExp(`${env.ORIGIN}(/calendar/[\\w-]{22}\\.ics)`);
const PROFILE = "/dashboard/profile";

const feedIds = (html: string) =>
  [...html.matchAll(/profile\/feeds\/([0-9a-f]{64})\/revoke/g)].map(([, id]) => id ?? "");

describe("calendar addresses", () => {
  test("are shown once, in an answer that nothing keeps, with how they are added", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    const made = await browser.post(`${PROFILE}/feeds`);
    const html = await made.text();
    expect([made.status, made.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const path = ADDRESS.exec(html)?.[1] ?? "";
    expect(path).not.toBe("");
    for (const program of ["Google Calendar", "Apple Calendar", "Outlook"]) {
      expect(html).toContain(`<b>${program}</b>`);
    }
    const later = await (await browser.get(PROFILE)).text();
    expect(later).not.toMatch(ADDRESS);
    expect(feedIds(later)).toHaveLength(1);
  });

  test("end when they are revoked, by their owner only", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    const stranger = (await signInNewUser(service)).browser;
    const made = await browser.post(`${PROFILE}/feeds`);
    const [id = ""] = feedIds(await made.text());
    expect((await stranger.post(`${PROFILE}/feeds/${id}/revoke`)).status).toBe(404);
    expect((await browser.get(`${PROFILE}/feeds/${id}/revoke`)).status).toBe(404);
    const revoked = await browser.post(`${PROFILE}/feeds/${id}/revoke`);
    expect([revoked.status, revoked.headers.get("location")]).toEqual([303, `${PROFILE}?done=feed-revoked`]);
    expect(feedIds(await (await browser.get(PROFILE)).text())).toEqual([]);
  });

  test("need a fresh sign-in, and are limited in number", async ({ expect }) => {
    const { browser, userId } = await signInNewUser(service);
    for (let i = 0; i < 10; i++) {
      expect((await browser.post(`${PROFILE}/feeds`)).status).toBe(200);
    }
    const refused = await browser.post(`${PROFILE}/feeds`);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("revoke one that is no longer used");
    await env.DB.prepare("UPDATE sessions SET authenticated_at = 0 WHERE user_id = ?").bind(userId).run();
    const old = await browser.post(`${PROFILE}/feeds`);
    expect(old.status).toBe(400);
    expect(await old.text()).not.toMatch(ADDRESS);
  });
});

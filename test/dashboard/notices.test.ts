import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import type { AlertKind } from "#core/alert.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";
import { countingD1 } from "../support/counting-d1.ts";

/* The list of notices, its number in the menu, its card on the overview, and which kinds go out by mail. */

const service = createServiceFixture();
const EMAIL = { send: () => Promise.resolve() };

type Person = Awaited<ReturnType<typeof signInNewUser>>;

/** A webhook that was disabled, of which the database makes the notice. */
async function insertDisabledWebhook({ userId, workspaceId }: Person, description: string, at: number) {
  const id = crypto.randomUUID();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO webhooks (id, user_id, workspace_id, url, description, types, sealed_secret, start_after, created_at, updated_at)
       VALUES (?, ?, ?, 'https://receiver.example/hook', ?, '["*"]', '', 0, 1, 1)`,
    ).bind(id, userId, workspaceId, description),
    env.DB.prepare("UPDATE webhooks SET disabled_at = ?2, disabled_reason = 'gone' WHERE id = ?1").bind(id, at),
  ]);
  return id;
}

const insertNotices = ({ workspaceId }: Person, count: number) =>
  env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO notices (workspace_id, kind, subject_id, at) SELECT ?1, 'post_failed', 'gone-' || i, i FROM n`,
  )
    .bind(workspaceId, count)
    .run();

const read = async ({ browser }: Person, path: string) => (await browser.get(path)).text();
const badgeOf = async (person: Person) =>
  (await read(person, "/notices")).match(/class="badge">([\d+]+)<span class="visually-hidden"> new/)?.[1];

/** The hidden fields of the first form that dismisses. */
function dismissalOf(html: string): Record<string, string> {
  const form = /<form[^>]*action="\/notices\/dismiss"[^>]*>([\s\S]*?)<\/form>/.exec(html)?.[1] ?? "";
  return Object.fromEntries(
    [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

describe("the list", () => {
  test("says what happened, when in the person's zone, what to do and where; newest first", async ({ expect }) => {
    const person = await signInNewUser(service);
    expect(await read(person, "/notices")).toContain("Nothing needs you at the moment.");
    await insertDisabledWebhook(person, "Old <i>bot</i>", Date.parse("2026-12-01T09:00:00Z"));
    const id = await insertDisabledWebhook(person, "New bot", Date.parse("2026-12-02T09:00:00Z"));
    const html = await read(person, "/notices");
    expect(html.indexOf("New bot")).toBeLessThan(html.indexOf("Old &lt;i&gt;bot&lt;/i&gt;"));
    expect(html).toContain("answered 410 Gone");
    expect(html).toContain("Wed, 2 Dec 2026, 09:00");
    expect(html).toContain("Times in UTC.");
    expect(html).toContain(`href="/webhooks/${id}"`);
    expect(html).not.toMatch(/<script(?! type="module" src)|style="/);
  });

  test("a dismissed notice leaves the list and the number; a newer one of the same webhook stays", async ({
    expect,
  }) => {
    const person = await signInNewUser(service);
    const id = await insertDisabledWebhook(person, "Bot", 5000);
    expect(await badgeOf(person)).toBe("1");
    const seen = dismissalOf(await read(person, "/notices"));
    await env.DB.batch([
      env.DB.prepare("UPDATE webhooks SET disabled_at = NULL, disabled_reason = NULL WHERE id = ?").bind(id),
      env.DB.prepare("UPDATE webhooks SET disabled_at = 9000, disabled_reason = 'failing' WHERE id = ?").bind(id),
    ]);
    await person.browser.post("/notices/dismiss", seen);
    expect(await badgeOf(person)).toBe("1");
    const dismissed = await person.browser.post("/notices/dismiss", dismissalOf(await read(person, "/notices")));
    expect([dismissed.status, dismissed.headers.get("location")]).toEqual([303, "/notices?done=dismissed"]);
    expect(await badgeOf(person)).toBeUndefined();
    expect(await read(person, "/notices?done=dismissed")).toContain("The notice is dismissed.");
  });

  test("another user sees and dismisses nothing of it; a foreign form and a kind that does not exist do nothing", async ({
    expect,
  }) => {
    const [person, stranger] = [await signInNewUser(service), await signInNewUser(service)];
    await insertDisabledWebhook(person, "Bot", 5000);
    const fields = dismissalOf(await read(person, "/notices"));
    expect(Object.keys(fields)).toEqual(["kind", "subject", "at"]);
    expect(await read(stranger, "/notices")).not.toContain("Bot");
    await stranger.browser.post("/notices/dismiss", fields);
    await person.browser.post("/notices/dismiss", { ...fields, kind: "everything" });
    const foreign = await person.browser.post("/notices/dismiss", fields, { origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    await read(person, `/notices/dismiss?${new URLSearchParams(fields).toString()}`);
    expect(await badgeOf(person)).toBe("1");
    expect((await service.fetch("/notices")).headers.get("location")).toBe("/login?next=%2Fnotices");
  });

  test("the number is counted up to a hundred, in the session's own statement", async ({ expect }) => {
    const counting = countingD1(env.DB);
    const person = await signInNewUser(createServiceFixture({ DB: counting.d1 }));
    await insertNotices(person, 99);
    expect(await badgeOf(person)).toBe("99");
    await insertNotices(await signInNewUser(service), 3);
    await env.DB.prepare("DELETE FROM notices WHERE workspace_id = ?").bind(person.workspaceId).run();
    await insertNotices(person, 3000);
    counting.reset();
    expect((await person.browser.get("/dashboard/how-to-connect")).status).toBe(200);
    expect(counting.count.roundTrips).toBe(1);
    expect(counting.count.rowsRead).toBeLessThan(120);
    expect(await badgeOf(person)).toBe("99+");
  });
});

describe("the overview", () => {
  test("names the webhooks that were disabled and leads to all notices; without any it asks the database for none", async ({
    expect,
  }) => {
    const counting = countingD1(env.DB);
    const person = await signInNewUser(createServiceFixture({ DB: counting.d1 }));
    counting.reset();
    const calm = await read(person, "/dashboard/overview");
    expect(counting.count.roundTrips).toBe(2);
    expect(calm).toContain("Nothing needs your attention.");
    expect(calm).not.toContain("with what to do about each");
    for (let i = 1; i <= 6; i++) {
      await insertDisabledWebhook(person, `Bot ${i}.`, i * 1000);
    }
    const html = await read(person, "/dashboard/overview");
    expect(html).not.toContain("Nothing needs your attention.");
    expect(html).toContain("The webhook Bot 6. was disabled");
    expect(html).toContain("Bot 2.");
    expect(html).not.toContain("Bot 1.");
    expect(html).toMatch(/<a href="\/notices">6 notices<\/a>/);
  });
});

describe("notices by mail", () => {
  const ticked = (html: string) =>
    [...html.matchAll(/name="alert" value="(\w+)" checked/g)].map(([, kind]) => kind as AlertKind);

  test("every kind is ticked until one is taken away, for this person alone", async ({ expect }) => {
    const [person, other] = [await signInNewUser(service), await signInNewUser(service)];
    const all = ticked(await read(person, "/dashboard/profile"));
    expect(all).toHaveLength(7);
    const saved = await person.browser.post("/dashboard/profile/alerts", { alert: ["post_failed", "nonsense"] });
    expect([saved.status, saved.headers.get("location")]).toEqual([303, "/dashboard/profile?done=alerts"]);
    expect(ticked(await read(person, "/dashboard/profile"))).toEqual(["post_failed"]);
    expect(ticked(await read(other, "/dashboard/profile"))).toEqual(all);
    await person.browser.post("/dashboard/profile/alerts", {});
    expect(ticked(await read(person, "/dashboard/profile"))).toEqual([]);
  });

  test("says that no mail is sent where the operator set none up", async ({ expect }) => {
    const sentence = "so that none is sent";
    expect(await read(await signInNewUser(service), "/dashboard/profile")).toContain(sentence);
    const withMail = createServiceFixture({ EMAIL, MAIL_FROM: "almanac@example.com" });
    expect(await read(await signInNewUser(withMail), "/dashboard/profile")).not.toContain(sentence);
  });
});

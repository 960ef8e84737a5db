import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { startSession } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { BrowserClient, createServiceFixture, type ServiceFixture, signInNewUser } from "../auth/service-fixture.ts";
import { createTestContext } from "../auth/test-context.ts";
import { connectOneAccount, scheduleTextPost } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import { formFields } from "./form-fields.ts";

/* The page of the slots, whose forms work without a script. */

const service = createServiceFixture();
const PAGE = "/dashboard/slots";

async function openPage() {
  const { browser } = await signInNewUser(service);
  const read = async () => await (await browser.get(PAGE)).text();
  const removable = async () => [...(await read()).matchAll(/name="slot" value="([^"]+)"/g)].map(([, slot]) => slot);
  return { browser, read, removable };
}

describe("the slots page", () => {
  test("adds a slot on one day or on every day, each once, and removes it", async ({ expect }) => {
    const { browser, read, removable } = await openPage();
    expect(await read()).toContain("There are none yet.");
    const added = await browser.post(PAGE, { weekday: "1", time: "09:30" });
    expect([added.status, added.headers.get("location")]).toEqual([303, `${PAGE}?done=added`]);
    await browser.post(PAGE, { weekday: "every", time: "09:30" });
    expect(await removable()).toEqual(["0 09:30", "1 09:30", "2 09:30", "3 09:30", "4 09:30", "5 09:30", "6 09:30"]);
    expect(await read()).toContain("Free next");
    const removed = await browser.post(`${PAGE}/remove`, { slot: "1 09:30" });
    expect(removed.headers.get("location")).toBe(`${PAGE}?done=removed`);
    expect(await removable()).not.toContain("1 09:30");
  });

  test("keeps the slots when their zone is changed", async ({ expect }) => {
    const { browser, read, removable } = await openPage();
    await browser.post(PAGE, { weekday: "6", time: "23:59" });
    const saved = await browser.post(`${PAGE}/time-zone`, { time_zone: "Asia/Kolkata" });
    expect(saved.headers.get("location")).toBe(`${PAGE}?done=time-zone`);
    expect(await read()).toMatch(/<option value="Asia\/Kolkata" selected/);
    expect(await removable()).toEqual(["6 23:59"]);
  });

  test("says what is wrong with a time, a zone and the hundred-and-first slot", async ({ expect }) => {
    const { browser } = await openPage();
    const refused = await browser.post(PAGE, { weekday: "1", time: "25:00" });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("Choose a time.");
    expect((await browser.post(`${PAGE}/time-zone`, { time_zone: "Mars" })).status).toBe(400);
    for (let hour = 0; hour < 14; hour += 1) {
      await browser.post(PAGE, { weekday: "every", time: `${String(hour).padStart(2, "0")}:00` });
    }
    const full = await browser.post(PAGE, { weekday: "every", time: "20:00" });
    expect(full.status).toBe(400);
    expect(await full.text()).toContain("at most 100 slots");
  });
});

describe("the composer", () => {
  test("asks for the next free slot, also without a day, and says where there is none", async ({ expect }) => {
    const { browser } = await openPage();
    const form = await (await browser.get("/dashboard/posts/new")).text();
    expect(form).toMatch(/type="checkbox" name="slot" value="next"/);
    const previewed = await browser.post("/dashboard/posts/preview", {
      ...formFields(form, "/dashboard/posts/preview"),
      intent: "preview",
      caption: "Hello",
      slot: "next",
    });
    const refused = await previewed.text();
    expect(previewed.status).toBe(400);
    expect(refused).toContain("The workspace has no slots");
    expect(refused).toMatch(/name="slot" value="next" checked/);
    expect(refused).not.toMatch(/Choose a (?:day|time)/);
  });
});

describe("a slot that another post takes between preview and confirm", () => {
  const wholeService: ServiceFixture = {
    services: createTestContext(),
    fetch: (path, init) =>
      exports.default.fetch(new Request(new URL(path, env.ORIGIN), { redirect: "manual", ...init })),
  };
  const PREVIEW = "/dashboard/posts/preview";
  const CONFIRM = "/dashboard/posts/confirm";
  const EDIT_CONFIRM = "/dashboard/posts/edit/confirm";
  /** The first slot that the tests ask for; there is one at this time every day. */
  const FIRST = new Date(Math.floor(Date.now() / DAY) * DAY + 10 * DAY + DAY / 2).toISOString();
  const later = (ms: number) => new Date(Date.parse(FIRST) + ms).toISOString();
  const day = (iso: string) => iso.slice(0, 10);

  async function createPerson() {
    const caller = await createCaller();
    const { id: accountId } = await connectOneAccount(caller);
    const browser = new BrowserClient(wholeService);
    browser.session = await startSession(
      createServices(env, wholeService.services.outbound, () => {}),
      { userId: caller.userId },
    );
    const slots = Array.from({ length: 7 }, (_, weekday) => ({ weekday, time: FIRST.slice(11, 16) }));
    await callApi(caller, { method: "PUT", path: "/schedule/slots", body: { time_zone: "UTC", slots } });
    const times = async (): Promise<string[]> =>
      (await callApi(caller, { method: "GET", path: "/posts?limit=100" })).body.posts.map(
        (post: { scheduled_at: string }) => post.scheduled_at,
      );
    const take = (at: string) =>
      scheduleTextPost(caller, accountId, { caption: `Taken ${crypto.randomUUID()}`, scheduled_at: at });
    const post = async (path: string, fields: Parameters<typeof browser.post>[1]) => {
      const response = await browser.post(path, fields);
      return { status: response.status, location: response.headers.get("location") ?? "", html: await response.text() };
    };
    return { caller, accountId, browser, times, take, post };
  }

  const inWords = (iso: string) =>
    `${new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(new Date(iso))}, ${iso.slice(11, 16)}`;
  const refusedFor = (taken: string, next: string) =>
    `Another post took the slot of ${inWords(taken)} after the preview. The next free one is ${inWords(next)}.`;

  test("a new post keeps everything, and is offered the next one with a button", async ({ expect }) => {
    const { accountId, browser, times, take, post } = await createPerson();
    const form = formFields(await (await browser.get("/dashboard/posts/new")).text(), PREVIEW);
    const fields = { ...form, caption: "Mine", account: accountId, date: day(FIRST), slot: "next", intent: "preview" };
    const previewed = await post(PREVIEW, fields);
    expect(previewed.html).toContain(inWords(FIRST));
    await take(FIRST);
    const refused = await post(CONFIRM, formFields(previewed.html, CONFIRM));
    expect(refused.status).toBe(400);
    expect(refused.html).toContain(refusedFor(FIRST, later(DAY)));
    expect(refused.html).toContain(`Preview for ${inWords(later(DAY))}</button>`);
    expect(refused.html).not.toMatch(/\d{4}-\d{2}-\d{2}T/);
    const again = await post(PREVIEW, { ...formFields(refused.html, PREVIEW), intent: "preview" });
    expect(again.html).toContain(inWords(later(DAY)));
    const done = await post(CONFIRM, formFields(again.html, CONFIRM));
    expect(done.location).toContain("?done=scheduled");
    expect((await times()).toSorted()).toEqual([FIRST, later(DAY)]);
  });

  test("without another free one the way on is a time or a further slot", async ({ expect }) => {
    const { caller, accountId, browser, take, post } = await createPerson();
    const form = formFields(await (await browser.get("/dashboard/posts/new")).text(), PREVIEW);
    const fields = { ...form, caption: "Mine", account: accountId, date: day(FIRST), slot: "next", intent: "preview" };
    const previewed = await post(PREVIEW, fields);
    await take(FIRST);
    await callApi(caller, { method: "PUT", path: "/schedule/slots", body: { time_zone: "UTC", slots: [] } });
    const refused = await post(CONFIRM, formFields(previewed.html, CONFIRM));
    expect(refused.html).toContain("No other slot is free: choose a time, or add a slot.");
    expect(refused.html).toContain('value="change"');
  });

  test("an edit moves a post to the next free slot, and keeps its other changes when that is taken", async ({
    expect,
  }) => {
    const { caller, accountId, browser, times, take, post } = await createPerson();
    const { id } = await scheduleTextPost(caller, accountId, { scheduled_at: later(9 * DAY + 1) });
    const form = formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW);
    const fields = { ...form, caption: "New text", date: day(FIRST), time: "", slot: "next", intent: "preview" };
    const previewed = await post(PREVIEW, fields);
    expect(previewed.html).toContain(inWords(FIRST));
    await take(FIRST);
    const refused = await post(EDIT_CONFIRM, formFields(previewed.html, EDIT_CONFIRM));
    expect(refused.status).toBe(400);
    expect(refused.html).toContain(`${refusedFor(FIRST, later(DAY))} Nothing was changed.`);
    const again = await post(PREVIEW, { ...formFields(refused.html, PREVIEW), intent: "preview" });
    const done = await post(EDIT_CONFIRM, formFields(again.html, EDIT_CONFIRM));
    expect(done.status).toBe(303);
    expect((await times()).toSorted()).toEqual([FIRST, later(DAY)]);
    const { body } = await callApi(caller, { method: "GET", path: `/posts/${id}` });
    expect(body.post).toMatchObject({ caption: "New text", scheduled_at: later(DAY) });
  });

  test("a move goes to the next free slot, and to the one after it when that is taken", async ({ expect }) => {
    const { caller, accountId, browser, times, take, post } = await createPerson();
    const { id } = await scheduleTextPost(caller, accountId, { scheduled_at: later(9 * DAY + 1) });
    const move = `/dashboard/posts/${id}/move`;
    const form = formFields(await (await browser.get(`${move}?next=%2Fdashboard%3Fview%3Dweek`)).text(), move);
    expect(form["slot"]).toBeUndefined();
    const asked = await post(move, { ...form, date: day(FIRST), time: "00:00", slot: "next" });
    expect(asked.html).toContain(`to ${inWords(FIRST)}?`);
    await take(FIRST);
    const refused = await post(EDIT_CONFIRM, formFields(asked.html, EDIT_CONFIRM));
    expect(refused.html).toContain(`${refusedFor(FIRST, later(DAY))} Nothing was changed.`);
    const again = await post(move, formFields(refused.html, move));
    expect(again.html).toContain(`to ${inWords(later(DAY))}?`);
    const done = await post(EDIT_CONFIRM, formFields(again.html, EDIT_CONFIRM));
    expect(done.location).toMatch(/^\/dashboard\?view=week.*done=saved/);
    expect((await times()).toSorted()).toEqual([FIRST, later(DAY)]);
    const own = await post(move, { date: day(later(DAY)), time: FIRST.slice(11, 16), slot: "next" });
    expect(own.html).toContain("The post is planned for this time already.");
  });

  test("many posts say so on the person's clock, and the table stays", async ({ expect }) => {
    const { accountId, take, post } = await createPerson();
    const many = "/dashboard/posts/many";
    const table = `caption,scheduled_at,slot,account_ids\nOne,${FIRST},next,${accountId}\nTwo,${FIRST},next,${accountId}\n`;
    const previewed = await post(`${many}/preview`, { table });
    await take(FIRST);
    const confirm = formFields(previewed.html, `${many}/preview`);
    const refused = await post(`${many}/confirm`, confirm);
    expect(refused.status).toBe(400);
    expect(refused.html).toContain(`Another post took the slot of ${inWords(FIRST)} after the preview.`);
    expect(refused.html).toContain("preview again.");
    expect(refused.html).toContain("caption,scheduled_at,slot,account_ids");
  });

  test("an approval that cannot be given any more says it on the person's clock", async ({ expect }) => {
    const { caller, accountId, browser, take, post } = await createPerson();
    await env.DB.prepare("UPDATE api_keys SET confirms = 'person' WHERE user_id = ?").bind(caller.userId).run();
    const body = { caption: "Asked", scheduled_at: FIRST, slot: "next", account_ids: [accountId] };
    const preview = await callApi(caller, { method: "POST", path: "/posts/preview", body });
    const { confirmation_token: token } = preview.body;
    const waiting = await callApi(caller, {
      method: "POST",
      path: "/posts/confirm",
      body: { confirmation_token: token },
    });
    const { id } = waiting.body.approval;
    const page = await (await browser.get(`/approvals/${id}`)).text();
    await env.DB.prepare("UPDATE api_keys SET confirms = 'self' WHERE user_id = ?").bind(caller.userId).run();
    await take(FIRST);
    await post(`/approvals/${id}/approve`, formFields(page, `/approvals/${id}/approve`));
    const stale = await (await browser.get(`/approvals/${id}`)).text();
    expect(stale).toContain(`Another post took the slot of ${inWords(FIRST)} after the preview.`);
  });
});

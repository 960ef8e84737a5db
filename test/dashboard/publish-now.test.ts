import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { DAY, MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import sentScript from "../../src/dashboard/static/sent.js?raw";
import { connectOneAccount, previewTextPost, scheduleTextPost } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { type ApiCaller } from "../support/create-caller.ts";
import { formFields } from "./form-fields.ts";
import { createPerson } from "./simulated-person.ts";

/* "Publish now" with forms alone, without any script. */

/** Far ahead, so that no alarm fires by itself. */
const START = Date.UTC(2039, 4, 2, 9, 0, 0, 250);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});

afterEach(() => {
  vi.useRealTimers();
});

async function createConnectedPerson() {
  const { caller, browser } = await createPerson();
  return { caller, browser, account: await connectOneAccount(caller) };
}

const PREVIEW = "/dashboard/posts/preview";
const CONFIRM = "/dashboard/posts/confirm";
const AT_ONCE = "<b>as soon as you confirm</b>";

const read = async (caller: ApiCaller, id: string | undefined) =>
  (await callApi(caller, { method: "GET", path: `/posts/${id}` })).body.post;

/** The composer with a text, and what its button "Publish now" leads to. */
async function publishNow() {
  const person = await createConnectedPerson();
  const page = await (await person.browser.get(`/dashboard/posts/new?account=${person.account.id}`)).text();
  const fields = { ...formFields(page, PREVIEW), caption: "Doors are open", date: "2039-06-01", time: "18:30" };
  const preview = await person.browser.post(PREVIEW, { ...fields, when: "now" });
  return { ...person, page, preview, html: await preview.text() };
}

describe("the button of the composer", () => {
  test("leads to a preview without a time, and the confirm sets it", async ({ expect }) => {
    const { browser, caller, page, preview, html } = await publishNow();
    expect(page).toContain('name="when" value="now">Publish now</button>');
    expect([preview.status, html]).toEqual([200, expect.stringContaining(AT_ONCE)]);
    expect(html).not.toContain("18:30</time>");
    expect(html).toContain("<button>Publish now</button>");
    vi.setSystemTime(START + 4 * MINUTE);
    const confirmed = await browser.post(CONFIRM, formFields(html, CONFIRM));
    const location = confirmed.headers.get("location") ?? "";
    const [, id] = /^\/dashboard\/posts\/([0-9a-f-]+)\?done=now$/.exec(location) ?? [];
    expect(await read(caller, id)).toMatchObject({ scheduled_at: toIsoInstant(START + 4 * MINUTE + SECOND - 250) });
    expect(await (await browser.get(location)).text()).toContain("Your post goes out now.");
    // The script forgets what was typed only where it was sent, so that the next form does not restore it.
    const [, sent = ""] = /if \(\/(.+)\/\.test/.exec(sentScript) ?? [];
    expect(location).toMatch(new RegExp(sent));
  });

  test("can be taken back: the form has the time that was typed, and asks for it", async ({ expect }) => {
    const { browser, html } = await publishNow();
    const form = await (await browser.post(PREVIEW, { ...formFields(html, CONFIRM), intent: "change" })).text();
    const fields = formFields(form, PREVIEW);
    expect(fields).toMatchObject({ caption: ["Doors are open"], date: ["2039-06-01"], time: ["18:30"] });
    expect(fields).not.toHaveProperty("when");
    const later = await (await browser.post(PREVIEW, { ...fields, intent: "preview" })).text();
    expect(later).toContain("18:30</time>");
  });

  test("means now in the preview after one that is over, too", async ({ expect }) => {
    const { browser, html } = await publishNow();
    vi.setSystemTime(START + 6 * MINUTE);
    const refused = await (await browser.post(CONFIRM, formFields(html, CONFIRM))).text();
    expect(refused).toContain("Preview again");
    const again = await browser.post(PREVIEW, { ...formFields(refused, PREVIEW), intent: "preview" });
    expect(await again.text()).toContain(AT_ONCE);
  });

  test("needs no day and no time, and says what else is missing", async ({ expect }) => {
    const { browser, account } = await createConnectedPerson();
    const empty = { account: account.id, caption: "", date: "", time: "", when: "now" };
    const refused = await (await browser.post(PREVIEW, empty)).text();
    expect(refused).toContain("One thing is in the way");
    expect(refused).not.toContain("Choose a day.");
  });
});

test("an edit moves the post to the time of its confirm", async ({ expect }) => {
  const { browser, caller, account } = await createConnectedPerson();
  const { id } = await scheduleTextPost(caller, account.id, { scheduled_at: toIsoInstant(START + 3 * DAY) });
  const form = formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW);
  const html = await (await browser.post(PREVIEW, { ...form, when: "now" })).text();
  expect(html).toContain(AT_ONCE);
  expect(html).toContain("<ins>At once</ins>");
  expect(html).toContain("<button>Publish now</button>");
  vi.setSystemTime(START + MINUTE);
  const edit = "/dashboard/posts/edit/confirm";
  const saved = await browser.post(edit, formFields(html, edit));
  expect(saved.headers.get("location")).toBe(`/dashboard/posts/${id}?done=saved`);
  expect(await read(caller, id)).toMatchObject({ scheduled_at: toIsoInstant(START + MINUTE + SECOND - 250) });
});

test("a draft for now stays one when it is saved without a time, and a time replaces it", async ({ expect }) => {
  const { browser, caller, account } = await createConnectedPerson();
  const content = { caption: "Doors are open", scheduled_at: "now", account_ids: [account.id] };
  const { draft } = (await callApi(caller, { method: "POST", path: "/drafts", body: content })).body;
  const stored = async () => (await callApi(caller, { method: "GET", path: `/drafts/${draft.id}` })).body.draft;
  const save = async (change: object) => {
    const fields = formFields(await (await browser.get(`/dashboard/drafts/${draft.id}`)).text(), PREVIEW);
    await browser.post(PREVIEW, { ...fields, ...change, intent: "save_draft" });
    return (await stored()).content;
  };
  expect(await save({ caption: "Doors are wide open" })).toMatchObject({
    caption: "Doors are wide open",
    scheduled_at: "now",
  });
  expect(await save({ date: "2039-06-01", time: "18:30" })).toMatchObject({
    scheduled_at: "2039-06-01T18:30:00.000Z",
  });
});

test("an approval says when, in the list and on its page, and its button publishes", async ({ expect }) => {
  const { browser, caller, account } = await createConnectedPerson();
  await env.DB.prepare("UPDATE api_keys SET confirms = 'person' WHERE user_id = ?").bind(caller.userId).run();
  const token = await previewTextPost(caller, account.id, { scheduled_at: "now" });
  const refused = await callApi(caller, {
    method: "POST",
    path: "/posts/confirm",
    body: { confirmation_token: token },
  });
  expect(await (await browser.get("/approvals")).text()).toContain("At the approval");
  const path = `/approvals/${refused.body.approval.id}`;
  vi.setSystemTime(START + DAY);
  const page = await (await browser.get(path)).text();
  expect(page).toContain("<b>at once, as soon as it is approved</b>");
  expect(page).toMatch(/<button>\s*Publish now\s*<\/button>/);
  await browser.post(`${path}/approve`, formFields(page, `${path}/approve`));
  const { approval } = (await callApi(caller, { method: "GET", path })).body;
  expect(approval).toMatchObject({ state: "approved" });
  expect(await read(caller, approval.post_ids[0])).toMatchObject({
    scheduled_at: toIsoInstant(START + DAY + SECOND - 250),
  });
});

import { describe, test } from "vitest";
import { MINUTE, toIsoInstant } from "#core/clock.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { BrowserClient } from "../auth/service-fixture.ts";
import { createUniqueFile, uploadFile } from "../journeys/journey-driver.ts";
import { connectAccounts, type ConnectedAccount } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { type ApiCaller } from "../support/create-caller.ts";
import { type Fields, formFields } from "./form-fields.ts";
import { createPerson } from "./simulated-person.ts";

const PREVIEW = "/dashboard/posts/preview";
const LIST = "/dashboard/drafts";

const send = (caller: ApiCaller, method: string, path: string, body?: unknown) =>
  callApi(caller, { method, path: `/drafts${path}`, ...(body !== undefined && { body }) });
const create = async (caller: ApiCaller, body: unknown) => (await send(caller, "POST", "", body)).body.draft;
const read = async (caller: ApiCaller, id: string) => (await send(caller, "GET", `/${id}`)).body.draft;

const idOfSaved = (response: Response) =>
  /^\/dashboard\/drafts\/([0-9a-f-]+)\?done=saved$/.exec(response.headers.get("location") ?? "")?.[1] ?? "";

const open = async (browser: BrowserClient, id: string) => await (await browser.get(`${LIST}/${id}`)).text();
const save = (browser: BrowserClient, fields: Fields) => browser.post(PREVIEW, { ...fields, intent: "save_draft" });

const connect = async (caller: ApiCaller, platform: Platform): Promise<ConnectedAccount> =>
  (await connectAccounts(caller, platform, "ada"))[0]!;

const inThreeDays = () => {
  const iso = toIsoInstant(Math.ceil((Date.now() + 3 * 24 * 60 * MINUTE) / MINUTE) * MINUTE);
  return { iso, date: iso.slice(0, 10), time: iso.slice(11, 16) };
};

describe("a draft in the composer", () => {
  test("is saved as it is, finished or not, and opened again with the same fields", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const [x, youtube] = [await connect(caller, "x"), await connect(caller, "youtube")];
    const media = await uploadFile(caller, await createUniqueFile("landscape.mp4"));
    const page = await (await browser.get(`/dashboard/posts/new?account=${x.id}&account=${youtube.id}`)).text();
    expect(page).toContain("Save as draft");
    const typed = {
      ...formFields(page, PREVIEW),
      caption: "Half of it",
      date: "2031-05-04",
      time: "",
      media: media.url,
      media_url: "https://files.example.net/second.jpg",
      [`caption.${x.id}`]: "Only here",
      [`option.${x.id}.reply_settings`]: "following",
      [`option.${youtube.id}.title`]: "A bowl",
      labels: "launch\nceramics",
      notes: "For Grace",
      metadata: "campaign: spring",
    };
    const saved = await save(browser, typed);
    const id = idOfSaved(saved);
    const draft = await read(caller, id);
    expect(draft).toMatchObject({ version: 1 });
    expect(draft.content).toEqual({
      caption: "Half of it",
      scheduled_at: "2031-05-04",
      time_zone: "UTC",
      targets: [
        { account_id: x.id, caption: "Only here", platform_options: { reply_settings: "following" } },
        { account_id: youtube.id, platform_options: { title: "A bowl" } },
      ],
      media_items: [{ url: media.url, type: "video" }],
      media_urls: ["https://files.example.net/second.jpg"],
      labels: ["launch", "ceramics"],
      notes: "For Grace",
      metadata: { campaign: "spring" },
    });
    const html = await open(browser, id);
    expect(html).toContain("Save the draft");
    const again = await save(browser, formFields(html, PREVIEW));
    expect(idOfSaved(again)).toBe(id);
    expect(await read(caller, id)).toMatchObject({ version: 2, content: draft.content });
    expect(await (await browser.get(again.headers.get("location") ?? "")).text()).toContain("The draft is saved.");
  });

  test("is previewed and scheduled, which deletes it", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const account = await connect(caller, "x");
    const { iso, date, time } = inThreeDays();
    const { id } = await create(caller, { caption: "From the API", platforms: ["x"], scheduled_at: iso });
    const fields = formFields(await open(browser, id), PREVIEW);
    expect(fields).toMatchObject({ caption: ["From the API"], account: [account.id], date: [date], time: [time] });
    const preview = await (await browser.post(PREVIEW, { ...fields, intent: "preview" })).text();
    expect((await read(caller, id)).version).toBe(1);
    const confirmed = await browser.post("/dashboard/posts/confirm", formFields(preview, "/dashboard/posts/confirm"));
    expect(confirmed.headers.get("location")).toMatch(/done=scheduled$/);
    expect((await send(caller, "GET", `/${id}`)).status).toBe(404);
    expect((await browser.get(`${LIST}/${id}`)).status).toBe(404);
  });

  test("shows a time on the clock of another zone as that of the person", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    for (const [body, date, time] of [
      [{ scheduled_at: "2031-07-01T20:30", time_zone: "Europe/Berlin" }, "2031-07-01", "18:30"],
      [{ scheduled_at: "2031-03-30T02:30", time_zone: "Europe/Berlin" }, "2031-03-30", "02:30"],
      [{ scheduled_at: "2031-07-01T20:30:00-04:00" }, "2031-07-02", "00:30"],
      [{ scheduled_at: "T20:30", time_zone: "Nowhere/At_All" }, "", "20:30"],
    ] as const) {
      const { id } = await create(caller, body);
      expect(formFields(await open(browser, id), PREVIEW)).toMatchObject({ date: [date], time: [time] });
    }
  });

  test("is not saved on top of a change that its author has not seen, unless once more", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await create(caller, { caption: "One" });
    const fields = formFields(await open(browser, id), PREVIEW);
    await send(caller, "PATCH", `/${id}`, { version: 1, caption: "Theirs" });
    const refused = await save(browser, { ...fields, caption: "Mine" });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain("Somebody saved this draft after you opened it.");
    expect(html).toMatch(new RegExp(`href="/dashboard/drafts/${id}"[^>]*>\\s*See theirs in a new tab`));
    expect((await read(caller, id)).content.caption).toBe("Theirs");
    expect(idOfSaved(await save(browser, formFields(html, PREVIEW)))).toBe(id);
    expect(await read(caller, id)).toMatchObject({ version: 3, content: { caption: "Mine" } });
  });

  test("that was deleted meanwhile is saved as a new one", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await create(caller, { caption: "One" });
    const fields = formFields(await open(browser, id), PREVIEW);
    await send(caller, "DELETE", `/${id}`, { confirm: true });
    const refused = await save(browser, fields);
    const html = await refused.text();
    expect(refused.status).toBe(400);
    expect(html).toContain("This draft was deleted or scheduled meanwhile.");
    const other = idOfSaved(await save(browser, formFields(html, PREVIEW)));
    expect(other).not.toBe(id);
    expect(await read(caller, other)).toMatchObject({ version: 1, content: { caption: "One" } });
  });

  test("is not saved where something typed would be lost", async ({ expect }) => {
    const { browser } = await createPerson();
    for (const [field, value, sentence] of [
      ["metadata", "no colon", "Each line of the metadata needs a name, a colon and a value."],
      ["file", "bowl.jpg", "bowl.jpg is not uploaded yet"],
    ] as const) {
      const refused = await save(browser, { caption: "Kept", [field]: value });
      expect(refused.status).toBe(400);
      const html = await refused.text();
      expect(html).toContain(sentence);
      expect(html).toContain("Kept");
    }
  });

  test("keeps what the composer has no field for, and shows what can be shown of anything", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const account = await connect(caller, "x");
    const elsewhere = { url: "https://files.example.net/a.jpg", type: "image", alt_text: "A wheel" };
    const { id } = await create(caller, {
      caption: ["no text"],
      scheduled_at: 7,
      post_type: "image",
      targets: [{ account_id: account.id, platform_options: { future: { a: 1 } } }, 5, { account_id: "nobody" }],
      media_items: [elsewhere, "x", { url: 3 }],
      labels: "none",
    });
    const html = await open(browser, id);
    expect(html).toContain("An account of this draft is not connected now.");
    await save(browser, { ...formFields(html, PREVIEW), caption: "Text" });
    expect((await read(caller, id)).content).toEqual({
      caption: "Text",
      post_type: "image",
      targets: [{ account_id: account.id, platform_options: { future: { a: 1 } } }],
      media_items: [elsewhere],
    });
  });

  test("has the parts of a thread", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const account = await connect(caller, "x");
    const targets = [
      { account_id: account.id, platform_options: { thread: [{ caption: "Two" }, { caption: "Three\n\nlines" }] } },
    ];
    const { id } = await create(caller, { caption: "One", targets });
    await save(browser, formFields(await open(browser, id), PREVIEW));
    expect(await read(caller, id)).toMatchObject({ version: 2, content: { targets } });
  });

  test("has the own media and the options of every platform", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const accounts: ConnectedAccount[] = [];
    for (const platform of PLATFORMS) {
      accounts.push(await connect(caller, platform));
    }
    const media = await uploadFile(caller, await createUniqueFile("landscape.mp4"));
    const targets = accounts.map(({ id }) => ({ account_id: id, media_items: [{ url: media.url, type: "video" }] }));
    const { id } = await create(caller, { caption: "Own", targets });
    await save(browser, formFields(await open(browser, id), PREVIEW));
    const { version, content } = await read(caller, id);
    expect(version).toBe(2);
    expect(content.targets).toHaveLength(PLATFORMS.length);
    expect(content.targets).toMatchObject(targets);
  });
});

describe("the list of drafts", () => {
  test("has what was changed last first, and deletes after a confirmation", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    expect(await (await browser.get(LIST)).text()).toContain("No drafts yet.");
    const { id } = await create(caller, { caption: "<b>Glaze</b>" });
    await create(caller, {});
    const html = await (await browser.get(LIST)).text();
    expect(html).toContain("&lt;b&gt;Glaze&lt;/b&gt;");
    expect(html).toContain("Post without text");
    expect(html).toContain(`action="${LIST}/${id}/delete"`);
    expect((await browser.get(`${LIST}/${id}/delete`)).status).toBe(404);
    const deleted = await browser.post(`${LIST}/${id}/delete`);
    expect(deleted.headers.get("location")).toBe(`${LIST}?done=deleted`);
    expect(await (await browser.get(`${LIST}?done=deleted`)).text()).toContain("The draft was deleted.");
    expect((await browser.post(`${LIST}/${id}/delete`)).status).toBe(404);
  });

  test("tells the planned day, and that the calendar needs a time, as does the draft's page", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    for (const [scheduled_at, words] of [
      ["2031-05-04", "Planned for Sun, 4 May 2031. The calendar shows it once it has a time, too"],
      ["2031-05-04T10:30", 'Planned for Sun, 4 May 2031, 10:30 <a href="/dashboard?view=week&amp;date=2031-05-04">'],
    ] as const) {
      const { id } = await create(caller, { caption: "Tea", scheduled_at, time_zone: "UTC" });
      expect(await (await browser.get(LIST)).text()).toContain(words);
      expect(await open(browser, id)).toContain(words);
    }
    for (const scheduled_at of ["2031-02-31", "now", "<b>"]) {
      await create(caller, { caption: "Tea", scheduled_at });
    }
    expect((await (await browser.get(LIST)).text()).match(/Planned for/g)).toHaveLength(2);
  });

  test("has pages, and nothing of anybody else", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { browser: stranger } = await createPerson();
    const { id } = await create(caller, { caption: "The first" });
    for (let index = 0; index < 50; index += 1) {
      await create(caller, { caption: "Another" });
    }
    const first = await (await browser.get(LIST)).text();
    expect(first).toContain(`${LIST}?page=2`);
    expect(first).not.toContain(id);
    const second = await (await browser.get(`${LIST}?page=2`)).text();
    expect(second).toContain(id);
    expect(second).not.toContain("?page=3");
    expect(await (await stranger.get(LIST)).text()).toContain("No drafts yet.");
    expect((await stranger.get(`${LIST}/${id}`)).status).toBe(404);
    expect((await stranger.post(`${LIST}/${id}/delete`)).status).toBe(404);
    const taken = await save(stranger, { caption: "Taken", draft_id: id, draft_version: "1" });
    expect(taken.status).toBe(400);
    expect((await read(caller, id)).content.caption).toBe("The first");
  });
});

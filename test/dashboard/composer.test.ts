import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setTimeZone, startSession } from "#auth/index.ts";
import { describe, test } from "vitest";
import { MINUTE, toIsoInstant } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { PLATFORMS } from "#core/platform.ts";
import { createService } from "#service.ts";
import { BrowserClient } from "../auth/service-fixture.ts";
import { createUniqueFile, uploadDocument, uploadFile } from "../journeys/journey-driver.ts";
import { connectAccounts, type ConnectedAccount } from "../support/api-workflows.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { callApi } from "../support/call-api.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";
import { type Fields, formFields } from "./form-fields.ts";
import { createPerson, service } from "./simulated-person.ts";

/* The whole way of a person: forms in, forms out, on the service with simulated platforms and without any script. */

const connect = async (caller: ApiCaller, platform: Platform, login = "ada"): Promise<ConnectedAccount> =>
  (await connectAccounts(caller, platform, login))[0]!;

const PREVIEW = "/dashboard/posts/preview";

const at = (days: number) => {
  const instant = Math.ceil((Date.now() + days * 24 * 60 * MINUTE) / MINUTE) * MINUTE;
  const iso = toIsoInstant(instant);
  return { iso, date: iso.slice(0, 10), time: iso.slice(11, 16) };
};

const doneId = (response: Response) =>
  /^\/dashboard\/posts\/([0-9a-f-]+)\?done=scheduled$/.exec(response.headers.get("location") ?? "")?.[1];

async function schedule(browser: BrowserClient, fields: Fields): Promise<string> {
  const preview = await browser.post(PREVIEW, { intent: "preview", ...fields });
  const html = await preview.text();
  if (preview.status !== 200) {
    throw new Error(html.replaceAll(/\s*<[^>]+>\s*/g, " "));
  }
  const confirmed = await browser.post("/dashboard/posts/confirm", formFields(html, "/dashboard/posts/confirm"));
  return doneId(confirmed) ?? `${confirmed.status} ${await confirmed.text()}`;
}

const readPost = async (caller: ApiCaller, id: string) =>
  (await callApi(caller, { method: "GET", path: `/posts/${id}` })).body.post;

/** Options of every platform as a form sends them, and as the API takes them. */
const OPTIONS: Partial<Record<Platform, { form: Fields; api: object }>> = {
  instagram: { form: { share_to_feed: "false", trial_reel_type: "" }, api: { share_to_feed: false } },
  tiktok: {
    form: { privacy_status: "public", allow_comment: ["false", "true"], allow_duet: "false", allow_stitch: "false" },
    api: { privacy_status: "public", allow_comment: true, allow_duet: false, allow_stitch: false },
  },
  youtube: { form: { title: "A bowl", made_for_kids: "false" }, api: { title: "A bowl" } },
  facebook: { form: { placement: "timeline" }, api: { placement: "timeline" } },
  pinterest: {
    form: { board_ids: ["549755885175"], title: "Glaze" },
    api: { board_ids: ["549755885175"], title: "Glaze" },
  },
  x: { form: { reply_settings: "following" }, api: { reply_settings: "following" } },
  bluesky: { form: { langs: "en, de", alt_texts: "A wheel" }, api: { langs: ["en", "de"], alt_texts: ["A wheel"] } },
  mastodon: {
    form: { visibility: "unlisted", alt_texts: "A wheel" },
    api: { visibility: "unlisted", alt_texts: ["A wheel"] },
  },
};

const optionFields = ({ id, platform }: ConnectedAccount): Fields =>
  Object.fromEntries(
    Object.entries(OPTIONS[platform]?.form ?? {}).map(([key, value]) => [`option.${id}.${key}`, value]),
  );

describe("a person schedules with forms alone", () => {
  test(
    "on all platforms, with own texts and options; the API makes the same post",
    { timeout: 120_000 },
    async ({ expect }) => {
      const { caller, browser } = await createPerson();
      const accounts: ConnectedAccount[] = [];
      for (const platform of PLATFORMS) {
        accounts.push(await connect(caller, platform));
      }
      const media = await uploadFile(caller, await createUniqueFile("landscape.mp4"));
      const { iso, date, time } = at(3);
      const page = await (
        await browser.get(`/dashboard/posts/new?${accounts.map(({ id }) => `account=${id}`).join("&")}`)
      ).text();
      const fields: Fields = {
        ...formFields(page, PREVIEW),
        caption: "Line one\r\nline two",
        date,
        time,
        labels: "launch\r\nceramics",
        metadata: "campaign: spring",
        notes: "Ask Grace",
        external_id: "cms/1",
        media: [media.url],
        ...Object.fromEntries(accounts.map(({ id, platform }) => [`caption.${id}`, `At ${platform}`])),
        ...Object.assign({}, ...accounts.map(optionFields)),
      };
      const id = await schedule(browser, fields);
      const made = await readPost(caller, id);
      expect(made).toMatchObject({
        status: "scheduled",
        caption: "Line one\nline two",
        created_via: "dashboard",
        scheduled_at: iso,
        labels: ["launch", "ceramics"],
        metadata: { campaign: "spring" },
        notes: "Ask Grace",
        external_id: "cms/1",
      });

      const body = {
        caption: "Line one\nline two",
        scheduled_at: iso,
        media_items: [media],
        targets: accounts.map(({ id: account_id, platform }) => ({
          account_id,
          caption: `At ${platform}`,
          platform_options: OPTIONS[platform]?.api ?? {},
        })),
        labels: made.labels,
        metadata: made.metadata,
        notes: made.notes,
        external_id: made.external_id,
      };
      const previewed = await callApi(caller, { method: "POST", path: "/posts/preview", body });
      const confirmed = await callApi(caller, {
        method: "POST",
        path: "/posts/confirm",
        body: { confirmation_token: previewed.body.confirmation_token },
      });
      const [byApi] = confirmed.body.posts;
      expect(made.plan_hash).toBe(byApi.plan_hash);
      const without = ({
        id: _id,
        created_at: _c,
        updated_at: _u,
        created_via: _v,
        created_by: _b,
        ...post
      }: Record<string, unknown>) => post;
      expect(without(made)).toEqual(without(byApi));
      expect([made.created_via, byApi.created_via]).toEqual(["dashboard", "api"]);
    },
  );
});

const HOSTILE = `</textarea><script>alert("1")</script>&amp;'`;

describe("a refused form", () => {
  test("is shown again as it was, escaped, with every problem beside its field", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const youtube = await connect(caller, "youtube");
    const x = await connect(caller, "x");
    const fields: Fields = {
      caption: `${HOSTILE}\n${"long ".repeat(1100)}`,
      date: "2026-02-30",
      time: "",
      account: [youtube.id, x.id],
      [`caption.${x.id}`]: `\n ${HOSTILE}`,
      [`option.${youtube.id}.title`]: HOSTILE,
      [`option.${youtube.id}.made_for_kids`]: ["false", "true"],
      [`option.${x.id}.quote_tweet_url`]: `"><img src=x>`,
      media_url: `${HOSTILE}\nhttp://example.com/a.jpg`,
    };
    const response = await browser.post(PREVIEW, { intent: "preview", ...fields });
    const html = await response.text();
    expect(response.status).toBe(400);
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<img src=x>");
    expect(formFields(html, PREVIEW)).toMatchObject(
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value].flat()])),
    );
    for (const field of ["date", "time", `option.${youtube.id}.title`, `option.${x.id}.quote_tweet_url`]) {
      expect(html).toContain(`href="#${field}"`);
    }
    expect(html).toContain("Choose a time.");
    expect(html).not.toContain("platform_options");
    expect(html).not.toContain("GET /");
  });

  test("names the fields in plain words, and nothing is counted as scheduled", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "youtube");
    const html = await (await browser.post(PREVIEW, { caption: "A bowl", account: id, ...at(1) })).text();
    expect(html).toContain("“Title of the video” is missing: fill it in.");
    expect((await callApi(caller, { method: "GET", path: "/posts" })).body.pagination.total).toBe(0);
  });

  test("without accounts and text says so", async ({ expect }) => {
    const { browser } = await createPerson();
    const html = await (await browser.post(PREVIEW, { caption: "Text", ...at(1) })).text();
    expect(html).toContain('href="#account"');
    expect(await (await browser.post(PREVIEW, { caption: "", ...at(1) })).text()).toContain(
      "The text must not be empty.",
    );
  });

  test("may be as large as a request of the API, and no larger", async ({ expect }) => {
    const { browser } = await createPerson();
    const post = (length: number) => browser.post(PREVIEW, { intent: "update", caption: "a".repeat(length) });
    expect([(await post(900_000)).status, (await post(1_100_000)).status]).toEqual([200, 413]);
  });

  test("keeps what was entered for an account that is not chosen any more", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "x");
    const hidden = { [`caption.${id}`]: "own", [`option.${id}.reply_settings`]: "verified" };
    const html = await (await browser.post(PREVIEW, { intent: "update", caption: "A", ...hidden })).text();
    expect(formFields(html, PREVIEW)).toMatchObject({
      [`caption.${id}`]: ["own"],
      [`option.${id}.reply_settings`]: ["verified"],
    });
  });
});

test("what the script says about the form has its place beside the button, and a new form says nothing", async ({
  expect,
}) => {
  const { browser } = await createPerson();
  const page = await (await browser.get("/dashboard/posts/new")).text();
  const bar = page.slice(page.indexOf('class="composer-actions"'));
  expect(bar).toContain('data-check-result="" role="status"></div>');
  expect(bar).toContain("Preview and schedule");
  expect(page.slice(0, page.indexOf('class="composer-actions"'))).not.toContain('data-check-result=""');
});

test("the hint of the text names the accounts that have their own", async ({ expect }) => {
  const { caller, browser } = await createPerson();
  const [x, mastodon] = [await connect(caller, "x"), await connect(caller, "mastodon")];
  const fields = { intent: "update", caption: "A", account: [x.id, mastodon.id], [`caption.${x.id}`]: "own" };
  const html = await (await browser.post(PREVIEW, fields)).text();
  expect(html).toMatch(new RegExp(`<a href="#caption.${x.id}">[^<]+</a> has its own text.`));
  expect(html).not.toContain(`href="#caption.${mastodon.id}"`);
});

describe("media in the form", () => {
  test("are moved and removed by buttons, and their descriptions go with them", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "bluesky");
    const name = `option.${id}.alt_texts`;
    const fields = {
      caption: "A",
      account: id,
      media: ["https://a.example/1.jpg", "https://a.example/2.jpg"],
      [name]: ["one", "two"],
    };
    const pageAfter = async (intent: string) => (await browser.post(PREVIEW, { ...fields, intent })).text();
    const press = async (intent: string) => formFields(await pageAfter(intent), PREVIEW);
    expect(await pageAfter("media_up.1")).toContain('aria-label="Move up: 1.jpg"');
    expect(await pageAfter("media_remove.1")).not.toContain('aria-label="Move');
    expect(await press("media_up.1")).toMatchObject({
      media: ["https://a.example/2.jpg", "https://a.example/1.jpg"],
      [name]: ["two", "one"],
    });
    expect(await press("media_remove.0")).toMatchObject({ media: ["https://a.example/2.jpg"], [name]: ["two"] });
    expect(await press("media_up.0")).toMatchObject({ media: fields.media });
    expect(await press("media_up.99")).toMatchObject({ media: fields.media });
  });

  test("are described, and the descriptions go with the files through preview, edit and copy", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "x");
    const [first, second] = [
      await uploadFile(caller, await createUniqueFile("portrait.jpg")),
      await uploadFile(caller, await createUniqueFile("square.png")),
    ];
    const when = at(2);
    const name = (url: string) => `alt_text.${/media\/([^/]+)/.exec(url)?.[1]}`;
    const fields: Fields = {
      caption: "Two glazes",
      account: id,
      date: when.date,
      time: when.time,
      media: [first.url, second.url],
      [name(first.url)]: "A <blue> bowl",
    };
    const moved = await (await browser.post(PREVIEW, { ...fields, intent: "media_up.1" })).text();
    expect(formFields(moved, PREVIEW)).toMatchObject({
      media: [second.url, first.url],
      [name(first.url)]: ["A <blue> bowl"],
    });
    const tooLong = await (await browser.post(PREVIEW, { ...fields, [name(second.url)]: "a".repeat(1001) })).text();
    expect(tooLong).toContain(`id="${name(second.url)}-error"`);
    const shown = await (await browser.post(PREVIEW, fields)).text();
    expect(shown).toContain("Description: A &lt;blue&gt; bowl");
    const postId = await schedule(browser, fields);
    const form = formFields(await (await browser.get(`/dashboard/posts/${postId}/edit`)).text(), PREVIEW);
    expect(form).toMatchObject({ [name(first.url)]: ["A <blue> bowl"] });
    const changed = await (await browser.post(PREVIEW, { ...form, [name(second.url)]: "A square bowl" })).text();
    expect(changed).toContain("A square bowl");
    await browser.post("/dashboard/posts/edit/confirm", formFields(changed, "/dashboard/posts/edit/confirm"));
    expect((await readPost(caller, postId)).media_items).toMatchObject([
      { alt_text: "A <blue> bowl" },
      { alt_text: "A square bowl" },
    ]);
    const page = await (await browser.get(`/dashboard/posts/${postId}`)).text();
    expect(page).toContain("Description: A square bowl");
    expect(page).toContain("other descriptions");
  });

  test("of videos have a cover: a picture or a moment, through preview, edit and copy", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "instagram");
    const [clip, picture] = [
      await uploadFile(caller, await createUniqueFile("portrait.mp4")),
      await uploadFile(caller, await createUniqueFile("portrait.jpg")),
    ];
    const key = /media\/([^/]+)/.exec(clip.url)?.[1];
    const when = at(2);
    const fields: Fields = { caption: "A turn", account: id, date: when.date, time: when.time, media: [clip.url] };
    const both = { [`cover_url.${key}`]: picture.url, [`cover_at.${key}`]: "1,5" };
    expect(await (await browser.post(PREVIEW, { ...fields, ...both })).text()).toContain(`id="cover_url.${key}-error"`);
    const noNumber = await (await browser.post(PREVIEW, { ...fields, [`cover_at.${key}`]: "early" })).text();
    expect(noNumber).toContain("Give the moment in seconds");
    const tooLate = await (await browser.post(PREVIEW, { ...fields, [`cover_at.${key}`]: "99" })).text();
    expect(tooLate).toContain(`id="cover_at.${key}-error"`);
    const postId = await schedule(browser, { ...fields, [`cover_url.${key}`]: picture.url });
    const form = formFields(await (await browser.get(`/dashboard/posts/${postId}/edit`)).text(), PREVIEW);
    expect(form).toMatchObject({ [`cover_url.${key}`]: [picture.url] });
    const changed = await (
      await browser.post(PREVIEW, { ...form, [`cover_url.${key}`]: "", [`cover_at.${key}`]: "1,5" })
    ).text();
    expect(changed).toContain("cover at 1.5 s");
    await browser.post("/dashboard/posts/edit/confirm", formFields(changed, "/dashboard/posts/edit/confirm"));
    expect((await readPost(caller, postId)).media_items).toMatchObject([{ cover: { at_ms: 1500, url: null } }]);
    expect(await (await browser.get(`/dashboard/posts/${postId}`)).text()).toContain("Cover: the moment at 1.5 s");
  });

  test("named in the address are in the form, others' files are not", async ({ expect }) => {
    const [mine, theirs] = [await createPerson(), await createPerson()];
    const [item, foreign] = [
      await uploadFile(mine.caller, await createUniqueFile("portrait.jpg")),
      await uploadFile(theirs.caller, await createUniqueFile("portrait.jpg")),
    ];
    const query = new URLSearchParams([
      ["media", item.url],
      ["media", foreign.url],
      ["media", "javascript:alert(1)"],
    ]);
    const page = await (await mine.browser.get(`/dashboard/posts/new?${query.toString()}`)).text();
    expect(formFields(page, PREVIEW)["media"]).toEqual([item.url]);
  });

  test("are chosen from the library, which has the person's own files only", async ({ expect }) => {
    const [mine, other] = [await createPerson(), await createPerson()];
    const item = await uploadFile(mine.caller, await createUniqueFile("portrait.jpg"));
    const page = await (await mine.browser.get("/dashboard/posts/new")).text();
    expect(page).toContain(`name="library" value="${item.url}"`);
    expect(await (await other.browser.get("/dashboard/posts/new")).text()).not.toContain(item.url);
    const html = await (await mine.browser.post(PREVIEW, { intent: "update", library: item.url })).text();
    expect(formFields(html, PREVIEW)).toMatchObject({ media: [item.url] });
  });
});

describe("the preview", () => {
  async function previewText() {
    const person = await createPerson();
    const { id } = await connect(person.caller, "x");
    const when = at(2);
    const fields = { caption: "A new glaze", account: id, date: when.date, time: when.time };
    const html = await (await person.browser.post(PREVIEW, fields)).text();
    return { ...person, id, fields, html, confirm: formFields(html, "/dashboard/posts/confirm") };
  }

  test("has text, time with zone, cost and hash, and leads back to the form as it was", async ({ expect }) => {
    const { browser, html, confirm, fields } = await previewText();
    expect(html).toContain("A new glaze");
    expect(html).toContain("UTC");
    expect(html).toContain("X charges $0.015 for this post (creating a post)");
    expect(html).toContain("five minutes");
    // The button is at the top too; what programs compare is out of the way.
    expect(html.indexOf('<button form="confirm">Schedule</button>')).toBeLessThan(html.indexOf("A new glaze"));
    expect(html).toMatch(/<details><summary>Technical details<\/summary>[\s\S]*Fingerprint/);
    const changed = await (await browser.post(PREVIEW, { ...confirm, intent: "change" })).text();
    expect(formFields(changed, PREVIEW)).toMatchObject({
      caption: ["A new glaze"],
      date: [fields.date],
      time: [fields.time],
    });
  });

  test("of a post that is due within minutes names that time as its one deadline", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "x");
    const { date, time } = at(2 / (24 * 60));
    const html = await (await browser.post(PREVIEW, { caption: "At once", account: id, date, time })).text();
    expect(html).toContain(`Press Schedule before ${time}.`);
    expect(html).not.toMatch(/five minutes|confirm before/i);
  });

  test("used twice leads to the same post", async ({ expect }) => {
    const { browser, caller, confirm } = await previewText();
    const first = await browser.post("/dashboard/posts/confirm", confirm);
    const id = doneId(first);
    const second = await browser.post("/dashboard/posts/confirm", confirm);
    expect([second.status, second.headers.get("location")]).toEqual([303, `/dashboard/posts/${id}`]);
    expect((await callApi(caller, { method: "GET", path: "/posts" })).body.pagination.total).toBe(1);
  });

  test("that is over offers one button to preview again, with everything still there", async ({ expect }) => {
    const { browser, confirm } = await previewText();
    const refused = await browser.post("/dashboard/posts/confirm", { ...confirm, confirmation_token: "over" });
    const html = await refused.text();
    expect(refused.status).toBe(400);
    expect(html).toContain("Preview again");
    const again = await browser.post(PREVIEW, { ...formFields(html, PREVIEW), intent: "preview" });
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("A new glaze")]);
  });

  test("of another user's accounts is refused like unknown ones, and confirming another user's preview too", async ({
    expect,
  }) => {
    const { id, confirm } = await previewText();
    const other = await createPerson();
    const html = await (await other.browser.post(PREVIEW, { caption: "A", account: id, ...at(1) })).text();
    expect(html).toContain("No connected account has this id.");
    expect(html).not.toContain("ada_example");
    expect((await other.browser.post("/dashboard/posts/confirm", confirm)).status).toBe(400);
  });

  test("needs a subscription", async ({ expect }) => {
    const caller = await createCaller({ subscription: "canceled" });
    const browser = new BrowserClient(service);
    browser.session = await startSession(service.services, { userId: caller.userId });
    const refused = await browser.post(PREVIEW, { caption: "A", ...at(1) });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("choose a plan")]);
  });

  test("opened as an address begins a new post", async ({ expect }) => {
    const { browser } = await createPerson();
    expect((await browser.get(PREVIEW)).headers.get("location")).toBe("/dashboard/posts/new");
  });
});

describe("a time that occurs twice", () => {
  test("is asked for with both readings, and the chosen one is scheduled", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    await setTimeZone(service.services, { userId: caller.userId, timeZone: "Europe/Berlin" });
    const { id } = await connect(caller, "x");
    const year = new Date(Date.now()).getUTCFullYear() + (new Date(Date.now()).getUTCMonth() > 8 ? 1 : 0);
    const sunday = [25, 26, 27, 28, 29, 30, 31].find((day) => new Date(Date.UTC(year, 9, day)).getUTCDay() === 0);
    const fields = { caption: "Twice", account: id, date: `${year}-10-${sunday}`, time: "02:30" };
    const html = await (await browser.post(PREVIEW, fields)).text();
    expect(html).toContain("The first one: 02:30, Europe/Berlin (UTC+02:00)");
    expect(html).toContain("The second one: 02:30, Europe/Berlin (UTC+01:00)");
    const postId = await schedule(browser, { ...fields, fold: "later" });
    expect((await readPost(caller, postId)).scheduled_at).toBe(`${year}-10-${sunday}T01:30:00.000Z`);
  });
});

test("a preview that is made again says when", async ({ expect }) => {
  const { browser, caller } = await createPerson();
  const { id } = await connect(caller, "x");
  const when = at(2);
  const fields: Fields = { intent: "preview", caption: "A glaze", account: [id], date: when.date, time: when.time };
  expect(await (await browser.post(PREVIEW, fields)).text()).not.toContain("checked again");
  const refused = await (
    await browser.post("/dashboard/posts/confirm", { ...fields, confirmation_token: "over" })
  ).text();
  const again = await browser.post(PREVIEW, { ...formFields(refused, PREVIEW), intent: "preview" });
  expect(await again.text()).toMatch(/The times were checked again at \d\d:\d\d\./);
});

test("the calendar's dialog gets the form alone, with a heading and a way out", async ({ expect }) => {
  const { browser } = await createPerson();
  const html = await (await browser.get("/dashboard/posts/new?at=2030-01-02T10:30", { "x-fragment": "1" })).text();
  expect(html).toMatch(/^<div class="composer-dialog">/);
  expect(html).toContain('<h2 id="dialog-title">New post</h2>');
  expect(html).toMatch(/href="\/dashboard" data-close/);
  expect(html).toContain('value="2030-01-02"');
});

describe("an edit", () => {
  async function scheduledPost() {
    const person = await createPerson();
    const [x, mastodon] = [await connect(person.caller, "x"), await connect(person.caller, "mastodon")];
    const when = at(2);
    const fields: Fields = {
      caption: "A new glaze",
      account: [x.id, mastodon.id],
      date: when.date,
      time: when.time,
      [`option.${mastodon.id}.visibility`]: "unlisted",
    };
    return { ...person, x, mastodon, fields, id: await schedule(person.browser, fields) };
  }

  test("shows the post, what changes in words, and saves it", async ({ expect }) => {
    const { browser, caller, id, mastodon } = await scheduledPost();
    const form = formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW);
    const unchanged = await browser.post(PREVIEW, form);
    expect([unchanged.status, await unchanged.text()]).toEqual([
      400,
      expect.stringContaining("This edit changes nothing."),
    ]);
    const html = await (
      await browser.post(PREVIEW, {
        ...form,
        caption: "A blue glaze",
        [`option.${mastodon.id}.visibility`]: "private",
        account: [mastodon.id],
      })
    ).text();
    expect(html).toContain("<del>A new glaze</del>");
    expect(html).toContain("<ins>A blue glaze</ins>");
    expect(html).toContain("<del>Everyone, but not in public timelines</del>");
    expect(html).toContain("<ins>Followers only</ins>");
    const saved = await browser.post(
      "/dashboard/posts/edit/confirm",
      formFields(html, "/dashboard/posts/edit/confirm"),
    );
    expect([saved.status, saved.headers.get("location")]).toEqual([303, `/dashboard/posts/${id}?done=saved`]);
    expect(await readPost(caller, id)).toMatchObject({
      caption: "A blue glaze",
      targets: [{ account_id: mastodon.id, platform_options: { visibility: "private" } }],
    });
  });

  test("of another user's post, and a duplicate of it, are a missing page", async ({ expect }) => {
    const { id } = await scheduledPost();
    const { browser } = await createPerson();
    const answers = [
      await browser.get(`/dashboard/posts/${id}/edit`),
      await browser.get(`/dashboard/posts/new?duplicate=${id}`),
      await browser.post(PREVIEW, { caption: "A", post_id: id, ...at(1) }),
      await browser.get("/dashboard/posts/nothing/edit"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test("of a cancelled post is not offered, a copy is", async ({ expect }) => {
    const { browser, caller, id } = await scheduledPost();
    await callApi(caller, { method: "DELETE", path: `/posts/${id}`, body: { confirm: true } });
    const page = await browser.get(`/dashboard/posts/${id}/edit`);
    expect([page.status, await page.text()]).toEqual([409, expect.stringContaining(`duplicate=${id}`)]);
  });

  test("has count and likeness of each account before any script asks for them", async ({ expect }) => {
    const { browser, id, x, mastodon } = await scheduledPost();
    const page = await (await browser.get(`/dashboard/posts/${id}/edit`)).text();
    expect(page).toContain("11 of 25,000 characters");
    for (const account of [x, mastodon]) {
      expect(page).toMatch(new RegExp(`data-likeness="${account.id}"><figure class="likeness"`));
    }
    const form = formFields(page, PREVIEW);
    const checked: { accounts: Record<string, { likeness_html: string; count: string }> } = await (
      await browser.post("/dashboard/posts/check", form)
    ).json();
    for (const { likeness_html, count } of Object.values(checked.accounts)) {
      expect(page).toContain(likeness_html);
      expect(page).toContain(count);
    }
  });

  test("a duplicate has the content, the time of day and no day, and says what it is a copy of", async ({ expect }) => {
    const { browser, id, x, mastodon, fields } = await scheduledPost();
    const page = await (await browser.get(`/dashboard/posts/new?duplicate=${id}`)).text();
    expect(page).toContain("Copy of “A new glaze”");
    const form = formFields(page, PREVIEW);
    expect(form).toMatchObject({
      caption: ["A new glaze"],
      account: [x.id, mastodon.id],
      date: [""],
      time: [fields["time"]],
      [`option.${mastodon.id}.visibility`]: ["unlisted"],
    });
    expect(form["post_id"]).toBeUndefined();
  });
});

describe("the parts of a thread", () => {
  const thread = (texts: readonly string[]) => texts.map((caption) => ({ caption }));

  test("stand beside the text of the account and not among its options, each with a label", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const [x, linkedin] = [await connect(caller, "x", "ben"), await connect(caller, "linkedin", "cleo")];
    const page = async (fields: Record<string, string | string[]>) =>
      await (await browser.post(PREVIEW, { caption: "One", intent: "update", ...fields })).text();
    const empty = await page({ account: x.id });
    expect(empty).toContain("Add a part (thread)");
    expect(empty.indexOf("Add a part (thread)")).toBeLessThan(empty.indexOf("Different text for this account"));
    const name = `option.${x.id}.thread`;
    const filled = await page({ account: x.id, [name]: ["Two"] });
    expect(filled).toContain(`<label for="${name}.0">Part 2</label>`);
    expect(filled).toContain("What is ticked or entered here is used in any case.");
    expect(await page({ account: linkedin.id })).not.toContain("Add a part");
  });

  test("are added, moved and removed by buttons, and what is wrong stands beside each", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "x", "ben");
    const name = `option.${id}.thread`;
    const press = async (parts: readonly string[], intent: string) => {
      const fields = { caption: "One", account: id, [name]: parts, intent: `${intent}.${id}` };
      return formFields(await (await browser.post(PREVIEW, fields)).text(), PREVIEW)[name];
    };
    expect(await press([], "part_add.0")).toEqual([""]);
    expect(await press(["Two"], "part_add.1")).toEqual(["Two", ""]);
    expect(await press(["Two", "Three"], "part_up.1")).toEqual(["Three", "Two"]);
    expect(await press(["Two", "Three"], "part_down.0")).toEqual(["Three", "Two"]);
    expect(await press(["Two", "Three"], "part_remove.0")).toEqual(["Three"]);
    expect(await press(["Two"], "part_remove.7")).toEqual(["Two"]);
    const when = at(2);
    const fields = { caption: "One", account: id, date: when.date, time: when.time };
    const parts = { [name]: ["Two", "b".repeat(281), ""] };
    const refused = await (await browser.post(PREVIEW, { ...fields, ...parts, intent: "preview" })).text();
    expect(refused).toMatch(new RegExp(`id="${name}.1-error"`));
    const check = await (await browser.post("/dashboard/posts/check", { ...fields, ...parts })).json();
    expect(check).toMatchObject({
      fields: { [`${name}.1`]: [expect.stringContaining("281")] },
      accounts: {
        [id]: {
          parts: [
            { count: "3 of 280 characters", is_too_long: false },
            { count: "281 of 280 characters", is_too_long: true },
          ],
          likeness_html: expect.stringContaining("Two"),
        },
      },
    });
  });

  test.for(["x", "threads"] as const)("on %s are scheduled, edited and copied", async (platform, { expect }) => {
    const { caller, browser } = await createPerson();
    const { id: account } = await connect(caller, platform, "ben");
    const name = `option.${account}.thread`;
    const when = at(2);
    const fields = { caption: "One", account, date: when.date, time: when.time, [name]: ["Two", "Three", ""] };
    const html = await (await browser.post(PREVIEW, { ...fields, intent: "preview" })).text();
    expect(html).toContain("2 more parts");
    const id = await schedule(browser, fields);
    expect((await readPost(caller, id)).targets[0].platform_options.thread).toEqual(thread(["Two", "Three"]));
    const form = formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW);
    expect(form[name]).toEqual(["Two", "Three"]);
    const preview = await (await browser.post(PREVIEW, { ...form, [name]: ["Two", "Four"] })).text();
    await browser.post("/dashboard/posts/edit/confirm", formFields(preview, "/dashboard/posts/edit/confirm"));
    expect((await readPost(caller, id)).targets[0].platform_options.thread).toEqual(thread(["Two", "Four"]));
    const copy = formFields(await (await browser.get(`/dashboard/posts/new?duplicate=${id}`)).text(), PREVIEW);
    expect(copy[name]).toEqual(["Two", "Four"]);
    await browser.post(PREVIEW, form);
    const single = { ...formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW) };
    delete single[name];
    const without = await (await browser.post(PREVIEW, single)).text();
    await browser.post("/dashboard/posts/edit/confirm", formFields(without, "/dashboard/posts/edit/confirm"));
    expect((await readPost(caller, id)).targets[0].platform_options.thread).toBeUndefined();
  });
});

test("the media of the parts of a thread go with their parts, in edits and copies", async ({ expect }) => {
  const { caller, browser } = await createPerson();
  const { id: account } = await connect(caller, "x", "ben");
  const image = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
  const thread = [{ caption: "Two" }, { caption: "Three", media_items: [{ url: image.url, alt_text: "A jug" }] }];
  const { body } = await callApi(caller, {
    method: "POST",
    path: "/posts/preview",
    body: { caption: "One", scheduled_at: at(2).iso, targets: [{ account_id: account, platform_options: { thread } }] },
  });
  const { confirmation_token } = body;
  const confirmed = await callApi(caller, { method: "POST", path: "/posts/confirm", body: { confirmation_token } });
  const id = String(confirmed.body.posts[0].id);
  const stored = () => readPost(caller, id).then(({ targets }) => targets[0].platform_options.thread);
  const before = await stored();
  expect(before[1].media_items).toMatchObject([{ url: image.url, alt_text: "A jug", sha256: expect.any(String) }]);

  const page = await (await browser.get(`/dashboard/posts/${id}/edit`)).text();
  expect(page).toContain("More media for part 3");
  const form = formFields(page, PREVIEW);
  const moved = await (await browser.post(PREVIEW, { ...form, intent: `part_up.1.${account}` })).text();
  const preview = await (await browser.post(PREVIEW, { ...formFields(moved, PREVIEW), intent: "preview" })).text();
  expect(preview).toContain("2 more parts with 1 file");
  expect(preview).toContain('alt="Image: A jug"');
  await browser.post("/dashboard/posts/edit/confirm", formFields(preview, "/dashboard/posts/edit/confirm"));
  expect(await stored()).toEqual([before[1], before[0]]);

  const copy = formFields(await (await browser.get(`/dashboard/posts/new?duplicate=${id}`)).text(), PREVIEW);
  const later = at(3);
  const copyId = await schedule(browser, { ...copy, date: later.date, time: later.time, intent: "preview" });
  expect((await readPost(caller, copyId)).targets[0].platform_options.thread).toEqual([before[1], before[0]]);
});

test("the media of a part are chosen, described, ordered and removed by buttons, without a script", async ({
  expect,
}) => {
  const { caller, browser } = await createPerson();
  const { id: account } = await connect(caller, "x", "ben");
  const files = [];
  for (let count = 0; count < 3; count++) {
    files.push((await uploadFile(caller, await createUniqueFile("portrait.jpg"))).url);
  }
  const [first = "", second = "", other = ""] = files;
  const when = at(2);
  let fields: Fields = {
    caption: "One",
    account,
    date: when.date,
    time: when.time,
    [`option.${account}.thread`]: ["Two", ""],
  };
  const press = async (intent: string, more: Fields = {}) => {
    const page = await (await browser.post(PREVIEW, { ...fields, ...more, intent })).text();
    fields = formFields(page, PREVIEW);
    return page;
  };
  const ofPart = (kind: string, part: number) => `part_${kind}.${account}.thread.${part}`;
  const ticked = [first, second].map((url) => `image ${url}`);
  await press("update", { [ofPart("library", 1)]: ticked, [ofPart("library", 0)]: `image ${other}` });
  await press("update", { [ofPart("alt_text", 1)]: ["Front", "Back"] });
  await press(`part_media_up.1.1.${account}`);
  expect(fields[ofPart("alt_text", 1)]).toEqual(["Back", "Front"]);
  await press("update", { [ofPart("media_url", 0)]: "http://a.example/x.jpg" });
  const refused = await press("preview");
  expect(refused).toContain(`href="#${ofPart("media", 0)}.1"`);
  expect(refused).toContain(`id="${ofPart("media", 0)}.1-error"`);
  await press(`part_media_remove.1.0.${account}`);
  await press(`part_media_remove.0.0.${account}`);
  await press(`part_media_remove.5.1.${account}`);
  await press(`part_up.1.${account}`);
  expect(fields[ofPart("alt_text", 0)]).toEqual(["Back", "Front"]);
  const id = await schedule(browser, fields);
  const [target] = (await readPost(caller, id)).targets;
  expect(target.platform_options.thread).toMatchObject([
    {
      caption: "",
      media_items: [
        { url: second, alt_text: "Back" },
        { url: first, alt_text: "Front" },
      ],
    },
    { caption: "Two" },
  ]);
  expect(target.platform_options.thread[1].media_items).toBeUndefined();
});

test("a document is scheduled, edited and copied by its address and title", async ({ expect }) => {
  const { caller, browser } = await createPerson();
  const { id: account } = await connect(caller, "linkedin", "ben");
  const [first, second] = await Promise.all(
    [0, 1].map(async () => (await uploadDocument(caller, await createUniqueFile("handbook.pdf"))).url),
  );
  const [url, title] = ["url", "title"].map((member) => `option.${account}.document.${member}`);
  const when = at(2);
  const fields = {
    caption: "A handbook",
    account,
    date: when.date,
    time: when.time,
    [url ?? ""]: first ?? "",
    [title ?? ""]: "The handbook",
  };
  const html = await (await browser.post(PREVIEW, { ...fields, intent: "preview" })).text();
  expect(html).toMatch(/<b>The handbook<\/b>.*The first page of the document.*class="likeness-count">1\/3</s);
  const check = await (await browser.post("/dashboard/posts/check", fields)).json();
  expect(check).toMatchObject({ fields: {} });
  const id = await schedule(browser, fields);
  const stored = () => readPost(caller, id).then(({ targets }) => targets[0].platform_options.document);
  expect(await stored()).toMatchObject({ url: first, title: "The handbook", pages: 3 });

  const form = formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW);
  expect([form[url ?? ""], form[title ?? ""]]).toEqual([[first], ["The handbook"]]);
  const edit = async (change: Fields) => {
    const preview = await (await browser.post(PREVIEW, { ...form, ...change })).text();
    await browser.post("/dashboard/posts/edit/confirm", formFields(preview, "/dashboard/posts/edit/confirm"));
  };
  await edit({ [url ?? ""]: second ?? "" });
  expect(await stored()).toMatchObject({ url: second, title: "The handbook" });

  const copy = formFields(await (await browser.get(`/dashboard/posts/new?duplicate=${id}`)).text(), PREVIEW);
  expect([copy[url ?? ""], copy[title ?? ""]]).toEqual([[second], ["The handbook"]]);
  const wrong = await browser.post(PREVIEW, { ...fields, [title ?? ""]: "", intent: "preview" });
  expect(await wrong.text()).toContain(`id="${title}-error"`);
});

describe("media and options of one account", () => {
  async function schedulePostWithExtras() {
    const person = await createPerson();
    const { caller } = person;
    const [x, instagram] = [await connect(caller, "x", "ben"), await connect(caller, "instagram")];
    const image = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const thread = ["The glaze", "The kiln"];
    const user_tags = [{ username: "grace", x: 0.25, y: 0.5 }];
    const { body } = await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: {
        caption: "The bowl",
        scheduled_at: at(2).iso,
        targets: [
          { account_id: x.id, platform_options: { thread: thread.map((caption) => ({ caption })) } },
          {
            account_id: instagram.id,
            media_items: [{ url: image.url, type: "image", alt_text: 'A "blue" bowl' }],
            platform_options: { user_tags },
          },
        ],
      },
    });
    const confirmed = await callApi(caller, {
      method: "POST",
      path: "/posts/confirm",
      body: { confirmation_token: body.confirmation_token },
    });
    return { ...person, x, instagram, image, id: String(confirmed.body.posts[0].id) };
  }
  type StoredTarget = { account_id: string; media_items: { url: string }[] | null; platform_options: object };
  const extrasOf = ({ targets }: { targets: readonly StoredTarget[] }) =>
    targets.map(({ account_id, media_items, platform_options }) => ({ account_id, media_items, platform_options }));

  test("are those of the post on a copy of it", async ({ expect }) => {
    const { browser, caller, image, id } = await schedulePostWithExtras();
    const page = await (await browser.get(`/dashboard/posts/new?duplicate=${id}`)).text();
    expect(page).toContain("Media of this account alone");
    const later = at(3);
    const fields = { ...formFields(page, PREVIEW), date: later.date, time: later.time };
    // As after a button that shows the form again.
    const again = await (await browser.post(PREVIEW, { ...fields, intent: "update" })).text();
    const copyId = await schedule(browser, { ...formFields(again, PREVIEW), intent: "preview" });
    const copy = await readPost(caller, copyId);
    expect(extrasOf(copy)).toEqual(extrasOf(await readPost(caller, id)));
    expect(copy.targets[1]).toMatchObject({
      media_items: [{ url: image.url, alt_text: 'A "blue" bowl' }],
      platform_options: { user_tags: [{ username: "grace" }] },
    });
    expect(copy.targets[0].platform_options.thread).toHaveLength(2);
  });

  test("stay in an edit, until the person takes the media of the post for the account", async ({ expect }) => {
    const { browser, caller, instagram, image, id } = await schedulePostWithExtras();
    const before = extrasOf(await readPost(caller, id));
    const save = async (change: Fields) => {
      const form = formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW);
      const html = await (await browser.post(PREVIEW, { ...form, ...change })).text();
      await browser.post("/dashboard/posts/edit/confirm", formFields(html, "/dashboard/posts/edit/confirm"));
      return html;
    };
    await save({ caption: "The blue bowl" });
    expect(extrasOf(await readPost(caller, id))).toEqual(before);
    const preview = await save({ media: image.url, [`shared_media.${instagram.id}`]: "true" });
    expect(preview).toMatch(/Instagram [^:<]+: own media/);
    const { targets } = await readPost(caller, id);
    expect(targets[1].media_items).toBeNull();
    expect(targets[1].platform_options.user_tags).toHaveLength(1);
    const html = await (await browser.get(`/dashboard/posts/${id}`)).text();
    expect(html).toMatch(/Own media of [^<:]+ \(Instagram\): 1 → those of the post/);
  });
});

test.for([
  ["instagram", "Instagram"],
  ["facebook", "Facebook"],
] as const)(
  "an edit makes an image a story at %s, and another one takes that back",
  async ([platform, name], { expect }) => {
    const { browser, caller } = await createPerson();
    const account = await connect(caller, platform);
    const { url } = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const previewed = await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: {
        caption: "The bowl",
        scheduled_at: at(2).iso,
        media_items: [{ url, type: "image" }],
        targets: [{ account_id: account.id }],
      },
    });
    const { confirmation_token } = previewed.body;
    const { body } = await callApi(caller, { method: "POST", path: "/posts/confirm", body: { confirmation_token } });
    const id = String(body.posts[0].id);
    const save = async (story: string) => {
      const form = formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW);
      const html = await (await browser.post(PREVIEW, { ...form, [`option.${account.id}.story`]: story })).text();
      await browser.post("/dashboard/posts/edit/confirm", formFields(html, "/dashboard/posts/edit/confirm"));
      return html;
    };
    const shown = await save("true");
    expect(shown).toContain(`${name} shows no text with a story`);
    expect((await readPost(caller, id)).targets[0].platform_options).toMatchObject({ story: true });
    expect(await save("false")).not.toContain(`${name} shows no text with a story`);
    expect((await readPost(caller, id)).targets[0].platform_options).toMatchObject({
      story: false,
      placement: "timeline",
    });
  },
);

describe("other media for one account", () => {
  async function prepareFiles() {
    const person = await createPerson();
    const { caller } = person;
    const { id: account } = await connect(caller, "x", "ben");
    const files = [];
    for (let count = 0; count < 3; count++) {
      files.push((await uploadFile(caller, await createUniqueFile("portrait.jpg"))).url);
    }
    return { ...person, account, files };
  }

  test("are chosen, described, ordered and removed by buttons, without a script", async ({ expect }) => {
    const { browser, caller, account, files } = await prepareFiles();
    const [shared = "", first = "", second = ""] = files;
    const when = at(2);
    let fields: Fields = { caption: "A bowl", account, media: shared, date: when.date, time: when.time };
    const press = async (intent: string, more: Fields = {}) => {
      const page = await (await browser.post(PREVIEW, { ...fields, ...more, intent })).text();
      fields = formFields(page, PREVIEW);
      return page;
    };
    const ticked = [first, second].map((url) => `image ${url}`);
    expect(await press("update", { [`own_library.${account}`]: ticked })).toContain("Media of this account alone");
    await press("update", { [`own_alt_text.${account}`]: ["One", "Two"] });
    await press(`own_up.1.${account}`);
    expect(fields[`own_alt_text.${account}`]).toEqual(["Two", "One"]);
    await press("update", { [`own_media_url.${account}`]: "https://a.example/x.jpg" });
    await press(`own_remove.2.${account}`);
    const id = await schedule(browser, fields);
    const post = await readPost(caller, id);
    expect(post.media_items).toMatchObject([{ url: shared }]);
    expect(post.targets[0].media_items).toMatchObject([
      { url: second, alt_text: "Two" },
      { url: first, alt_text: "One" },
    ]);
  });

  test("are given to and taken from an account in an edit", async ({ expect }) => {
    const { browser, caller, account, files } = await prepareFiles();
    const [shared = "", own = ""] = files;
    const when = at(2);
    const id = await schedule(browser, { caption: "A jug", account, media: shared, date: when.date, time: when.time });
    const save = async (change: Fields) => {
      const form = formFields(await (await browser.get(`/dashboard/posts/${id}/edit`)).text(), PREVIEW);
      const html = await (await browser.post(PREVIEW, { ...form, ...change })).text();
      await browser.post("/dashboard/posts/edit/confirm", formFields(html, "/dashboard/posts/edit/confirm"));
      return (await readPost(caller, id)).targets[0].media_items;
    };
    expect(await save({ [`own_library.${account}`]: `image ${own}` })).toMatchObject([{ url: own, alt_text: null }]);
    expect(await save({ [`own_alt_text.${account}`]: "A jug" })).toMatchObject([{ url: own, alt_text: "A jug" }]);
    expect(await save({ caption: "Another jug" })).toMatchObject([{ url: own, alt_text: "A jug" }]);
    expect(await save({ [`own_media.${account}`]: "[]" })).toEqual([]);
    expect(await save({ [`shared_media.${account}`]: "true" })).toBeNull();
  });
});

describe("a post that failed in part", () => {
  test("is tried again only where it failed, at a new time, and says so", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const [x, mastodon] = [await connect(caller, "x"), await connect(caller, "mastodon")];
    const when = at(2);
    const fields = { caption: "A new glaze", account: [x.id, mastodon.id], date: when.date, time: when.time };
    const id = await schedule(browser, fields);
    await env.DB.batch([
      env.DB.prepare("UPDATE posts SET status = 'partially_failed' WHERE id = ?1").bind(id),
      env.DB.prepare("UPDATE post_targets SET state = 'published' WHERE post_id = ?1 AND account_id = ?2").bind(
        id,
        x.id,
      ),
      env.DB.prepare("UPDATE post_targets SET state = 'failed' WHERE post_id = ?1 AND account_id = ?2").bind(
        id,
        mastodon.id,
      ),
    ]);
    const page = await (await browser.get(`/dashboard/posts/${id}/edit`)).text();
    expect(page).toContain("Only what is not published is tried again, at the new time.");
    const form = formFields(page, PREVIEW);
    expect(form).toMatchObject({ account: [mastodon.id], date: [""], time: [""] });
    expect(await (await browser.post(PREVIEW, form)).text()).toContain("Choose a day.");
    const later = at(4);
    const html = await (await browser.post(PREVIEW, { ...form, date: later.date, time: later.time })).text();
    const saved = await browser.post(
      "/dashboard/posts/edit/confirm",
      formFields(html, "/dashboard/posts/edit/confirm"),
    );
    expect(saved.status).toBe(303);
    const post = await readPost(caller, id);
    expect(post.targets.map(({ status }: { status: string }) => status)).toEqual(["published", "pending"]);
    expect(post.scheduled_at).toBe(later.iso);
  });
});

describe("an account that needs a new login", () => {
  test("is shown with the way to connect it again, and cannot be chosen", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "x");
    await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?1").bind(id).run();
    const page = await (await browser.get(`/dashboard/posts/new?account=${id}`)).text();
    expect(page).toMatch(new RegExp(`name="account" value="${id}" disabled`));
    expect(page).toContain("This account needs a new login.");
    expect(page).toContain('href="/dashboard/accounts"');
    const refused = await browser.post(PREVIEW, { caption: "A", account: id, ...at(1) });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(`href="#account.${id}"`)]);
  });
});

describe("what the audit of a platform asks for", () => {
  test("creator, a privacy nobody chose for the person, interactions off and the consent before the button", async ({
    expect,
  }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "tiktok", "ben");
    const video = await uploadFile(caller, await createUniqueFile("portrait.mp4"));
    const page = await (await browser.get(`/dashboard/posts/new?account=${id}`)).text();
    expect(page).toContain("<b>Ben</b>");
    const fields = { ...formFields(page, PREVIEW), caption: "A wheel", media: video.url, ...at(1) };
    expect(fields).toMatchObject({ [`option.${id}.privacy_status`]: [""], [`option.${id}.allow_comment`]: ["false"] });
    const update = await (await browser.post(PREVIEW, { ...fields, intent: "update" })).text();
    expect(update).toMatch(new RegExp(`name="option.${id}.allow_duet" value="true"[^>]* disabled`));
    const audiences = Array.from(
      update.matchAll(/<option value="(\w+)"[^>]*>(Everyone|Friends|Followers|Only you)</g),
      (found) => found[1],
    );
    expect(audiences).toEqual(["friends", "followers", "private"]);
    expect((await browser.post(PREVIEW, fields)).status).toBe(400);
    const preview = await browser.post(PREVIEW, { ...fields, [`option.${id}.privacy_status`]: "private" });
    const html = await preview.text();
    expect(preview.status).toBe(200);
    expect(html.indexOf("Music Usage Confirmation")).toBeGreaterThan(0);
    expect(html.indexOf("Music Usage Confirmation")).toBeLessThan(html.indexOf(">Schedule<"));
  });

  test("branded content disables “Only you”, and “Only you” disables branded content, with TikTok's sentence", async ({
    expect,
  }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "tiktok", "ada");
    const page = await (await browser.get(`/dashboard/posts/new?account=${id}`)).text();
    const fields = { ...formFields(page, PREVIEW), caption: "A wheel", ...at(1) };
    const option = (name: string) => `option.${id}.${name}`;
    const shown = async (chosen: Record<string, string | string[]>) =>
      (await (await browser.post(PREVIEW, { ...fields, ...chosen, intent: "update" })).text()).replaceAll("&#39;", "'");
    const sentence = "Branded content visibility cannot be set to private.";
    const disabledChoice = `<option value="private" disabled="" title="${sentence}">`;
    const disabledBox = new RegExp(`name="${option("disclose_branded_content")}" value="true" disabled`);
    const branded = await shown({
      [option("promotes")]: ["false", "true"],
      [option("disclose_branded_content")]: ["false", "true"],
    });
    expect(branded).toContain(disabledChoice);
    expect(branded).not.toMatch(disabledBox);
    expect(branded).toContain("Your photo/video will be labeled as 'Paid partnership'");
    const alone = await shown({ [option("promotes")]: ["false", "true"], [option("privacy_status")]: "private" });
    expect(alone).toMatch(disabledBox);
    expect(alone).toContain(`<label class="checkbox" title="${sentence}">`);
    expect(alone).not.toContain(disabledChoice);
  });

  test("what is disclosed is told in TikTok's words before the button", async ({ expect }) => {
    const { caller, browser } = await createPerson();
    const { id } = await connect(caller, "tiktok", "ada");
    const video = await uploadFile(caller, await createUniqueFile("portrait.mp4"));
    const page = await (await browser.get(`/dashboard/posts/new?account=${id}&media=${video.url}`)).text();
    const fields = { ...formFields(page, PREVIEW), caption: "A wheel", ...at(1) };
    const preview = await browser.post(PREVIEW, {
      ...fields,
      [`option.${id}.privacy_status`]: "friends",
      [`option.${id}.promotes`]: ["false", "true"],
      [`option.${id}.disclose_your_brand`]: ["false", "true"],
      [`option.${id}.disclose_branded_content`]: ["false", "true"],
    });
    const html = (await preview.text()).replaceAll("&#39;", "'");
    expect(preview.status).toBe(200);
    expect(html).toContain("Your photo/video will be labeled as 'Paid partnership'");
    expect(html).not.toContain("labeled as 'Promotional content'");
    expect(html).toContain("By posting, you agree to TikTok's <a");
  });
});

test("a page reads its data in one round trip, however many accounts there are", async ({ expect }) => {
  const { caller, browser } = await createPerson();
  await connect(caller, "x");
  await connect(caller, "facebook");
  const db = countingD1(env.DB);
  const worker = createService(() => service.services.outbound);
  const counted = new BrowserClient({
    services: service.services,
    async fetch(path, init) {
      const context = createExecutionContext();
      const request = new Request(new URL(path, env.ORIGIN), { redirect: "manual", ...init });
      const response = await worker.fetch(request, { ...env, DB: db.d1 }, context);
      await waitOnExecutionContext(context);
      return response;
    },
  });
  counted.session = browser.session;
  const response = await counted.get("/dashboard/posts/new");
  expect([response.status, db.count.roundTrips]).toEqual([200, 2]);
});

test("tagged accounts are lines of a text, and each wrong one is named", async ({ expect }) => {
  const { browser, caller } = await createPerson();
  const instagram = await connect(caller, "instagram");
  const { url } = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
  const field = `option.${instagram.id}.user_tags`;
  const page = await (await browser.get(`/dashboard/posts/new?account=${instagram.id}&media=${url}`)).text();
  expect(page).toContain(`<textarea id="${field}" name="${field}"`);
  const later = at(3);
  const fields = { ...formFields(page, PREVIEW), caption: "The bowl", date: later.date, time: later.time };
  const lines = "ada.example, 0.5, 0.3\r\nGrace Hopper, 0.5, 0.3\r\nin.no.place\r\nbeside, 1.2, 0.3";
  const preview = { ...fields, [field]: lines, intent: "preview" };
  const refused = await browser.post(PREVIEW, preview);
  expect(refused.status).toBe(400);
  const html = await refused.text();
  expect(html).toContain("Line 2: “Grace Hopper” is no user name");
  expect(html).toContain("Line 4: “1.2” is no distance");
  expect(html).toMatch(/A tag on an image needs x and y/);
  expect(formFields(html, PREVIEW)[field]).toEqual([lines.replaceAll("\r\n", "\n")]);
  const good = { ...fields, [field]: "ada.example, 50%, 0.3\r\ngrace, 0, 1, 1" };
  const previewed = await (await browser.post(PREVIEW, { ...good, intent: "preview" })).text();
  expect(previewed).toContain("ada.example, 0.5, 0.3; grace, 0, 1, 1");
  const id = await schedule(browser, good);
  expect((await readPost(caller, id)).targets[0].platform_options.user_tags).toEqual([
    { username: "ada.example", x: 0.5, y: 0.3 },
    { username: "grace", x: 0, y: 1, media_index: 0 },
  ]);
});

import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { PLATFORMS, type Platform } from "#core/platform.ts";
import { describeOptions } from "#dashboard/post-form/describe-options.ts";
import { fieldOf } from "#dashboard/post-form/form-problems.ts";
import { type PostForm, parsePostForm, postFormFields } from "#dashboard/post-form/post-form.ts";
import { formOfPost, toEditInput, toScheduleInput } from "#dashboard/post-form/read-post-form.ts";
import { writeOption } from "#dashboard/post-form/read-options.ts";
import { readTime, timeFields } from "#dashboard/post-form/read-time.ts";
import { optionSpecs } from "#platforms/option-specs.ts";
import { toOptionsSchema } from "#platforms/options-schema.ts";
import { adapterFor } from "#platforms/registry.ts";
import { NO_ANNOTATIONS, type Post, type Target } from "#posts/index.ts";

const BERLIN = { timeZone: "Europe/Berlin", hour12: false, firstWeekday: 0 };
const services = { adapterFor };
const platformsOf = (...platforms: Platform[]) => new Map(platforms.map((platform) => [`id-${platform}`, platform]));

const form = (fields: readonly (readonly [string, string])[]): PostForm =>
  parsePostForm(new URLSearchParams(fields.map(([name, value]) => [name, value])));

const optionsOf = (
  platform: Platform,
  fields: Readonly<Record<string, string | readonly string[]>>,
  media: string[] = [],
) => {
  const id = `id-${platform}`;
  const { input, problems } = toScheduleInput(
    services,
    form([
      ["caption", "A bowl"],
      ["date", "2026-12-24"],
      ["time", "18:30"],
      ["account", id],
      ...media.map((url) => ["media", url] as const),
      ...Object.entries(fields).flatMap(([key, values]) =>
        [values].flat().map((value) => [`option.${id}.${key}`, value] as const),
      ),
    ]),
    platformsOf(platform),
    BERLIN,
  );
  return { options: input.targets?.[0]?.platformOptions, problems };
};

/** The options that the composer asks for nowhere, each with why. The text, `caption`, is the account's own text. */
const WITHOUT_FIELD: Partial<Record<Platform, Readonly<Record<string, string>>>> = {
  instagram: { placement: "follows from the media" },
};

/** The members of each item of a list of objects that a field asks for, by the kind of the field. */
const LIST_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  parts: ["caption", "media_items"],
  tags: ["media_index", "username", "x", "y"],
};

describe("the form of every platform", () => {
  test.for(PLATFORMS)(
    "%s: every option has words or is set automatically, and no others are named",
    (platform, { expect }) => {
      const adapter = adapterFor(platform)!;
      const { properties } = toOptionsSchema(adapter) as { properties: Record<string, { properties?: object }> };
      expect(adapter.optionForm?.automatic ?? []).toEqual(Object.keys(WITHOUT_FIELD[platform] ?? {}));
      const asked = Object.entries(properties)
        .filter(([name]) => name !== "caption" && WITHOUT_FIELD[platform]?.[name] === undefined)
        .flatMap(([name, property]) =>
          property.properties ? Object.keys(property.properties).map((member) => `${name}.${member}`) : [name],
        );
      const specs = optionSpecs(adapter);
      expect(specs.map(({ key }) => key).toSorted()).toEqual(asked.toSorted());
      for (const spec of specs.filter(({ type }) => type === "choice")) {
        const hasEmpty = spec.defaultValue === undefined || spec.defaultValue === null || spec.mustChoose !== undefined;
        expect(Object.keys(spec.choices ?? {}).toSorted(), spec.key).toEqual(
          [...(hasEmpty ? [""] : []), ...spec.values].toSorted(),
        );
      }
      for (const spec of specs.filter(({ type, defaultValue }) => type === "boolean" && defaultValue === undefined)) {
        expect(Object.keys(spec.choices ?? {}).toSorted(), spec.key).toEqual(["", "false", "true"]);
      }
      for (const spec of specs.filter(({ type }) => type === "texts")) {
        expect(spec.input, spec.key).toBeDefined();
      }
    },
  );
});

describe("lists of objects", () => {
  test.for(PLATFORMS)("%s: every member of their items is asked for", (platform, { expect }) => {
    const adapter = adapterFor(platform)!;
    type Schema = { readonly items?: Schema; readonly properties?: Record<string, Schema>; readonly anyOf?: Schema[] };
    const { properties = {} } = toOptionsSchema(adapter) as Schema;
    for (const { key, input = "" } of optionSpecs(adapter)) {
      const schema = properties[key];
      const members = [schema, ...(schema?.anyOf ?? [])].flatMap((one) => Object.keys(one?.items?.properties ?? {}));
      expect(members.toSorted(), key).toEqual(members.length === 0 ? [] : LIST_MEMBERS[input]);
    }
  });
});

describe("tagged accounts", () => {
  const tagsOf = (text: string) => optionsOf("instagram", { user_tags: text }, ["https://files.example/a.jpg"]);

  test("are a line each: the name, the distances from the left and the top, the file", ({ expect }) => {
    const { options, problems } = tagsOf(
      "ada.example, 0.5, 0.3\r\n\r\n @grace_h ,25%, 100% , 2\nin.a.video\nin.the.third, 3\n zero, 0, .75",
    );
    expect(problems).toEqual([]);
    expect(options).toEqual({
      user_tags: [
        { username: "ada.example", x: 0.5, y: 0.3 },
        { username: "grace_h", x: 0.25, y: 1, media_index: 1 },
        { username: "in.a.video" },
        { username: "in.the.third", media_index: 2 },
        { username: "zero", x: 0, y: 0.75 },
      ],
    });
  });

  test("are shown as they are written, and read back the same", ({ expect }) => {
    const tags: JsonObject[] = [
      { username: "ada.example", x: 0.5, y: 0.3, media_index: 0 },
      { username: "grace_h", x: 1, y: 0 },
      { username: "in.a.video" },
    ];
    const spec = optionSpecs(adapterFor("instagram")!).find(({ key }) => key === "user_tags")!;
    const [text = ""] = writeOption(spec, tags);
    expect(text).toBe("ada.example, 0.5, 0.3, 1\ngrace_h, 1, 0\nin.a.video");
    expect(tagsOf(text).options).toEqual({ user_tags: tags });
    const context = { mediaTypes: ["image"] as const, boards: [] };
    expect(describeOptions([spec], { user_tags: tags }, context)).toEqual([
      { label: spec.label, value: "ada.example, 0.5, 0.3, 1; grace_h, 1, 0; in.a.video" },
    ]);
    const problem = { param: "targets[0].platform_options.user_tags[1]" };
    expect(fieldOf(problem, form([["account", "id-instagram"]]))).toBe("option.id-instagram.user_tags");
  });

  test.for([
    ["ada.example 0.5 0.3", "Line 1: “ada.example 0.5 0.3” is no user name"],
    ["\nAdä, 0.5, 0.3", "Line 2: “Adä” is no user name"],
    [", 0.5, 0.3", "Line 1: it begins with no name"],
    ["ada, 0.5", "Line 1: one number alone is that of the file"],
    ["ada, 0", "Line 1: one number alone is that of the file"],
    ["ada, 1.5, 0.3", "Line 1: “1.5” is no distance"],
    ["ada, 0.5, 120%", "Line 1: “120%” is no distance"],
    ["ada, left, 0.3", "Line 1: “left” is no distance"],
    ["ada, 0.5, 0.3, first", "Line 1: after the two distances comes only the number of the file"],
    ["ada, 0.5, 0.3, 1, 2", "Line 1: after the two distances comes only the number of the file"],
  ] as const)("%j is refused beside its field", ([text, message], { expect }) => {
    const { problems } = tagsOf(`${text}\nada, 0.5, 0.3`);
    expect(problems).toEqual([{ field: "option.id-instagram.user_tags", message: expect.stringContaining(message) }]);
  });
});

describe("a form as it was typed", () => {
  const fields = [
    ["caption", 'One\n"two" <b>'],
    ["date", "2026-02-30"],
    ["time", "25:61"],
    ["fold", "later"],
    ["slot", "next"],
    ["account", "a"],
    ["account", "b"],
    ["caption.a", "own"],
    ["caption.c", "of an account that is not chosen any more"],
    ["option.a.title", "T.i.t"],
    ["option.a.link_card.uri", "https://example.com"],
    ["option.c.alt_texts", ""],
    ["option.c.alt_texts", "second"],
    ["own_media.a", "no JSON"],
    ["shown", "b"],
    ["shared_media.a", "true"],
    ["fieldless_options.c", "{"],
    ["media", "https://one.example/a.jpg"],
    ["media", "https://one.example/b.jpg"],
    ["media_url", "https://two.example\n https://three.example"],
    ["labels", "launch\n a label "],
    ["metadata", "no colon"],
    ["notes", " as typed\n"],
    ["external_id", "cms/1"],
    ["post_id", "p"],
  ] as const;

  test("survives as fields, with everything that cannot be used", ({ expect }) => {
    const written = postFormFields(form(fields));
    expect(new Set(written)).toEqual(new Set(fields));
    expect(written).toHaveLength(fields.length);
  });

  test("has the line breaks that were typed, no NUL, and each account once", ({ expect }) => {
    const read = form([
      ["caption", "a\r\nb\0"],
      ["account", "x"],
      ["account", "x"],
    ]);
    expect([read.caption, read.accountIds]).toEqual(["a\nb", ["x"]]);
  });
});

describe("options behind a switch", () => {
  const choices = { privacy_status: "public", disclose_your_brand: ["false", "true"] };
  const field = "option.id-tiktok.promotes";

  test("are set while it is on, and not while it is off, whatever was ticked before", ({ expect }) => {
    const on = optionsOf("tiktok", { ...choices, promotes: ["false", "true"] }, ["https://one.example/a.mp4"]);
    expect(on.options).toMatchObject({ disclose_your_brand: true });
    expect(on.problems).toEqual([]);
    const off = optionsOf("tiktok", { ...choices, promotes: "false" }, ["https://one.example/a.mp4"]);
    expect(off.options).not.toHaveProperty("disclose_your_brand");
    expect(off.problems).toEqual([]);
  });

  test("are set where the form has no switch yet, as that of a stored post", ({ expect }) => {
    const { options } = optionsOf("tiktok", choices, ["https://one.example/a.mp4"]);
    expect(options).toMatchObject({ disclose_your_brand: true });
  });

  test("must be answered by who switches it on", ({ expect }) => {
    const { problems } = optionsOf("tiktok", { privacy_status: "public", promotes: ["false", "true"] });
    expect(problems).toEqual([
      { field, message: "You need to indicate if your content promotes yourself, a third party, or both." },
    ]);
  });

  test("are removed from a stored post when it is switched off", ({ expect }) => {
    const stored = post([
      target("tiktok", { platformOptions: { privacy_status: "public", disclose_your_brand: true } }),
    ]);
    const shown = formOfPost(services, stored, "edit", BERLIN);
    const off = parsePostForm(
      new URLSearchParams([...postFormFields(shown).map(([name, value]) => [name, value]), [field, "false"]]),
    );
    const { input } = toEditInput(services, off, stored, platformsOf("tiktok"), BERLIN);
    expect(input.targetOptions).toEqual([{ accountId: "id-tiktok", platformOptions: { disclose_your_brand: false } }]);
  });
});

describe("options as the API takes them", () => {
  test("text, choice and booleans; what equals the default is not sent", ({ expect }) => {
    expect(optionsOf("youtube", { title: "A bowl", made_for_kids: ["false", "true"] }).options).toEqual({
      title: "A bowl",
      made_for_kids: true,
    });
    expect(optionsOf("youtube", { title: "A bowl", made_for_kids: ["false"] }).options).toEqual({ title: "A bowl" });
    expect(optionsOf("mastodon", { visibility: "public", sensitive: "" }).options).toBeUndefined();
    expect(optionsOf("mastodon", { visibility: "direct", sensitive: "false" }).options).toEqual({
      visibility: "direct",
      sensitive: false,
    });
    expect(optionsOf("x", { reply_settings: "" }).options).toBeUndefined();
    expect(optionsOf("x", { reply_settings: "verified" }).options).toEqual({ reply_settings: "verified" });
  });

  test("lists: chosen boards, words with commas, one text per medium", ({ expect }) => {
    expect(optionsOf("pinterest", { board_ids: ["12", "7"] }).options).toEqual({ board_ids: ["12", "7"] });
    expect(optionsOf("bluesky", { langs: " en, pt-BR ,", alt_texts: ["", "two", ""] }).options).toEqual({
      langs: ["en", "pt-BR"],
      alt_texts: ["", "two"],
    });
  });

  test("an object is sent with all its members, or not at all", ({ expect }) => {
    const members = { "link_card.uri": "", "link_card.title": "", "link_card.description": "" };
    expect(optionsOf("bluesky", members).options).toBeUndefined();
    expect(optionsOf("bluesky", { ...members, "link_card.title": "T" }).options).toEqual({
      link_card: { uri: "", title: "T", description: "" },
    });
  });

  test("those for videos only are not sent with images", ({ expect }) => {
    expect(optionsOf("facebook", { placement: "timeline" }, ["https://m.example/a.jpg"]).options).toBeUndefined();
    expect(optionsOf("facebook", { placement: "timeline" }, ["https://m.example/a.mp4"]).options).toEqual({
      placement: "timeline",
    });
    expect(optionsOf("facebook", { placement: "timeline" }, ["https://m.example/watch"]).options).toEqual({
      placement: "timeline",
    });
  });

  test("an option that the platform does not have, and those of an unknown account, are not read", ({ expect }) => {
    expect(optionsOf("linkedin", { title: "x", __proto__: "y" }).options).toBeUndefined();
    const { input } = toScheduleInput(
      services,
      form([
        ["account", "nobody"],
        ["option.nobody.title", "x"],
      ]),
      new Map(),
      BERLIN,
    );
    expect(input.targets).toEqual([{ accountId: "nobody" }]);
  });

  test("what the person must choose is asked for, and interactions are off until they are allowed", ({ expect }) => {
    const video = ["https://m.example/a.mp4"];
    const { options, problems } = optionsOf("tiktok", {}, video);
    expect(options).toEqual({ allow_comment: false, allow_duet: false, allow_stitch: false });
    expect(problems.map(({ field }) => field)).toEqual(["option.id-tiktok.privacy_status"]);
    expect(optionsOf("tiktok", { privacy_status: "public", allow_duet: ["false", "true"] }, video)).toEqual({
      options: { allow_comment: false, allow_stitch: false },
      problems: [],
    });
    expect(optionsOf("tiktok", { is_draft: "true" }, video).problems).toEqual([]);
  });
});

describe("the time in the person's zone", () => {
  const at = (date: string, time: string, fold = "") => readTime({ date, time, fold }, BERLIN);

  test("one that exists once", ({ expect }) => {
    expect(at("2026-12-24", "18:30", "later")).toEqual({
      instant: Date.parse("2026-12-24T17:30:00Z"),
      readings: [],
      problems: [],
    });
  });

  test("without day or time, and with ones that do not exist", ({ expect }) => {
    expect(at("", "").problems.map(({ field, message }) => [field, message])).toEqual([
      ["date", "Choose a day."],
      ["time", "Choose a time."],
    ]);
    expect(at("2026-02-30", "24:00").problems.map(({ field }) => field)).toEqual(["date", "time"]);
  });

  test("one that the clocks skip is refused with its neighbours", ({ expect }) => {
    const { instant, problems } = at("2026-03-29", "02:30");
    expect(instant).toBeNull();
    expect(problems).toEqual([
      {
        field: "time",
        message:
          "There is no 02:30 on Sunday, 29 March 2026 in Europe/Berlin: the clocks are moved forward. Choose 01:59 or earlier, or 03:00 or later.",
      },
    ]);
    expect(
      readTime({ date: "2026-10-04", time: "02:10", fold: "" }, { ...BERLIN, timeZone: "Australia/Lord_Howe" })
        .problems[0]?.message,
    ).toContain("Choose 01:59 or earlier, or 02:30 or later");
  });

  test("one that occurs twice needs a choice", ({ expect }) => {
    const [earlier, later] = [Date.parse("2026-10-25T00:30:00Z"), Date.parse("2026-10-25T01:30:00Z")];
    expect(at("2026-10-25", "02:30")).toMatchObject({
      instant: null,
      readings: [earlier, later],
      problems: [{ field: "fold" }],
    });
    expect(at("2026-10-25", "02:30", "earlier")).toEqual({
      instant: earlier,
      readings: [earlier, later],
      problems: [],
    });
    expect(at("2026-10-25", "02:30", "later").instant).toBe(later);
    expect([timeFields(earlier, "Europe/Berlin").fold, timeFields(later, "Europe/Berlin").fold]).toEqual([
      "earlier",
      "later",
    ]);
  });
});

const target = (platform: Platform, more: Partial<Target> = {}): Target => ({
  accountId: `id-${platform}`,
  platform,
  username: "ada",
  caption: null,
  effectiveCaption: "A bowl",
  platformOptions: {},
  mediaItems: null,
  status: "pending",
  platformPostId: null,
  platformPostUrl: null,
  publishedAt: null,
  attempts: 0,
  nextAttemptAt: null,
  error: null,
  extras: null,
  dueAt: 0,
  startedAt: null,
  lateByMs: null,
  parts: null,
  ...more,
});

const post = (targets: readonly Target[], more: Partial<Post> = {}): Post => ({
  annotations: NO_ANNOTATIONS,
  id: "p",
  workspaceId: "w",
  status: "scheduled",
  caption: "A bowl",
  postType: "video",
  scheduledAt: Date.parse("2026-12-24T17:30:42Z"),
  publishedAt: null,
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  createdVia: "api",
  createdBy: null,
  pausedReason: null,
  planHash: "",
  targets,
  mediaItems: [
    {
      id: "m",
      type: "video",
      url: "https://m.example/a.mp4",
      contentType: "video/mp4",
      sizeBytes: 1,
      width: null,
      height: null,
      durationSeconds: null,
      sha256: "",
    },
  ],
  ...more,
});

describe("a stored post", () => {
  const stored = post([
    target("youtube", { platformOptions: { title: "A bowl", made_for_kids: false }, caption: "own" }),
    target("tiktok", { platformOptions: { privacy_status: "public", allow_comment: true, is_draft: false } }),
    target("instagram", { platformOptions: { placement: "reels", trial_reel_type: null } }),
    target("pinterest", { platformOptions: { board_ids: ["7", "12"] } }),
    target("bluesky", {
      platformOptions: { alt_texts: ["a"], langs: ["en", "de"] },
    }),
  ]);
  const platforms = platformsOf("youtube", "tiktok", "instagram", "pinterest", "bluesky", "x");
  const shown = formOfPost(services, stored, "edit", BERLIN);
  const editWith = (change: Partial<PostForm>) =>
    toEditInput(services, { ...shown, ...change }, stored, platforms, BERLIN);
  const withOption = (id: string, key: string, ...texts: string[]) => ({
    options: new Map([...shown.options, [id, new Map([...(shown.options.get(id) ?? []), [key, texts]])]]),
  });

  test("is shown as form and read back without a change, also through the fields", ({ expect }) => {
    expect(editWith({})).toEqual({ input: { postIds: ["p"] }, problems: [] });
    const again = form(postFormFields(shown));
    expect(toEditInput(services, again, stored, platforms, BERLIN)).toEqual({
      input: { postIds: ["p"] },
      problems: [],
    });
  });

  test("an option that the new media leave no field for is removed", ({ expect }) => {
    const link_card = { uri: "https://example.com", title: "t", description: "" };
    const text = post([target("bluesky", { platformOptions: { link_card } })], { mediaItems: [], postType: "text" });
    const fields = formOfPost(services, text, "edit", BERLIN);
    const edit = (change: Partial<PostForm>) =>
      toEditInput(services, { ...fields, ...change }, text, platforms, BERLIN).input;
    expect(edit({})).toEqual({ postIds: ["p"] });
    expect(edit({ mediaUrls: "https://m.example/a.jpg" }).targetOptions).toEqual([
      { accountId: "id-bluesky", platformOptions: { link_card: null } },
    ]);
    const title = new Map([
      ["id-bluesky", new Map([...fields.options.get("id-bluesky")!, ["link_card.title", ["new"]]])],
    ]);
    expect(edit({ options: title }).targetOptions).toEqual([
      { accountId: "id-bluesky", platformOptions: { link_card: { ...link_card, title: "new" } } },
    ]);
  });

  test("the same accounts in another order are no change", ({ expect }) => {
    expect(editWith({ accountIds: shown.accountIds.toReversed() }).input).toEqual({ postIds: ["p"] });
  });

  test("only what changed is sent", ({ expect }) => {
    expect(editWith({ caption: "New" }).input).toEqual({ postIds: ["p"], caption: "New" });
    expect(editWith({ time: "18:31" }).input).toEqual({
      postIds: ["p"],
      scheduledAt: Date.parse("2026-12-24T17:31:00Z"),
    });
    expect(editWith({ media: [] }).input).toEqual({ postIds: ["p"], removeMedia: true });
    expect(editWith({ media: [], mediaUrls: "https://m.example/b.mp4" }).input).toEqual({
      postIds: ["p"],
      mediaUrls: ["https://m.example/b.mp4"],
    });
    expect(editWith({ captions: new Map() }).input.targetOptions).toEqual([{ accountId: "id-youtube", caption: null }]);
    expect(editWith(withOption("id-youtube", "made_for_kids", "false", "true")).input.targetOptions).toEqual([
      { accountId: "id-youtube", platformOptions: { made_for_kids: true } },
    ]);
    expect(editWith(withOption("id-tiktok", "allow_comment", "false")).input.targetOptions).toEqual([
      { accountId: "id-tiktok", platformOptions: { allow_comment: false } },
    ]);
    expect(editWith(withOption("id-bluesky", "langs", "")).input.targetOptions).toEqual([
      { accountId: "id-bluesky", platformOptions: { langs: null } },
    ]);
  });

  test("accounts are added and removed by the whole list; a new one brings its options", ({ expect }) => {
    const { accountIds } = shown;
    expect(
      editWith({ accountIds: [...accountIds.slice(1), "id-x"], ...withOption("id-x", "reply_settings", "verified") })
        .input,
    ).toEqual({
      postIds: ["p"],
      accountIds: [...accountIds.slice(1), "id-x"],
      targetOptions: [{ accountId: "id-x", platformOptions: { reply_settings: "verified" } }],
    });
  });

  test("of a failed post only what failed can be changed", ({ expect }) => {
    const failed = post([target("x", { status: "published" }), target("bluesky", { status: "failed" })], {
      status: "partially_failed",
    });
    const retry = formOfPost(services, failed, "edit", BERLIN);
    expect([retry.accountIds, retry.date, retry.time]).toEqual([["id-bluesky"], "", ""]);
    expect(
      toEditInput(services, { ...retry, date: "2026-12-24", time: "19:00" }, failed, platforms, BERLIN).input,
    ).toEqual({
      postIds: ["p"],
      scheduledAt: Date.parse("2026-12-24T18:00:00Z"),
    });
  });

  test("a duplicate has all its content and the time of day, and asks for the day and again for what the person must choose", ({
    expect,
  }) => {
    const copy = formOfPost(services, stored, "duplicate", BERLIN);
    expect([copy.date, copy.time, copy.postId]).toEqual(["", "18:30", ""]);
    const { input, problems } = toScheduleInput(services, copy, platforms, BERLIN);
    expect(problems.map(({ field }) => field)).toEqual(["date", "option.id-tiktok.privacy_status"]);
    expect(input).toMatchObject({
      caption: "A bowl",
      mediaItems: [{ url: "https://m.example/a.mp4", type: null }],
      targets: [
        { accountId: "id-youtube", caption: "own", platformOptions: { title: "A bowl" } },
        { accountId: "id-tiktok" },
        { accountId: "id-instagram" },
        { accountId: "id-pinterest", platformOptions: { board_ids: ["7", "12"] } },
        { accountId: "id-bluesky", platformOptions: { langs: ["en", "de"], alt_texts: ["a"] } },
      ],
    });
    expect(input.targets?.[2]).toEqual({ accountId: "id-instagram" });
  });
});

test("every problem of a preview has its field", ({ expect }) => {
  const read = form([
    ["account", "a"],
    ["account", "b"],
    ["media", "u"],
    ["media_url", "v"],
  ]);
  const field = (param: string, accountId?: string) => fieldOf({ param, ...(accountId && { accountId }) }, read);
  expect([
    field("caption"),
    field("scheduled_at"),
    field("targets"),
    field("targets[1].caption", "b"),
    field("targets[1].account_id"),
    field("targets[0].platform_options.title", "a"),
    field("targets[0].platform_options.alt_texts[1]", "a"),
    field("targets[0].platform_options.thread[1].caption", "a"),
    field("target_options[0].platform_options.link_card.uri", "b"),
    field("targets[].platform_options.title", "b"),
    field("targets[1].platform_options.caption", "b"),
    field("targets[0]", "a"),
    field("account_ids[1]", "b"),
    field("media_urls[0]"),
    field("media_urls"),
    field("media_items[0].url"),
    field("post_ids[0]"),
    field("scheduled_at", "a"),
  ]).toEqual([
    "caption",
    "date",
    "account",
    "caption.b",
    "account.b",
    "option.a.title",
    "option.a.alt_texts",
    "option.a.thread.1",
    "option.b.link_card.uri",
    "option.b.title",
    "caption.b",
    "account.a",
    "account.b",
    "media.1",
    "media",
    "media.0",
    "",
    "date",
  ]);
});

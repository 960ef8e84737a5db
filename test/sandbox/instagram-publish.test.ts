import { beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { bookOf, fault, ORIGIN, sample, settings } from "./help.ts";
import { type InstagramPerson, pairOf, person } from "./instagram-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
await settings("instagram", { processing_ms: 5000 });

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const at = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const JPEG = { image_url: at("portrait.jpg") };
const REEL = { media_type: "REELS", video_url: at("portrait.mp4") };
const DAY_MS = 86_400_000;

let ada: InstagramPerson;
/** A fresh day, so that nothing counts against the quotas of this one. */
beforeEach(async () => {
  pass(DAY_MS);
  ada = await person();
});

const statusOf = async (who: InstagramPerson, id: string): Promise<Record<string, string>> =>
  (await who.read(`/${id}`, { fields: "status_code,status" })).json<Record<string, string>>();

/** A container that is ready. */
async function ready(form: Record<string, string>, who = ada): Promise<string> {
  const id = await who.contain(form);
  await statusOf(who, id);
  pass(5000);
  return id;
}

const hashOf = async (name: string): Promise<string> => sha256Hex(await sample(name));

describe("one image", () => {
  test("is in progress, finished, published; what is published is what was fetched", async ({ expect }) => {
    const id = await ada.contain({ ...JPEG, caption: "Hi #one @two", alt_text: "stripes" });
    expect(id).toMatch(/^\d{17,18}$/);
    expect(await statusOf(ada, id)).toMatchObject({ id, status_code: "IN_PROGRESS" });
    expect(await pairOf(await ada.publish(id))).toBe("9007/2207027");
    pass(5000);
    expect(await statusOf(ada, id)).toEqual({
      id,
      status_code: "FINISHED",
      status: "Finished: Media has been uploaded and it is ready to be published.",
    });
    const answer = await ada.publish(id);
    expect(answer.status).toBe(200);
    const { id: mediaId } = await answer.json<{ id: string }>();
    expect(await statusOf(ada, id)).toMatchObject({ status_code: "PUBLISHED" });
    const fields = "id,permalink,shortcode,media_type,media_product_type,timestamp,caption";
    const read = await (await ada.read(`/${mediaId}`, { fields })).json<Record<string, string>>();
    expect(read).toEqual({
      id: mediaId,
      caption: "Hi #one @two",
      media_type: "IMAGE",
      media_product_type: "FEED",
      permalink: `https://www.instagram.com/p/${read["shortcode"]}/`,
      shortcode: read["shortcode"],
      timestamp: new Date().toISOString().replace(/\.\d{3}Z$/, "+0000"),
    });
    expect((await bookOf("instagram", "ada")).at(-1)).toEqual({
      id: mediaId,
      url: read["permalink"],
      account: "17841400008460057",
      kind: "image",
      text: "Hi #one @two",
      title: null,
      media: [{ type: "image", sha256: await hashOf("portrait.jpg") }],
      options: { alt_text: "stripes" },
      accepted_at: new Date().toISOString(),
    });
  });

  test.for<[name: string, subcode: string]>([
    ["square.png", "2207005"],
    ["landscape.webp", "2207005"],
    ["page.jpg", "2207052"],
    ["holiday.jpg", "2207052"],
  ])("%s ends as ERROR %s", async ([name, subcode], { expect }) => {
    const id = await ready({ image_url: at(name) });
    expect(await statusOf(ada, id)).toEqual({
      id,
      status_code: "ERROR",
      status: `Error: Media upload has failed with error code ${subcode}`,
    });
    expect((await ada.publish(id)).status).toBe(400);
  });

  test("an address that cannot be reached ends as ERROR, too", async ({ expect }) => {
    const id = await ready({ image_url: "https://nowhere.example.com/a.jpg" });
    expect(await statusOf(ada, id)).toMatchObject({
      status_code: "ERROR",
      status: expect.stringContaining("2207052") as string,
    });
  });

  test("parameters may come in the query, as a form or as JSON", async ({ expect }) => {
    const { read, write } = ada;
    expect((await write(`/me/media?${String(new URLSearchParams(JPEG))}`, {})).status).toBe(200);
    expect((await write("/17841400008460057/media", JPEG)).status).toBe(200);
    expect((await read("/me/content_publishing_limit")).status).toBe(200);
  });
});

describe("a reel", () => {
  test("with its settings", async ({ expect }) => {
    const id = await ready({
      ...REEL,
      caption: "moving",
      share_to_feed: "false",
      thumb_offset: "1500",
      collaborators: '["ben","cleo"]',
      is_ai_generated: "true",
    });
    const { id: mediaId } = await (await ada.publish(id)).json<{ id: string }>();
    const read = await (await ada.read(`/${mediaId}`, { fields: "media_type,media_product_type,permalink" })).json();
    expect(read).toMatchObject({
      media_type: "VIDEO",
      media_product_type: "REELS",
      permalink: expect.stringMatching(/^https:\/\/www\.instagram\.com\/reel\/[\w-]{11}\/$/) as string,
    });
    expect((await bookOf("instagram", "ada")).at(-1)).toMatchObject({
      kind: "reel",
      media: [{ type: "video", sha256: await hashOf("portrait.mp4") }],
      options: { share_to_feed: false, thumb_offset: 1500, collaborators: ["ben", "cleo"], is_ai_generated: true },
    });
  });

  test.for(["MANUAL", "SS_PERFORMANCE"])("as a trial that graduates by %s", async (graduation_strategy, { expect }) => {
    const id = await ready({ ...REEL, trial_params: JSON.stringify({ graduation_strategy }) });
    expect((await ada.publish(id)).status).toBe(200);
    expect((await bookOf("instagram", "ada")).at(-1)).toMatchObject({
      options: { trial_params: { graduation_strategy } },
    });
  });

  test("as a trial is not for a small account", async ({ expect }) => {
    const cleo = await person({ login: "cleo" });
    const trial = { ...REEL, trial_params: '{"graduation_strategy":"MANUAL"}' };
    expect(await pairOf(await cleo.write("/me/media", trial))).toBe("100/2207081");
    expect((await cleo.write("/me/media", REEL)).status).toBe(200);
  });

  test("of bytes that are no film ends as ERROR", async ({ expect }) => {
    for (const [name, subcode] of [
      ["portrait.jpg", "2207026"],
      ["page.jpg", "2207052"],
    ] as const) {
      const id = await ready({ ...REEL, video_url: at(name) });
      expect(await statusOf(ada, id)).toMatchObject({ status: expect.stringContaining(subcode) as string });
    }
  });
});

describe("a carousel", () => {
  const items = async (): Promise<string[]> => [
    await ready({ ...JPEG, is_carousel_item: "true", alt_text: "stripes" }),
    await ready({ media_type: "VIDEO", video_url: at("landscape.mp4"), is_carousel_item: "true" }),
  ];
  const parent = (children: readonly string[], more: Record<string, string> = {}) =>
    ada.write("/me/media", { media_type: "CAROUSEL", children: children.join(","), caption: "both", ...more });

  test("of images and videos, in the order given", async ({ expect }) => {
    const children = await items();
    const { id } = await (await parent(children.toReversed())).json<{ id: string }>();
    expect(await pairOf(await ada.publish(id))).toBe("9007/2207027");
    pass(5000);
    const { id: mediaId } = await (await ada.publish(id)).json<{ id: string }>();
    expect(await (await ada.read(`/${mediaId}`, { fields: "media_type" })).json()).toMatchObject({
      media_type: "CAROUSEL_ALBUM",
    });
    expect((await bookOf("instagram", "ada")).at(-1)).toMatchObject({
      kind: "carousel",
      text: "both",
      media: [
        { type: "video", sha256: await hashOf("landscape.mp4") },
        { type: "image", sha256: await hashOf("portrait.jpg") },
      ],
      options: { alt_texts: [null, "stripes"] },
    });
  });

  test("takes 2 to 10 finished items that were made for it, each once", async ({ expect }) => {
    const [image = "", video = ""] = await items();
    const single = await ready(JPEG);
    const broken = await ready({ image_url: at("square.png"), is_carousel_item: "true" });
    const fresh = await ada.contain({ ...JPEG, is_carousel_item: "true" });
    const wrong = [
      [image],
      [image, image],
      [image, single],
      [image, "123"],
      [image, broken],
      Array.from({ length: 11 }, () => image),
    ];
    for (const children of wrong) {
      expect(await pairOf(await parent(children))).toBe("100/2207028");
    }
    expect(await pairOf(await parent([]))).toBe("100/2207028");
    expect(await pairOf(await parent([image, fresh]))).toBe("9007/2207027");
    expect((await parent([image, video])).status).toBe(200);
  });

  test("an item has no caption and no life of its own", async ({ expect }) => {
    const [image = ""] = await items();
    expect(await pairOf(await ada.publish(image))).toBe("100/2207028");
    expect(await pairOf(await ada.write("/me/media", { ...JPEG, is_carousel_item: "true", caption: "x" }))).toBe(
      "100/2207028",
    );
    expect(await pairOf(await ada.write("/me/media", { ...REEL, is_carousel_item: "true" }))).toBe("100/2207028");
    const [first = "", second = ""] = await items();
    expect((await parent([first, second], { is_carousel_item: "true" })).status).toBe(400);
  });
});

describe("a container is refused at once", () => {
  const many = (count: number, mark: string) => Array.from({ length: count }, (_, n) => `${mark}tag${n}`).join(" ");

  test.for<[what: string, form: Record<string, string>, pair: string]>([
    ["without media", { caption: "text only" }, "100/-"],
    ["with an address that is none", { image_url: "portrait.jpg" }, "100/-"],
    ["with an address outside US-ASCII", { image_url: "https://example.com/bild-ä.jpg" }, "100/-"],
    ["of an unknown type", { ...JPEG, media_type: "FILM" }, "100/2207023"],
    ["as VIDEO outside a carousel", { ...REEL, media_type: "VIDEO" }, "100/2207023"],
    ["as a resumable upload", { media_type: "REELS", upload_type: "resumable" }, "100/-"],
    ["with 2201 characters", { ...JPEG, caption: "a".repeat(2201) }, "36004/2207010"],
    ["with 31 hashtags", { ...JPEG, caption: many(31, "#") }, "100/2207040"],
    ["with 21 mentions", { ...JPEG, caption: many(21, "@") }, "100/2207040"],
    ["with trial_params on an image", { ...JPEG, trial_params: '{"graduation_strategy":"MANUAL"}' }, "100/-"],
    ["with share_to_feed on an image", { ...JPEG, share_to_feed: "true" }, "100/-"],
    ["with an unknown strategy", { ...REEL, trial_params: '{"graduation_strategy":"LATER"}' }, "100/-"],
    ["with trial_params that are no JSON", { ...REEL, trial_params: "MANUAL" }, "100/-"],
    ["with share_to_feed that is no boolean", { ...REEL, share_to_feed: "perhaps" }, "100/-"],
    ["with a negative thumb_offset", { ...REEL, thumb_offset: "-1" }, "1/2207057"],
    ["with four collaborators", { ...REEL, collaborators: '["a","b","c","d"]' }, "100/-"],
    ["with an alternative text over 1000", { ...JPEG, alt_text: "a".repeat(1001) }, "100/-"],
  ])("%s", async ([, form, pair], { expect }) => {
    const answer = await ada.write("/me/media", form);
    expect([answer.status, await pairOf(answer)]).toEqual([400, pair]);
  });

  test("and accepted at the edge", async ({ expect }) => {
    const edge = `${many(30, "#")} ${many(20, "@")}`.padEnd(2200, ".");
    expect((await ada.write("/me/media", { ...JPEG, caption: edge, alt_text: "a".repeat(1000) })).status).toBe(200);
  });

  test("when there were 400 in a day", async ({ expect }) => {
    const form = { image_url: at("nothing.jpg") };
    for (let made = 0; made < 400; made += 40) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => ada.write("/me/media", form)));
      expect(answers.every((answer) => answer.status === 200)).toBe(true);
    }
    expect(await pairOf(await ada.write("/me/media", form))).toBe("4/-");
    pass(DAY_MS);
    expect((await ada.write("/me/media", form)).status).toBe(200);
  }, 30_000);
});

describe("publishing", () => {
  test("one container twice makes one post, also at the same moment", async ({ expect }) => {
    const id = await ready({ ...JPEG, caption: "only once" });
    const answers = await Promise.all([ada.publish(id), ada.publish(id), ada.publish(id)]);
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect((await ada.publish(id)).status).toBe(400);
    expect((await bookOf("instagram", "ada")).filter((entry) => entry.text === "only once")).toHaveLength(1);
  });

  test("a container that is unknown, somebody else's or a day old", async ({ expect }) => {
    const cleo = await person({ login: "cleo" });
    const theirs = await ready(JPEG, cleo);
    expect(await pairOf(await ada.publish("17000000000000000"))).toBe("24/2207006");
    expect(await pairOf(await ada.publish(theirs))).toBe("24/2207006");
    expect(await pairOf(await ada.read(`/${theirs}`))).toBe("100/33");
    const old = await ready(JPEG);
    pass(DAY_MS);
    expect(await statusOf(ada, old)).toMatchObject({ status_code: "EXPIRED" });
    expect(await pairOf(await ada.publish(old))).toBe("-2/2207020");
  });

  test("no more than the quota in 24 hours, and the account can ask", async ({ expect }) => {
    const usage = async () => (await ada.read("/me/content_publishing_limit", { fields: "quota_usage,config" })).json();
    expect(await usage()).toEqual({ data: [{ quota_usage: 0, config: { quota_total: 100, quota_duration: 86_400 } }] });
    await settings("instagram", { quota: 2 });
    const ids = [await ready(JPEG), await ready(JPEG), await ready(JPEG)];
    const pairs: string[] = [];
    for (const id of ids) {
      const answer = await ada.publish(id);
      pairs.push(answer.ok ? "ok" : await pairOf(answer));
    }
    expect(pairs).toEqual(["ok", "ok", "9/2207042"]);
    expect(await usage()).toEqual({ data: [{ quota_usage: 2, config: { quota_total: 2, quota_duration: 86_400 } }] });
    await settings("instagram", { quota: null });
    expect((await ada.publish(ids[2] ?? "")).status).toBe(200);
  });

  test("may succeed and say otherwise", async ({ expect }) => {
    const id = await ready({ ...JPEG, caption: "live despite the answer" });
    const body = { error: { message: "restricted", type: "OAuthException", code: 4, error_subcode: 2_207_051 } };
    await fault("instagram", { match: { path: "/*/media_publish" }, effect: "answer_after", status: 400, body });
    expect(await pairOf(await ada.publish(id))).toBe("4/2207051");
    expect(await statusOf(ada, id)).toMatchObject({ status_code: "PUBLISHED" });
    expect((await bookOf("instagram", "ada")).at(-1)).toMatchObject({ text: "live despite the answer" });
  });
});

describe("the list of media", () => {
  interface Page {
    readonly data: readonly Record<string, string>[];
    readonly paging: { readonly cursors: { readonly after: string }; readonly next?: string };
  }
  const list = async (query: Record<string, string>): Promise<Page> =>
    (await ada.read("/me/media", query)).json<Page>();

  test("newest first, page by page", async ({ expect }) => {
    for (const caption of ["one", "two", "three"]) {
      await ada.publish(await ready({ ...JPEG, caption }));
    }
    const first = await list({ fields: "id,caption,timestamp,permalink", limit: "2" });
    expect(first.data.map((media) => media["caption"])).toEqual(["three", "two"]);
    expect(first.paging.next).toContain("after=");
    const second = await list({ fields: "caption", limit: "1", after: first.paging.cursors.after });
    expect(second.data.map((media) => media["caption"])).toEqual(["one"]);
  });

  test("shows a post as late as the settings say", async ({ expect }) => {
    await settings("instagram", { verify_lag_ms: 30_000 });
    const { id } = await (await ada.publish(await ready({ ...JPEG, caption: "late" }))).json<{ id: string }>();
    expect((await list({ fields: "caption" })).data[0]?.["caption"]).not.toBe("late");
    expect(await pairOf(await ada.read(`/${id}`))).toBe("100/33");
    pass(30_000);
    expect((await list({ fields: "caption" })).data[0]?.["caption"]).toBe("late");
    await settings("instagram", { verify_lag_ms: 0 });
  });
});

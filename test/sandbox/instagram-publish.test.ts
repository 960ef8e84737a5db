import { beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { publishedPosts, injectFault, ORIGIN, sampleBytes, changeSettings } from "./sandbox-api.ts";
import { type InstagramClient, errorCodeOf, createClient } from "./instagram-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
await changeSettings("instagram", { processing_ms: 5000 });

const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);
const sampleUrl = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const JPEG = { image_url: sampleUrl("portrait.jpg") };
const REEL = { media_type: "REELS", video_url: sampleUrl("portrait.mp4") };
const DAY_MS = 86_400_000;

let ada: InstagramClient;
/** Advances a day, so that earlier tests do not count against the quotas. */
beforeEach(async () => {
  advanceMs(DAY_MS);
  ada = await createClient();
});

const statusOf = async (client: InstagramClient, id: string): Promise<Record<string, string>> =>
  (await client.request(`/${id}`, { fields: "status_code,status" })).json<Record<string, string>>();

/** A container whose processing has ended. */
async function createReadyContainer(form: Record<string, string>, client = ada): Promise<string> {
  const id = await client.createContainer(form);
  await statusOf(client, id);
  advanceMs(5000);
  return id;
}

const sampleHash = async (name: string): Promise<string> => sha256Hex(await sampleBytes(name));

describe("one image", () => {
  test("is in progress, finished, then published with the downloaded media", async ({ expect }) => {
    const id = await ada.createContainer({ ...JPEG, caption: "Hi #one @two", alt_text: "stripes" });
    expect(id).toMatch(/^\d{17,18}$/);
    expect(await statusOf(ada, id)).toMatchObject({ id, status_code: "IN_PROGRESS" });
    expect(await errorCodeOf(await ada.publishContainer(id))).toBe("9007/2207027");
    advanceMs(5000);
    expect(await statusOf(ada, id)).toEqual({
      id,
      status_code: "FINISHED",
      status: "Finished: Media has been uploaded and it is ready to be published.",
    });
    const response = await ada.publishContainer(id);
    expect(response.status).toBe(200);
    const { id: mediaId } = await response.json<{ id: string }>();
    expect(await statusOf(ada, id)).toMatchObject({ status_code: "PUBLISHED" });
    expect(await errorCodeOf(await ada.request(`/${id}`, { fields: "status_code,error_message" }))).toBe("100/-");
    expect(await errorCodeOf(await ada.request(`/${mediaId}`, { fields: "id,status" }))).toBe("100/-");
    expect(await errorCodeOf(await ada.request("/me/media", { fields: "id,text" }))).toBe("100/-");
    const fields = "id,permalink,shortcode,media_type,media_product_type,timestamp,caption";
    const media = await (await ada.request(`/${mediaId}`, { fields })).json<Record<string, string>>();
    expect(media).toEqual({
      id: mediaId,
      caption: "Hi #one @two",
      media_type: "IMAGE",
      media_product_type: "FEED",
      permalink: `https://www.instagram.com/p/${media["shortcode"]}/`,
      shortcode: media["shortcode"],
      timestamp: new Date().toISOString().replace(/\.\d{3}Z$/, "+0000"),
    });
    expect((await publishedPosts("instagram", "ada")).at(-1)).toEqual({
      id: mediaId,
      url: media["permalink"],
      account: "17841400008460057",
      kind: "image",
      text: "Hi #one @two",
      title: null,
      media: [{ type: "image", sha256: await sampleHash("portrait.jpg") }],
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
    const id = await createReadyContainer({ image_url: sampleUrl(name) });
    expect(await statusOf(ada, id)).toEqual({
      id,
      status_code: "ERROR",
      status: `Error: Media upload has failed with error code ${subcode}`,
    });
    expect((await ada.publishContainer(id)).status).toBe(400);
  });

  test("an unreachable URL ends as ERROR, too", async ({ expect }) => {
    const id = await createReadyContainer({ image_url: "https://nowhere.example.com/a.jpg" });
    expect(await statusOf(ada, id)).toMatchObject({
      status_code: "ERROR",
      status: expect.stringContaining("2207052") as string,
    });
  });

  test("parameters can be in the query or in a form", async ({ expect }) => {
    const { request, post } = ada;
    expect((await post(`/me/media?${String(new URLSearchParams(JPEG))}`, {})).status).toBe(200);
    expect((await post("/17841400008460057/media", JPEG)).status).toBe(200);
    expect((await request("/me/content_publishing_limit")).status).toBe(200);
  });
});

describe("a reel", () => {
  test("is published with its options", async ({ expect }) => {
    const id = await createReadyContainer({
      ...REEL,
      caption: "moving",
      share_to_feed: "false",
      thumb_offset: "1500",
      collaborators: '["ben","cleo"]',
      is_ai_generated: "true",
    });
    const { id: mediaId } = await (await ada.publishContainer(id)).json<{ id: string }>();
    const media = await (
      await ada.request(`/${mediaId}`, { fields: "media_type,media_product_type,permalink" })
    ).json();
    expect(media).toMatchObject({
      media_type: "VIDEO",
      media_product_type: "REELS",
      permalink: expect.stringMatching(/^https:\/\/www\.instagram\.com\/reel\/[\w-]{11}\/$/) as string,
    });
    expect((await publishedPosts("instagram", "ada")).at(-1)).toMatchObject({
      kind: "reel",
      media: [{ type: "video", sha256: await sampleHash("portrait.mp4") }],
      options: { share_to_feed: false, thumb_offset: 1500, collaborators: ["ben", "cleo"], is_ai_generated: true },
    });
  });

  test.for(["MANUAL", "SS_PERFORMANCE"])(
    "is published as a trial reel with the strategy %s",
    async (graduation_strategy, { expect }) => {
      const id = await createReadyContainer({ ...REEL, trial_params: JSON.stringify({ graduation_strategy }) });
      expect((await ada.publishContainer(id)).status).toBe(200);
      expect((await publishedPosts("instagram", "ada")).at(-1)).toMatchObject({
        options: { trial_params: { graduation_strategy } },
      });
    },
  );

  test("cannot be a trial reel for an account with few followers", async ({ expect }) => {
    const cleo = await createClient({ login: "cleo" });
    const trial = { ...REEL, trial_params: '{"graduation_strategy":"MANUAL"}' };
    expect(await errorCodeOf(await cleo.post("/me/media", trial))).toBe("100/2207081");
    expect((await cleo.post("/me/media", REEL)).status).toBe(200);
  });

  test("with a file that is not a video ends as ERROR", async ({ expect }) => {
    for (const [name, subcode] of [
      ["portrait.jpg", "2207026"],
      ["page.jpg", "2207052"],
    ] as const) {
      const id = await createReadyContainer({ ...REEL, video_url: sampleUrl(name) });
      expect(await statusOf(ada, id)).toMatchObject({ status: expect.stringContaining(subcode) as string });
    }
  });
});

describe("a story", () => {
  const STORY = { media_type: "STORIES" };
  const idsIn = async (edge: string) => {
    const { data } = await (await ada.request(`/me/${edge}`, { fields: "id" })).json<{ data: { id: string }[] }>();
    return data.map(({ id }) => id);
  };

  test("is listed among the stories only, for 24 hours", async ({ expect }) => {
    const container = await createReadyContainer({ ...STORY, ...JPEG, user_tags: '[{"username":"ben"}]' });
    const { id } = await (await ada.publishContainer(container)).json<{ id: string }>();
    expect([await idsIn("stories"), (await idsIn("media")).includes(id)]).toEqual([[id], false]);
    const fields = "media_type,media_product_type,permalink";
    expect(await (await ada.request(`/${id}`, { fields })).json()).toEqual({
      id,
      media_type: "IMAGE",
      media_product_type: "STORY",
      permalink: `https://www.instagram.com/stories/ada_pictures/${id}`,
    });
    expect((await publishedPosts("instagram", "ada")).at(-1)).toMatchObject({ kind: "story", text: "" });
    advanceMs(DAY_MS);
    ada = await createClient();
    expect(await idsIn("stories")).toEqual([]);
  });

  test("can be a video", async ({ expect }) => {
    const container = await createReadyContainer({ ...STORY, video_url: REEL.video_url });
    expect((await ada.publishContainer(container)).status).toBe(200);
    expect((await publishedPosts("instagram", "ada")).at(-1)).toMatchObject({
      kind: "story",
      media: [{ type: "video", sha256: await sampleHash("portrait.mp4") }],
    });
  });
});

describe("a carousel", () => {
  const createItems = async (): Promise<string[]> => [
    await createReadyContainer({ ...JPEG, is_carousel_item: "true", alt_text: "stripes" }),
    await createReadyContainer({
      media_type: "VIDEO",
      video_url: sampleUrl("landscape.mp4"),
      is_carousel_item: "true",
    }),
  ];
  const createCarousel = (children: readonly string[], overrides: Record<string, string> = {}) =>
    ada.post("/me/media", { media_type: "CAROUSEL", children: children.join(","), caption: "both", ...overrides });

  test("has images and videos in the order given", async ({ expect }) => {
    const children = await createItems();
    const { id } = await (await createCarousel(children.toReversed())).json<{ id: string }>();
    expect(await errorCodeOf(await ada.publishContainer(id))).toBe("9007/2207027");
    advanceMs(5000);
    const { id: mediaId } = await (await ada.publishContainer(id)).json<{ id: string }>();
    expect(await (await ada.request(`/${mediaId}`, { fields: "media_type" })).json()).toMatchObject({
      media_type: "CAROUSEL_ALBUM",
    });
    expect((await publishedPosts("instagram", "ada")).at(-1)).toMatchObject({
      kind: "carousel",
      text: "both",
      media: [
        { type: "video", sha256: await sampleHash("landscape.mp4") },
        { type: "image", sha256: await sampleHash("portrait.jpg") },
      ],
      options: { alt_texts: [null, "stripes"] },
    });
  });

  test("has 2 to 10 different, finished carousel items", async ({ expect }) => {
    const [image = "", video = ""] = await createItems();
    const single = await createReadyContainer(JPEG);
    const broken = await createReadyContainer({ image_url: sampleUrl("square.png"), is_carousel_item: "true" });
    const inProgress = await ada.createContainer({ ...JPEG, is_carousel_item: "true" });
    const invalid = [
      [image],
      [image, image],
      [image, single],
      [image, "123"],
      [image, broken],
      Array.from({ length: 11 }, () => image),
    ];
    for (const children of invalid) {
      expect(await errorCodeOf(await createCarousel(children))).toBe("100/2207028");
    }
    expect(await errorCodeOf(await createCarousel([]))).toBe("100/2207028");
    expect(await errorCodeOf(await createCarousel([image, inProgress]))).toBe("9007/2207027");
    expect((await createCarousel([image, video])).status).toBe(200);
  });

  test("an item has no caption and cannot be published alone", async ({ expect }) => {
    const [image = ""] = await createItems();
    expect(await errorCodeOf(await ada.publishContainer(image))).toBe("100/2207028");
    expect(await errorCodeOf(await ada.post("/me/media", { ...JPEG, is_carousel_item: "true", caption: "x" }))).toBe(
      "100/2207028",
    );
    expect(await errorCodeOf(await ada.post("/me/media", { ...REEL, is_carousel_item: "true" }))).toBe("100/2207028");
    const [first = "", second = ""] = await createItems();
    expect((await createCarousel([first, second], { is_carousel_item: "true" })).status).toBe(400);
  });
});

describe("creating a container", () => {
  const repeatTags = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) => `${prefix}tag${n}`).join(" ");

  test.for<[what: string, form: Record<string, string>, expected: string]>([
    ["without media", { caption: "text only" }, "100/-"],
    ["with an invalid URL", { image_url: "portrait.jpg" }, "100/-"],
    ["with a URL outside US-ASCII", { image_url: "https://example.com/bild-ä.jpg" }, "100/-"],
    ["of an unknown type", { ...JPEG, media_type: "MOVIE" }, "100/2207023"],
    ["as VIDEO outside a carousel", { ...REEL, media_type: "VIDEO" }, "100/2207023"],
    ["as a resumable upload", { media_type: "REELS", upload_type: "resumable" }, "100/-"],
    ["with 2201 characters", { ...JPEG, caption: "a".repeat(2201) }, "36004/2207010"],
    ["with 31 hashtags", { ...JPEG, caption: repeatTags(31, "#") }, "100/2207040"],
    ["with 21 mentions", { ...JPEG, caption: repeatTags(21, "@") }, "100/2207040"],
    ["with trial_params on an image", { ...JPEG, trial_params: '{"graduation_strategy":"MANUAL"}' }, "100/-"],
    ["with share_to_feed on an image", { ...JPEG, share_to_feed: "true" }, "100/-"],
    ["with an unknown strategy", { ...REEL, trial_params: '{"graduation_strategy":"LATER"}' }, "100/-"],
    ["with trial_params that are not JSON", { ...REEL, trial_params: "MANUAL" }, "100/-"],
    [
      "with share_to_feed for a trial reel",
      { ...REEL, trial_params: '{"graduation_strategy":"MANUAL"}', share_to_feed: "true" },
      "100/-",
    ],
    ["with a parameter that does not exist", { ...JPEG, mood: "good" }, "100/-"],
    ["with share_to_feed that is not a boolean", { ...REEL, share_to_feed: "perhaps" }, "100/-"],
    [
      "with a cover that is no JPEG",
      { ...REEL, cover_url: JPEG.image_url.replace("portrait.jpg", "square.png") },
      "100/-",
    ],
    ["with the moment of a cover on an image", { ...JPEG, thumb_offset: "1" }, "100/-"],
    ["with a negative thumb_offset", { ...REEL, thumb_offset: "-1" }, "1/2207057"],
    ["with four collaborators", { ...REEL, collaborators: '["a","b","c","d"]' }, "100/-"],
    ["of a story with a caption", { ...JPEG, media_type: "STORIES", caption: "Hi" }, "100/-"],
    ["of a story with a description", { ...JPEG, media_type: "STORIES", alt_text: "stripes" }, "100/-"],
    ["of a story with collaborators", { ...JPEG, media_type: "STORIES", collaborators: '["ben"]' }, "100/-"],
    ["of a story with a place", { ...JPEG, media_type: "STORIES", location_id: "1" }, "100/-"],
    [
      "of a story with half a place of a tag",
      { ...JPEG, media_type: "STORIES", user_tags: '[{"username":"ben","x":1}]' },
      "100/-",
    ],
    ["of a story without media", { media_type: "STORIES" }, "100/-"],
    ["of a story with two files", { ...JPEG, ...REEL, media_type: "STORIES" }, "100/-"],
    [
      "of a story as an item of a carousel",
      { ...JPEG, media_type: "STORIES", is_carousel_item: "true" },
      "100/2207028",
    ],
    ["with an alternative text over 1000", { ...JPEG, alt_text: "a".repeat(1001) }, "100/-"],
  ])("is refused %s", async ([, form, expected], { expect }) => {
    const response = await ada.post("/me/media", form);
    expect([response.status, await errorCodeOf(response)]).toEqual([400, expected]);
  });

  test("is accepted at the limits", async ({ expect }) => {
    const longestCaption = `${repeatTags(30, "#")} ${repeatTags(20, "@")}`.padEnd(2200, ".");
    expect((await ada.post("/me/media", { ...JPEG, caption: longestCaption, alt_text: "a".repeat(1000) })).status).toBe(
      200,
    );
  });

  test("is refused after 400 containers in a day", async ({ expect }) => {
    const form = { image_url: sampleUrl("nothing.jpg") };
    for (let created = 0; created < 400; created += 40) {
      const responses = await Promise.all(Array.from({ length: 40 }, () => ada.post("/me/media", form)));
      expect(responses.every((response) => response.status === 200)).toBe(true);
    }
    expect(await errorCodeOf(await ada.post("/me/media", form))).toBe("4/-");
    advanceMs(DAY_MS);
    expect((await ada.post("/me/media", form)).status).toBe(200);
  }, 30_000);
});

describe("publishing", () => {
  test("one container twice publishes two posts, unless the setting republish refuses the second", async ({
    expect,
  }) => {
    const countPosts = async (text: string) =>
      (await publishedPosts("instagram", "ada")).filter((post) => post.text === text).length;
    const twice = await createReadyContainer({ ...JPEG, caption: "twice" });
    const responses = [await ada.publishContainer(twice), await ada.publishContainer(twice)];
    expect([responses.map(({ status }) => status), await countPosts("twice")]).toEqual([[200, 200], 2]);
    await changeSettings("instagram", { republish: "refused" });
    const once = await createReadyContainer({ ...JPEG, caption: "once" });
    expect((await ada.publishContainer(once)).status).toBe(200);
    expect(await errorCodeOf(await ada.publishContainer(once))).toBe("24/2207008");
    expect(await countPosts("once")).toBe(1);
    await changeSettings("instagram", { republish: null });
  });

  test("one container concurrently publishes one post where a second is refused", async ({ expect }) => {
    await changeSettings("instagram", { republish: "refused" });
    const id = await createReadyContainer({ ...JPEG, caption: "only once" });
    const responses = await Promise.all([ada.publishContainer(id), ada.publishContainer(id), ada.publishContainer(id)]);
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect((await ada.publishContainer(id)).status).toBe(400);
    expect((await publishedPosts("instagram", "ada")).filter((post) => post.text === "only once")).toHaveLength(1);
    await changeSettings("instagram", { republish: null });
  });

  test("a container that is unknown, another user's or a day old is refused", async ({ expect }) => {
    const cleo = await createClient({ login: "cleo" });
    const foreign = await createReadyContainer(JPEG, cleo);
    expect(await errorCodeOf(await ada.publishContainer("17000000000000000"))).toBe("24/2207006");
    expect(await errorCodeOf(await ada.publishContainer(foreign))).toBe("24/2207006");
    expect(await errorCodeOf(await ada.request(`/${foreign}`))).toBe("100/33");
    const old = await createReadyContainer(JPEG);
    advanceMs(DAY_MS);
    expect(await statusOf(ada, old)).toMatchObject({ status_code: "EXPIRED" });
    expect(await errorCodeOf(await ada.publishContainer(old))).toBe("-2/2207020");
  });

  test("is refused above the quota of 24 hours, which the account can read", async ({ expect }) => {
    const readUsage = async () =>
      (await ada.request("/me/content_publishing_limit", { fields: "quota_usage,config" })).json();
    expect(await readUsage()).toEqual({
      data: [{ quota_usage: 0, config: { quota_total: 50, quota_duration: 86_400 } }],
    });
    await changeSettings("instagram", { quota: 2 });
    const ids = [await createReadyContainer(JPEG), await createReadyContainer(JPEG), await createReadyContainer(JPEG)];
    const codes: string[] = [];
    for (const id of ids) {
      const response = await ada.publishContainer(id);
      codes.push(response.ok ? "ok" : await errorCodeOf(response));
    }
    expect(codes).toEqual(["ok", "ok", "9/2207042"]);
    expect(await readUsage()).toEqual({
      data: [{ quota_usage: 2, config: { quota_total: 2, quota_duration: 86_400 } }],
    });
    await changeSettings("instagram", { quota: null });
    expect((await ada.publishContainer(ids[2] ?? "")).status).toBe(200);
  });

  test("can succeed although the response is an error", async ({ expect }) => {
    const id = await createReadyContainer({ ...JPEG, caption: "published despite the error" });
    const body = { error: { message: "restricted", type: "OAuthException", code: 4, error_subcode: 2_207_051 } };
    await injectFault("instagram", { match: { path: "/*/media_publish" }, effect: "answer_after", status: 400, body });
    expect(await errorCodeOf(await ada.publishContainer(id))).toBe("4/2207051");
    expect(await statusOf(ada, id)).toMatchObject({ status_code: "PUBLISHED" });
    expect((await publishedPosts("instagram", "ada")).at(-1)).toMatchObject({ text: "published despite the error" });
  });
});

describe("the list of media", () => {
  interface Page {
    readonly data: readonly Record<string, string>[];
    readonly paging: { readonly cursors: { readonly after: string }; readonly next?: string };
  }
  const list = async (query: Record<string, string>): Promise<Page> =>
    (await ada.request("/me/media", query)).json<Page>();

  test("is sorted newest first and paginated", async ({ expect }) => {
    for (const caption of ["one", "two", "three"]) {
      await ada.publishContainer(await createReadyContainer({ ...JPEG, caption }));
    }
    const first = await list({ fields: "id,caption,timestamp,permalink", limit: "2" });
    expect(first.data.map((media) => media["caption"])).toEqual(["three", "two"]);
    expect(first.paging.next).toContain("after=");
    const second = await list({ fields: "caption", limit: "1", after: first.paging.cursors.after });
    expect(second.data.map((media) => media["caption"])).toEqual(["one"]);
  });

  test("shows a post after verify_lag_ms", async ({ expect }) => {
    await changeSettings("instagram", { verify_lag_ms: 30_000 });
    const { id } = await (
      await ada.publishContainer(await createReadyContainer({ ...JPEG, caption: "late" }))
    ).json<{ id: string }>();
    expect((await list({ fields: "caption" })).data[0]?.["caption"]).not.toBe("late");
    expect(await errorCodeOf(await ada.request(`/${id}`))).toBe("100/33");
    advanceMs(30_000);
    expect((await list({ fields: "caption" })).data[0]?.["caption"]).toBe("late");
    await changeSettings("instagram", { verify_lag_ms: 0 });
  });
});

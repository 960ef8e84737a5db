import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { bookOf, ORIGIN, post as control, sample, settings } from "./help.ts";
import {
  type Begun,
  type Envelope,
  fileOf,
  person,
  put,
  SCOPES,
  type TikTokPerson,
  wholeRange,
  wordOf,
} from "./tiktok-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const DAY_MS = 86_400_000;
const at = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;

const film = await sample("portrait.mp4");
const INFO = { title: "A bowl #clay", privacy_level: "PUBLIC_TO_EVERYONE", disable_comment: false };
const VIDEO = { post_info: INFO, source_info: fileOf(film) };
const photos = (images: readonly string[], more: object = {}, mode = "DIRECT_POST") => ({
  media_type: "PHOTO",
  post_mode: mode,
  post_info: { title: "Bowls", description: "all of them", privacy_level: "PUBLIC_TO_EVERYONE", ...more },
  source_info: { source: "PULL_FROM_URL", photo_cover_index: 0, photo_images: images },
});

let ada: TikTokPerson;
let ben: TikTokPerson;

/** A fresh day, so that no cap is reached and no minute is spent. */
beforeEach(async () => {
  pass(2 * DAY_MS);
  ada = await person();
  ben = await person({ login: "ben" });
});
afterEach(() =>
  settings("tiktok", {
    quota: null,
    verify_lag_ms: 0,
    fail_reason: null,
    creator_error: null,
    verified_domains: null,
    moderation_never_ends: null,
    drafts_finished: null,
  }),
);

const initVideo = (who: TikTokPerson, change: object): Promise<Response> =>
  who.post("/v2/post/publish/video/init/", { ...VIDEO, ...change });

async function uploaded(who = ada, path = "video", body: object = VIDEO): Promise<string> {
  const { publish_id, upload_url } = await who.begin(path, body);
  await put(upload_url, film, wholeRange(film));
  return publish_id;
}

describe("creator_info", () => {
  const PATH = "/v2/post/publish/creator_info/query/";

  test("tells what a public and a private account may do", async ({ expect }) => {
    expect(await (await ada.post(PATH, "")).json()).toMatchObject({
      data: {
        creator_username: "ada_moves",
        privacy_level_options: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
        comment_disabled: false,
        duet_disabled: false,
        stitch_disabled: false,
        max_video_post_duration_sec: 600,
      },
      error: { code: "ok" },
    });
    expect(await (await ben.post(PATH, "")).json()).toMatchObject({
      data: {
        privacy_level_options: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
        duet_disabled: true,
      },
    });
  });

  test("says no with the status of a success", async ({ expect }) => {
    await settings("tiktok", { creator_error: "reached_active_user_cap" });
    expect(await wordOf(await ada.post(PATH))).toBe("200 reached_active_user_cap");
    await settings("tiktok", { creator_error: null, quota: 0 });
    expect(await wordOf(await ada.post(PATH))).toBe("200 spam_risk_too_many_posts");
  });

  test("20 times a minute", async ({ expect }) => {
    const answers = await Promise.all(Array.from({ length: 21 }, () => ada.post(PATH)));
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(1);
    pass(60_000);
    expect((await ada.post(PATH)).status).toBe(200);
  });
});

describe("a video", () => {
  test("is uploaded, processed, moderated; its id is a number that JavaScript cannot hold", async ({ expect }) => {
    await settings("tiktok", { verify_lag_ms: 60_000 });
    const { publish_id, upload_url } = await ada.begin("video", VIDEO);
    expect(publish_id).toMatch(/^v_pub_file~/);
    expect(await ada.status(publish_id)).toEqual({
      status: "PROCESSING_UPLOAD",
      uploaded_bytes: 0,
      downloaded_bytes: 0,
    });
    const answer = await put(upload_url, film, wholeRange(film));
    expect([answer.status, answer.headers.get("content-range")]).toEqual([201, `bytes ${wholeRange(film)}`]);
    expect(await ada.status(publish_id)).toMatchObject({ status: "PROCESSING_UPLOAD", uploaded_bytes: film.length });
    expect(await bookOf("tiktok", "ada")).not.toContainEqual(expect.objectContaining({ options: { publish_id } }));
    pass(2000);
    expect(await ada.status(publish_id)).toMatchObject({
      status: "PUBLISH_COMPLETE",
      publicaly_available_post_id: [],
    });
    pass(60_000);
    const text = await (await ada.post("/v2/post/publish/status/fetch/", { publish_id })).text();
    const id = /"publicaly_available_post_id":\[(?<id>\d{19})\]/.exec(text)?.groups?.["id"] ?? "";
    expect(String(Number(id))).not.toBe(id);
    expect((await bookOf("tiktok", "ada")).at(-1)).toEqual({
      id,
      url: `https://www.tiktok.com/@ada_moves/video/${id}`,
      account: "_000ada",
      kind: "video",
      text: "A bowl #clay",
      title: null,
      media: [{ type: "video", sha256: await sha256Hex(film) }],
      options: { ...INFO, publish_id },
      accepted_at: expect.any(String) as string,
    });
  });

  test("may never be moderated", async ({ expect }) => {
    await settings("tiktok", { moderation_never_ends: true });
    const id = await uploaded();
    pass(7_000_000);
    expect(await ada.status(id)).toMatchObject({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] });
  });

  test.for<[what: string, change: object, word: string]>([
    ["a level that is not offered", { privacy_level: "FOLLOWER_OF_CREATOR" }, "403 privacy_level_option_mismatch"],
    ["no level", { privacy_level: undefined }, "403 privacy_level_option_mismatch"],
    ["2201 UTF-16 units of title", { title: "\u{1F3FA}".repeat(1100) + "a" }, "400 invalid_params"],
    ["a switch that is no boolean", { disable_duet: "false" }, "400 invalid_params"],
  ])("is refused for %s", async ([, change, word], { expect }) => {
    expect(await wordOf(await initVideo(ada, { post_info: { ...INFO, ...change } }))).toBe(word);
  });

  test("takes 2200 UTF-16 units", async ({ expect }) => {
    const post_info = { ...INFO, title: "\u{1F3FA}".repeat(1100) };
    expect(await wordOf(await initVideo(ada, { post_info }))).toBe("200 ok");
  });

  test("of an app without an audit is for its creator alone, on a private account", async ({ expect }) => {
    const privately = { post_info: { ...INFO, privacy_level: "SELF_ONLY" } };
    expect(await wordOf(await initVideo(ben, {}))).toBe("403 privacy_level_option_mismatch");
    const friends = { post_info: { ...INFO, privacy_level: "MUTUAL_FOLLOW_FRIENDS" } };
    expect(await wordOf(await initVideo(ben, friends))).toBe("403 privacy_level_option_mismatch");
    expect(await wordOf(await initVideo(ben, privately))).toBe("200 ok");
    await settings("tiktok", { audited: false });
    expect(await wordOf(await initVideo(ada, privately))).toBe(
      "403 unaudited_client_can_only_post_to_private_accounts",
    );
    await settings("tiktok", { audited: null });
  });

  test("SELF_ONLY never gets a public id and is not listed", async ({ expect }) => {
    const id = await uploaded(ben, "video", { ...VIDEO, post_info: { ...INFO, privacy_level: "SELF_ONLY" } });
    pass(DAY_MS);
    ben = await person({ login: "ben" });
    expect(await ben.status(id)).toMatchObject({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] });
    expect(await (await ben.post("/v2/video/list/?fields=id")).json()).toMatchObject({ data: { videos: [] } });
  });

  test("is listed with its text cut, and found by its id", async ({ expect }) => {
    const title = "long ".repeat(60);
    await uploaded(ada, "video", { ...VIDEO, post_info: { ...INFO, title } });
    pass(2000);
    const list = await (
      await ada.post("/v2/video/list/?fields=id,title,create_time,share_url", { max_count: 1 })
    ).json<Envelope<{ videos: { id: string; title: string }[]; has_more: boolean }>>();
    const [first] = list.data.videos;
    expect(first).toEqual({
      id: expect.stringMatching(/^\d{19}$/) as string,
      title: title.slice(0, 150),
      create_time: Math.floor(Date.now() / 1000),
      share_url: `https://www.tiktok.com/@ada_moves/video/${first?.id}`,
    });
    const query = { filters: { video_ids: [first?.id, "7000000000000000000"] } };
    expect(await (await ada.post("/v2/video/query/?fields=id", query)).json()).toMatchObject({
      data: { videos: [{ id: first?.id }] },
    });
    expect(await wordOf(await ada.post("/v2/video/list/?fields=id", { max_count: 21 }))).toBe("400 invalid_params");
    expect(await wordOf(await ada.post("/v2/video/list/"))).toBe("400 invalid_params");
  });

  test("fails in processing: for what it is, or for what the settings say", async ({ expect }) => {
    const page = await sample("page.jpg");
    const { publish_id, upload_url } = await ada.begin("video", { ...VIDEO, source_info: fileOf(page) });
    await put(upload_url, page, wholeRange(page));
    pass(2000);
    expect(await ada.status(publish_id)).toMatchObject({ status: "FAILED", fail_reason: "file_format_check_failed" });
    await settings("tiktok", { fail_reason: "spam_risk_text" });
    const marked = await uploaded();
    pass(2000);
    expect(await ada.status(marked)).toMatchObject({ status: "FAILED", fail_reason: "spam_risk_text" });
  });

  test("fails when the person withdraws the app while it is processed", async ({ expect }) => {
    const id = await uploaded();
    await control("/sandbox/platforms/tiktok/revoke", { account: "ada" });
    pass(5000);
    ada = await person();
    expect(await ada.status(id)).toMatchObject({ status: "FAILED", fail_reason: "auth_removed" });
  });

  test("can be pulled; an address that leads elsewhere or nowhere fails", async ({ expect }) => {
    const pull = async (video_url: string): Promise<string> => {
      const { publish_id } = await ada.begin("video", {
        ...VIDEO,
        source_info: { source: "PULL_FROM_URL", video_url },
      });
      pass(2000);
      return publish_id;
    };
    const id = await pull(at("portrait.mp4"));
    expect(id).toMatch(/^v_pub_url~/);
    expect(await ada.status(id)).toMatchObject({ status: "PUBLISH_COMPLETE" });
    const elsewhere = `${ORIGIN}/sandbox/www.pinterest.com/oauth/?client_id=sandbox-pinterest&response_type=code&login=ada&redirect_uri=${encodeURIComponent(at("portrait.mp4"))}`;
    for (const url of [elsewhere, at("nothing.mp4"), "https://nowhere.example.com/a.mp4"]) {
      expect(await ada.status(await pull(url)), url).toMatchObject({
        status: "FAILED",
        fail_reason: "video_pull_failed",
      });
    }
  });
});

describe("an upload", () => {
  test.for<[what: string, source: Record<string, number | string>]>([
    ["nothing said about chunks", {}],
    ["no bytes", { video_size: 0, chunk_size: 0, total_chunk_count: 1 }],
    ["a count that is rounded up", { video_size: 11_000_000, chunk_size: 5_000_000, total_chunk_count: 3 }],
    ["chunks under 5 MB", { video_size: 10_000_000, chunk_size: 4_999_999, total_chunk_count: 2 }],
    ["chunks over 64 MB", { video_size: 130_000_000, chunk_size: 64_000_001, total_chunk_count: 2 }],
    ["one chunk over 64 MB", { video_size: 64_000_001, chunk_size: 64_000_001, total_chunk_count: 1 }],
    ["one chunk of another size", { video_size: 6_000_000, chunk_size: 5_000_000, total_chunk_count: 1 }],
    ["over 4 GB", { video_size: 4_300_000_000, chunk_size: 64_000_000, total_chunk_count: 67 }],
    ["another source", { source: "SOMEWHERE" }],
  ])("is refused for %s", async ([, source], { expect }) => {
    const source_info = { source: "FILE_UPLOAD", ...source };
    expect(await wordOf(await initVideo(ada, { source_info }))).toBe("400 invalid_params");
  });

  test("goes chunk by chunk in order; the last one is the longest; progress is told", async ({ expect }) => {
    const bytes = new Uint8Array(11_000_000);
    bytes.set(film);
    const source_info = {
      source: "FILE_UPLOAD",
      video_size: bytes.length,
      chunk_size: 5_000_000,
      total_chunk_count: 2,
    };
    const { publish_id, upload_url } = await ada.begin("video", { ...VIDEO, source_info });
    const chunk = (from: number, to: number) => put(upload_url, bytes.slice(from, to), `${from}-${to - 1}/11000000`);
    expect((await chunk(5_000_000, 11_000_000)).status).toBe(416);
    expect((await chunk(0, 4_000_000)).status).toBe(400);
    const first = await chunk(0, 5_000_000);
    expect([first.status, first.headers.get("content-range")]).toEqual([206, "bytes 0-4999999/11000000"]);
    const again = await chunk(0, 5_000_000);
    expect([again.status, again.headers.get("content-range")]).toEqual([416, "bytes 0-4999999/11000000"]);
    expect((await chunk(5_000_000, 10_000_000)).status).toBe(400);
    expect(await ada.status(publish_id)).toMatchObject({ status: "PROCESSING_UPLOAD", uploaded_bytes: 5_000_000 });
    const last = await Promise.all([chunk(5_000_000, 11_000_000), chunk(5_000_000, 11_000_000)]);
    expect(last.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 416]);
    pass(2000);
    await ada.status(publish_id);
    expect((await bookOf("tiktok", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(bytes));
  });

  test("wants the right headers, no token, and its hour", async ({ expect }) => {
    const { upload_url } = await ada.begin("video", VIDEO);
    const range = wholeRange(film);
    expect((await put(upload_url, film, range, { authorization: "Bearer x" })).status).toBe(400);
    expect((await put(upload_url, film, range, { "content-type": "image/jpeg" })).status).toBe(400);
    expect((await put(upload_url, film, `0-${film.length}/${film.length}`)).status).toBe(400);
    expect((await put(upload_url, film, `0-${film.length - 1}/9`)).status).toBe(400);
    expect((await put(upload_url.replace(/upload_token=.*/, "upload_token=x"), film, range)).status).toBe(404);
    pass(3_600_000);
    expect((await put(upload_url, film, range)).status).toBe(403);
  });
});

describe("photos", () => {
  const init = (body: object) => ada.post("/v2/post/publish/content/init/", body);

  test("are pulled in order", async ({ expect }) => {
    const { publish_id } = await ada.begin("content", photos([at("portrait.jpg"), at("landscape.webp")]));
    expect(publish_id).toMatch(/^p_pub_url~/);
    pass(2000);
    expect(await ada.status(publish_id)).toMatchObject({ status: "PUBLISH_COMPLETE" });
    expect((await bookOf("tiktok", "ada")).at(-1)).toMatchObject({
      kind: "photo",
      text: "all of them",
      title: "Bowls",
      media: [
        { type: "image", sha256: await sha256Hex(await sample("portrait.jpg")) },
        { type: "image", sha256: await sha256Hex(await sample("landscape.webp")) },
      ],
    });
  });

  test.for(["square.png", "page.jpg"])("fail for %s", async (name, { expect }) => {
    const { publish_id } = await ada.begin("content", photos([at("portrait.jpg"), at(name)]));
    pass(2000);
    expect(await ada.status(publish_id)).toMatchObject({ status: "FAILED", fail_reason: "file_format_check_failed" });
  });

  test("fail when one cannot be had", async ({ expect }) => {
    const { publish_id } = await ada.begin("content", photos([at("gone.jpg")]));
    pass(2000);
    expect(await ada.status(publish_id)).toMatchObject({ status: "FAILED", fail_reason: "photo_pull_failed" });
  });

  const JPEG = at("portrait.jpg");
  test.for<[what: string, body: object]>([
    ["none", photos([])],
    ["36", photos(Array.from({ length: 36 }, () => JPEG))],
    [
      "a cover that is not there",
      { ...photos([JPEG]), source_info: { source: "PULL_FROM_URL", photo_images: [JPEG], photo_cover_index: 1 } },
    ],
    ["91 characters of title", photos([JPEG], { title: "a".repeat(91) })],
    ["4001 characters of description", photos([JPEG], { description: "a".repeat(4001) })],
    ["a field of videos", photos([JPEG], { is_aigc: true })],
    ["another source", { ...photos([JPEG]), source_info: { source: "FILE_UPLOAD" } }],
    ["DIRECT POST with a blank", photos([JPEG], {}, "DIRECT POST")],
    ["another media type", { ...photos([JPEG]), media_type: "VIDEO" }],
  ])("are refused for %s", async ([, body], { expect }) => {
    expect(await wordOf(await init(body))).toBe("400 invalid_params");
  });

  test("come from verified domains alone, and what is below them", async ({ expect }) => {
    await settings("tiktok", { verified_domains: "example.com,example.org" });
    expect(await wordOf(await init(photos([JPEG])))).toBe("403 url_ownership_unverified");
    expect(await wordOf(await init(photos(["https://notexample.com/a.jpg"])))).toBe("403 url_ownership_unverified");
    expect(await wordOf(await init(photos(["https://media.example.com/a.jpg"])))).toBe("200 ok");
  });

  test("can be called off while they are processed, and no later", async ({ expect }) => {
    const cancel = (publish_id: string) => ada.post("/v2/post/publish/cancel/", { publish_id });
    const early = await ada.begin("content", photos([JPEG]));
    expect(await wordOf(await cancel(early.publish_id))).toBe("200 ok");
    expect(await ada.status(early.publish_id)).toMatchObject({ status: "FAILED", fail_reason: "publish_cancelled" });
    const late = await ada.begin("content", photos([JPEG]));
    pass(2000);
    expect(await wordOf(await cancel(late.publish_id))).toBe("400 publish_not_cancellable");
  });
});

describe("a draft", () => {
  const DRAFT = { source_info: fileOf(film), post_info: INFO };

  test("goes to the inbox and keeps nothing of what was said", async ({ expect }) => {
    const id = await uploaded(ada, "inbox/video", DRAFT);
    expect(id).toMatch(/^v_inbox_file~/);
    pass(2000);
    expect(await ada.status(id)).toMatchObject({ status: "SEND_TO_USER_INBOX" });
    expect((await bookOf("tiktok", "ada")).at(-1)).toMatchObject({
      kind: "draft",
      text: "",
      options: { publish_id: id },
    });
    await settings("tiktok", { drafts_finished: true });
    expect(await ada.status(id)).toMatchObject({ status: "PUBLISH_COMPLETE" });
  });

  test("of photos keeps title and description", async ({ expect }) => {
    const { publish_id } = await ada.begin("content", photos([at("portrait.jpg")], {}, "MEDIA_UPLOAD"));
    pass(2000);
    expect(await ada.status(publish_id)).toMatchObject({ status: "SEND_TO_USER_INBOX" });
    expect((await bookOf("tiktok", "ada")).at(-1)).toMatchObject({
      kind: "draft",
      text: "all of them",
      title: "Bowls",
      options: { title: "Bowls", description: "all of them", publish_id },
    });
  });

  test("needs no audit and no level, and there may be five in a day", async ({ expect }) => {
    const words: string[] = [];
    for (let made = 0; made < 6; made += 1) {
      words.push(await wordOf(await ben.post("/v2/post/publish/inbox/video/init/", DRAFT)));
    }
    expect(words).toEqual([...Array.from({ length: 5 }, () => "200 ok"), "403 spam_risk_too_many_pending_share"]);
  });

  test("of photos needs the scope of drafts", async ({ expect }) => {
    const who = await person({ scope: SCOPES.replace(",video.upload", "") });
    const answer = await who.post("/v2/post/publish/content/init/", photos([at("portrait.jpg")], {}, "MEDIA_UPLOAD"));
    expect(await wordOf(answer)).toBe("401 scope_not_authorized");
  });
});

describe("too many", () => {
  test("inits in a minute: six", async ({ expect }) => {
    const words = await Promise.all(Array.from({ length: 7 }, async () => wordOf(await initVideo(ada, {}))));
    expect(words.filter((word) => word === "429 rate_limit_exceeded")).toHaveLength(1);
  });

  test("looks in a minute: thirty", async ({ expect }) => {
    const { publish_id } = await ada.begin("video", VIDEO);
    const look = () => ada.post("/v2/post/publish/status/fetch/", { publish_id });
    const answers = await Promise.all(Array.from({ length: 31 }, look));
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(1);
  });

  test("posts in a day: fifteen, or what the settings say", async ({ expect }) => {
    await settings("tiktok", { quota: 2 });
    const words: string[] = [];
    for (let made = 0; made < 3; made += 1) {
      words.push(await wordOf(await initVideo(ada, {})));
    }
    expect(words).toEqual(["200 ok", "200 ok", "403 spam_risk_too_many_posts"]);
  });
});

describe("a publish", () => {
  test("is told to its creator alone", async ({ expect }) => {
    const { publish_id } = await (await initVideo(ada, {})).json<Envelope<Begun>>().then((body) => body.data);
    const look = (who: TikTokPerson, id: string) => who.post("/v2/post/publish/status/fetch/", { publish_id: id });
    expect(await wordOf(await look(ben, publish_id))).toBe("400 token_not_authorized_for_specified_publish_id");
    expect(await wordOf(await look(ada, "v_pub_file~v2-1.1"))).toBe("400 invalid_publish_id");
  });

  test.for(["not JSON", "[]", "null", '"text"'])("with the body %s is refused", async (body, { expect }) => {
    expect(await wordOf(await ada.post("/v2/post/publish/video/init/", body))).toBe("400 invalid_params");
  });
});

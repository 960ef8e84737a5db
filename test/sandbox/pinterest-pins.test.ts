import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex, toBase64 } from "#core/encoding.ts";
import { publishedPosts, injectFault, ORIGIN, sampleBytes, changeSettings } from "./sandbox-api.ts";
import {
  BOARD,
  errorCodeOf,
  uploadForm,
  createClient,
  type PinterestClient,
  postForm,
  type RegisteredMedia,
  SCOPES,
  SECRET_BOARD_SCOPES,
} from "./pinterest-client.ts";
import { callPlatform } from "./call-platform.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

const mediaUrl = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const jpeg = await sampleBytes("portrait.jpg");
const video = await sampleBytes("landscape.mp4");
const IMAGE = { source_type: "image_url", url: mediaUrl("portrait.jpg") };
const pinBody = (more: object = {}) => ({
  board_id: BOARD,
  title: "Blue glaze",
  description: "Caption here",
  link: "https://example.com/glaze",
  media_source: IMAGE,
  ...more,
});
const imageUrls = (...names: readonly string[]) => ({
  source_type: "multiple_image_urls",
  items: names.map((name) => ({ url: mediaUrl(name) })),
});
const videoBody = (media_id: string, more: object = { cover_image_key_frame_time: 1 }) => ({
  media_source: { source_type: "video_id", media_id, ...more },
});

let ada: PinterestClient;
beforeEach(async () => {
  advanceMs(2 * 86_400_000);
  ada = await createClient();
});
afterEach(() =>
  changeSettings("pinterest", { access: null, creates_per_minute: null, verify_lag_ms: 0, fail_processing: null }),
);

interface Pin {
  readonly id: string;
  readonly created_at: string;
}

const messageOf = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.json<{ message: string }>()).message}`;

describe("a pin", () => {
  test("is published with every field as it was sent", async ({ expect }) => {
    const response = await ada.createPin(pinBody({ alt_text: "a bowl" }));
    expect(response.status).toBe(201);
    const pin = await response.json<Pin>();
    expect(pin).toMatchObject({
      id: expect.stringMatching(/^\d{18}$/) as string,
      created_at: new Date().toISOString().slice(0, 19),
      board_id: BOARD,
      title: "Blue glaze",
      description: "Caption here",
      link: "https://example.com/glaze",
      alt_text: "a bowl",
      is_owner: true,
    });
    expect((await publishedPosts("pinterest", "ada")).at(-1)).toEqual({
      id: pin.id,
      url: `https://www.pinterest.com/pin/${pin.id}/`,
      account: "2783136121146311751",
      kind: "pin",
      text: "Caption here",
      title: "Blue glaze",
      media: [{ type: "image", sha256: await sha256Hex(jpeg) }],
      options: { board_id: BOARD, link: "https://example.com/glaze", cover: null, alt_text: "a bowl" },
      accepted_at: new Date().toISOString(),
    });
  });

  const AMPHORA = "\u{1F3FA}";
  test.for<[what: string, body: unknown, code: string]>([
    ["an invalid board id", pinBody({ board_id: "glazes" }), "400 1"],
    ["a board id that is a number", pinBody({ board_id: 549_755_885_175 }), "400 1"],
    ["another user's board", pinBody({ board_id: "549755886001" }), "404 40"],
    ["a board for ads", pinBody({ board_id: "549755885179" }), "404 40"],
    ["a secret board", pinBody({ board_id: "549755885178" }), "404 40"],
    ["101 characters of title", pinBody({ title: AMPHORA.repeat(101) }), "400 1"],
    ["801 characters of description", pinBody({ description: AMPHORA.repeat(801) }), "400 1"],
    ["501 characters of alt_text", pinBody({ alt_text: "a".repeat(501) }), "400 1"],
    ["a link of 2049 characters", pinBody({ link: `https://example.com/${"a".repeat(2029)}` }), "400 1"],
    ["an invalid link", pinBody({ link: "example.com" }), "400 1"],
    ["a link of another scheme", pinBody({ link: "javascript:alert(1)" }), "400 1"],
    ["a title that is not a string", pinBody({ title: 5 }), "400 1"],
    ["an invalid colour", pinBody({ dominant_color: "blue" }), "400 1"],
    ["no media", { board_id: BOARD }, "400 1"],
    ["media of an unknown type", pinBody({ media_source: { source_type: "gif" } }), "400 1"],
    ["a body that is not JSON", "{", "400 1"],
    ["a body that is a list", [], "400 1"],
  ])("is refused for %s", async ([, body, code], { expect }) => {
    const before = (await publishedPosts("pinterest")).length;
    expect(await errorCodeOf(await ada.createPin(body))).toBe(code);
    expect(await publishedPosts("pinterest")).toHaveLength(before);
  });

  test("accepts every text at its maximum length, and nulls", async ({ expect }) => {
    const long = {
      title: AMPHORA.repeat(100),
      description: AMPHORA.repeat(800),
      alt_text: "a".repeat(500),
      link: `https://example.com/${"a".repeat(2028)}`,
    };
    expect((await ada.createPin(pinBody(long))).status).toBe(201);
    expect((await ada.createPin(pinBody({ title: null, description: null, link: null }))).status).toBe(201);
  });

  test.for(["page.jpg", "nothing.jpg", "portrait.mp4"])(
    "is refused if the image URL serves %s",
    async (name, { expect }) => {
      const response = await ada.createPin(pinBody({ media_source: { ...IMAGE, url: mediaUrl(name) } }));
      expect(await messageOf(response)).toMatch(/^400 Unable to reach the URL/);
    },
  );

  test("may be sent as base64", async ({ expect }) => {
    const source = { source_type: "image_base64", content_type: "image/jpeg", data: toBase64(jpeg) };
    expect((await ada.createPin(pinBody({ media_source: source }))).status).toBe(201);
    expect((await publishedPosts("pinterest", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(jpeg));
    for (const invalid of [{ content_type: "image/webp" }, { content_type: "image/png" }, { data: "%%%" }]) {
      expect(await errorCodeOf(await ada.createPin(pinBody({ media_source: { ...source, ...invalid } })))).toBe(
        "400 1",
      );
    }
  });

  test("is accepted on a secret board with all scopes for it", async ({ expect }) => {
    const writer = await createClient({ scope: `${SCOPES},${SECRET_BOARD_SCOPES}` });
    const reader = await createClient({ scope: `${SCOPES},boards:read_secret` });
    const body = pinBody({ board_id: "549755885178" });
    expect(await errorCodeOf(await reader.createPin(body))).toBe("403 7");
    expect((await writer.createPin(body)).status).toBe(201);
  });
});

describe("a carousel", () => {
  test("has two to five images of one size, in the given order", async ({ expect }) => {
    const response = await ada.createPin(pinBody({ media_source: imageUrls("portrait.jpg", "portrait.jpg") }));
    expect(response.status).toBe(201);
    expect((await publishedPosts("pinterest", "ada")).at(-1)).toMatchObject({
      kind: "carousel",
      media: [{ type: "image" }, { type: "image" }],
    });
    const six = Array.from({ length: 6 }, () => "portrait.jpg");
    expect(await messageOf(await ada.createPin(pinBody({ media_source: imageUrls(...six) })))).toContain(
      "constraint: maxItems=5",
    );
    expect(await errorCodeOf(await ada.createPin(pinBody({ media_source: imageUrls("portrait.jpg") })))).toBe("400 1");
    expect(
      await errorCodeOf(await ada.createPin(pinBody({ media_source: imageUrls("portrait.jpg", "square.png") }))),
    ).toBe("400 1");
    expect(
      await errorCodeOf(await ada.createPin(pinBody({ media_source: imageUrls("portrait.jpg", "gone.jpg") }))),
    ).toBe("400 1");
  });

  test("may be sent as base64", async ({ expect }) => {
    const item = { content_type: "image/jpeg", data: toBase64(jpeg) };
    const source = { source_type: "multiple_image_base64", items: [item, item] };
    expect((await ada.createPin(pinBody({ media_source: source }))).status).toBe(201);
  });
});

describe("a video", () => {
  const statusOf = async (id: string): Promise<string> =>
    (await (await ada.callApi("GET", `/media/${id}`)).json<{ status: string }>()).status;

  test("is registered, sent to S3, processed, pinned", async ({ expect }) => {
    const registered = await ada.registerMedia();
    expect(registered).toMatchObject({
      media_id: expect.stringMatching(/^\d+$/) as string,
      media_type: "video",
      upload_url: "https://pinterest-media-upload.s3-accelerate.amazonaws.com/",
    });
    const { media_id: id, upload_url, upload_parameters } = registered;
    expect(await statusOf(id)).toBe("registered");
    expect((await postForm(upload_url, uploadForm(upload_parameters, video))).status).toBe(204);
    expect(await statusOf(id)).toBe("processing");
    expect(await errorCodeOf(await ada.createPin(pinBody(videoBody(id))))).toBe("400 1");
    advanceMs(2000);
    expect(await statusOf(id)).toBe("succeeded");
    expect((await ada.createPin(pinBody(videoBody(id)))).status).toBe(201);
    expect((await publishedPosts("pinterest", "ada")).at(-1)).toMatchObject({
      kind: "video",
      media: [{ type: "video", sha256: await sha256Hex(video) }],
      options: { cover: 1 },
    });
  });

  test("needs a cover", async ({ expect }) => {
    const id = await ada.uploadVideo(video);
    advanceMs(2000);
    expect(await messageOf(await ada.createPin(pinBody(videoBody(id, {}))))).toContain(
      "cover_image_url or cover_image_content_type",
    );
    expect((await ada.createPin(pinBody(videoBody(id, { cover_image_url: mediaUrl("portrait.jpg") })))).status).toBe(
      201,
    );
    for (const cover of [
      { cover_image_url: mediaUrl("portrait.jpg"), cover_image_key_frame_time: 1 },
      { cover_image_key_frame_time: 1.5 },
      { cover_image_url: mediaUrl("missing.jpg") },
    ]) {
      expect(await errorCodeOf(await ada.createPin(pinBody(videoBody(id, cover)))), JSON.stringify(cover)).toBe(
        "400 1",
      );
    }
    const inline = { cover_image_content_type: "image/jpeg", cover_image_data: toBase64(jpeg) };
    expect((await ada.createPin(pinBody(videoBody(id, inline)))).status).toBe(201);
  });

  test("can only be used by its owner, and only videos are registered", async ({ expect }) => {
    const id = await ada.uploadVideo(video);
    advanceMs(2000);
    const ben = await createClient({ login: "ben" });
    expect((await ben.callApi("GET", `/media/${id}`)).status).toBe(404);
    expect(await errorCodeOf(await ben.createPin(pinBody({ board_id: "549755886001", ...videoBody(id) })))).toBe(
      "400 1",
    );
    expect(await errorCodeOf(await ada.callApi("POST", "/media", { media_type: "image" }))).toBe("400 1");
  });

  test.for(["portrait.mp4", "page.jpg"])("fails if it is too short or not a video: %s", async (name, { expect }) => {
    const id = await ada.uploadVideo(await sampleBytes(name));
    advanceMs(2000);
    expect(await statusOf(id)).toBe("failed");
    expect(await errorCodeOf(await ada.createPin(pinBody(videoBody(id))))).toBe("400 1");
  });

  test("of many chunks is stored unchanged, even if it contains a form boundary", async ({ expect }) => {
    const large = new Uint8Array(700_000);
    large.set(video);
    large.set(new TextEncoder().encode('\r\n--x\r\nname="file"\r\n\r\n'), 300_000);
    const id = await ada.uploadVideo(large);
    advanceMs(2000);
    await ada.createPin(pinBody(videoBody(id)));
    expect((await publishedPosts("pinterest", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(large));
  });
});

describe("the form for S3", () => {
  const s3ErrorOf = async (response: Response): Promise<string> =>
    `${response.status} ${/<Code>(?<code>\w+)<\/Code>/.exec(await response.text())?.groups?.["code"]}`;
  const formWith = ({ upload_parameters }: RegisteredMedia, overrides: Record<string, string>): FormData =>
    uploadForm({ ...upload_parameters, ...overrides }, video);

  test("is refused with a wrong, missing or late field, on a second upload, and after an hour", async ({ expect }) => {
    const registered = await ada.registerMedia();
    const { upload_url: url, upload_parameters } = registered;
    expect(await s3ErrorOf(await postForm(url, formWith(registered, { policy: "x" })))).toBe("403 AccessDenied");
    const { "x-amz-date": _date, ...fewer } = upload_parameters;
    expect(await s3ErrorOf(await postForm(url, uploadForm(fewer, video)))).toBe("403 AccessDenied");
    const early = new FormData();
    early.append("file", new Blob([video]), "video.mp4");
    for (const [name, value] of Object.entries(upload_parameters)) {
      early.append(name, value);
    }
    expect(await s3ErrorOf(await postForm(url, early))).toBe("403 AccessDenied");
    expect((await postForm(url, formWith(registered, {}))).status).toBe(204);
    expect(await s3ErrorOf(await postForm(url, formWith(registered, {})))).toBe("403 AccessDenied");
    const late = await ada.registerMedia();
    advanceMs(3_600_000);
    expect(await s3ErrorOf(await postForm(late.upload_url, formWith(late, {})))).toBe("403 AccessDenied");
  });

  test("needs a content length and no bearer token", async ({ expect }) => {
    const registered = await ada.registerMedia();
    const url = registered.upload_url;
    const withToken = await postForm(url, formWith(registered, {}), { authorization: ada.authorization });
    expect(await s3ErrorOf(withToken)).toBe("400 InvalidRequest");
    const encoded = new Response(formWith(registered, {}));
    const type = encoded.headers.get("content-type") ?? "";
    // A transformed stream has no known length.
    const body = encoded.body!.pipeThrough(new IdentityTransformStream());
    const chunked = await callPlatform(url, { method: "POST", headers: { "content-type": type }, body });
    expect(await s3ErrorOf(chunked)).toBe("411 MissingContentLength");
    const plain = await callPlatform(url, { method: "POST", headers: { "content-type": "video/mp4" }, body: video });
    expect(await s3ErrorOf(plain)).toBe("400 MalformedPOSTRequest");
  });
});

describe("access level and spam block", () => {
  test("a trial app can only pin in Pinterest's own sandbox", async ({ expect }) => {
    await changeSettings("pinterest", { access: "trial" });
    expect(await messageOf(await ada.createPin(pinBody()))).toBe(
      "403 Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.",
    );
    expect((await ada.createPin(pinBody(), "https://api-sandbox.pinterest.com/v5")).status).toBe(201);
  });

  test("too many pins in a minute are blocked as spam", async ({ expect }) => {
    await changeSettings("pinterest", { creates_per_minute: 2 });
    const codes = [];
    for (let count = 0; count < 3; count += 1) {
      codes.push(await errorCodeOf(await ada.createPin(pinBody())));
    }
    expect(codes).toEqual(["201", "201", "403 9"]);
    advanceMs(60_000);
    expect((await ada.createPin(pinBody())).status).toBe(201);
  });

  test("an injected 503 after the call leaves the pin published", async ({ expect }) => {
    await injectFault("pinterest", { match: { path: "/v5/pins" }, effect: "answer_after", status: 503 });
    expect((await ada.createPin(pinBody({ title: "there" }))).status).toBe(503);
    expect((await publishedPosts("pinterest", "ada")).at(-1)?.title).toBe("there");
  });
});

describe("reading back", () => {
  interface Page {
    readonly items: readonly Pin[];
    readonly bookmark: string | null;
  }
  const list = async (query = ""): Promise<Page> =>
    (await ada.callApi("GET", `/boards/${BOARD}/pins${query}`)).json<Page>();
  const createPinTitled = async (title: string): Promise<Pin> => (await ada.createPin(pinBody({ title }))).json<Pin>();

  test("a board lists the newest first, page by page, after the delay in the settings", async ({ expect }) => {
    const first = await createPinTitled("first");
    advanceMs(1000);
    const second = await createPinTitled("second");
    await ada.createPin(pinBody({ board_id: "549755885176" }));
    const page = await list("?page_size=1");
    expect(page.items).toMatchObject([{ id: second.id, title: "second", is_owner: true }]);
    expect((await list(`?page_size=1&bookmark=${page.bookmark}`)).items[0]?.id).toBe(first.id);
    await changeSettings("pinterest", { verify_lag_ms: 5000 });
    advanceMs(5000);
    const third = await createPinTitled("third");
    expect((await list()).items[0]?.id).toBe(second.id);
    advanceMs(5000);
    expect((await list()).items[0]?.id).toBe(third.id);
    expect((await (await ada.callApi("GET", "/pins?page_size=1")).json<Page>()).items[0]?.id).toBe(third.id);
    expect(await errorCodeOf(await ada.callApi("GET", "/boards/549755886001/pins"))).toBe("404 40");
  });

  test("a pin can only be read and deleted by its owner, and deleted once", async ({ expect }) => {
    const { id } = await createPinTitled("short");
    const ben = await createClient({ login: "ben" });
    expect(await errorCodeOf(await ben.callApi("GET", `/pins/${id}`))).toBe("404 50");
    expect(await errorCodeOf(await ben.callApi("DELETE", `/pins/${id}`))).toBe("404 50");
    expect(await (await ada.callApi("GET", `/pins/${id}`)).json()).toMatchObject({ id, title: "short" });
    expect((await ada.callApi("DELETE", `/pins/${id}`)).status).toBe(204);
    expect(await errorCodeOf(await ada.callApi("DELETE", `/pins/${id}`))).toBe("404 50");
    expect((await list()).items.map((pin) => pin.id)).not.toContain(id);
  });
});

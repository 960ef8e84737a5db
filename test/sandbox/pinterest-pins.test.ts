import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex, toBase64 } from "#core/encoding.ts";
import { bookOf, fault, ORIGIN, sample, settings } from "./help.ts";
import {
  BOARD,
  codeOf,
  formOf,
  person,
  type PinterestPerson,
  postForm,
  type Registered,
  SCOPES,
  SECRET,
} from "./pinterest-person.ts";
import { call } from "./outbound.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

const at = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const jpeg = await sample("portrait.jpg");
const film = await sample("landscape.mp4");
const IMAGE = { source_type: "image_url", url: at("portrait.jpg") };
const pinOf = (more: object = {}) => ({
  board_id: BOARD,
  title: "Blue glaze",
  description: "Caption here",
  link: "https://example.com/glaze",
  media_source: IMAGE,
  ...more,
});
const urls = (...names: readonly string[]) => ({
  source_type: "multiple_image_urls",
  items: names.map((name) => ({ url: at(name) })),
});
const videoOf = (media_id: string, more: object = { cover_image_key_frame_time: 1 }) => ({
  media_source: { source_type: "video_id", media_id, ...more },
});

let ada: PinterestPerson;
beforeEach(async () => {
  pass(2 * 86_400_000);
  ada = await person();
});
afterEach(() =>
  settings("pinterest", { access: null, creates_per_minute: null, verify_lag_ms: 0, fail_processing: null }),
);

interface Pin {
  readonly id: string;
  readonly created_at: string;
}

const messageOf = async (answer: Response): Promise<string> =>
  `${answer.status} ${(await answer.json<{ message: string }>()).message}`;

describe("a pin", () => {
  test("is 201 and stands in the book as it was sent", async ({ expect }) => {
    const answer = await ada.pin(pinOf({ alt_text: "a bowl" }));
    expect(answer.status).toBe(201);
    const pin = await answer.json<Pin>();
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
    expect((await bookOf("pinterest", "ada")).at(-1)).toEqual({
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

  const MARK = "\u{1F3FA}";
  test.for<[what: string, body: unknown, word: string]>([
    ["a board id that is none", pinOf({ board_id: "glazes" }), "400 1"],
    ["a board id that is a number", pinOf({ board_id: 549_755_885_175 }), "400 1"],
    ["a board of somebody else", pinOf({ board_id: "549755886001" }), "404 40"],
    ["a board for ads", pinOf({ board_id: "549755885179" }), "404 40"],
    ["a secret board", pinOf({ board_id: "549755885178" }), "404 40"],
    ["101 characters of title", pinOf({ title: MARK.repeat(101) }), "400 1"],
    ["801 characters of description", pinOf({ description: MARK.repeat(801) }), "400 1"],
    ["501 characters of alt_text", pinOf({ alt_text: "a".repeat(501) }), "400 1"],
    ["a link of 2049 characters", pinOf({ link: `https://example.com/${"a".repeat(2029)}` }), "400 1"],
    ["a link that is none", pinOf({ link: "example.com" }), "400 1"],
    ["a link of another scheme", pinOf({ link: "javascript:alert(1)" }), "400 1"],
    ["a title that is no text", pinOf({ title: 5 }), "400 1"],
    ["a colour that is none", pinOf({ dominant_color: "blue" }), "400 1"],
    ["no media", { board_id: BOARD }, "400 1"],
    ["media of an unknown kind", pinOf({ media_source: { source_type: "gif" } }), "400 1"],
    ["a body that is not JSON", "{", "400 1"],
    ["a body that is a list", [], "400 1"],
  ])("is refused for %s", async ([, body, word], { expect }) => {
    const before = (await bookOf("pinterest")).length;
    expect(await codeOf(await ada.pin(body))).toBe(word);
    expect(await bookOf("pinterest")).toHaveLength(before);
  });

  test("takes every text at its limit, and nulls", async ({ expect }) => {
    const long = {
      title: MARK.repeat(100),
      description: MARK.repeat(800),
      alt_text: "a".repeat(500),
      link: `https://example.com/${"a".repeat(2028)}`,
    };
    expect((await ada.pin(pinOf(long))).status).toBe(201);
    expect((await ada.pin(pinOf({ title: null, description: null, link: null }))).status).toBe(201);
  });

  test.for(["page.jpg", "nothing.jpg", "portrait.mp4"])(
    "is refused when %s stands at the address",
    async (name, { expect }) => {
      const answer = await ada.pin(pinOf({ media_source: { ...IMAGE, url: at(name) } }));
      expect(await messageOf(answer)).toMatch(/^400 Unable to reach the URL/);
    },
  );

  test("may bring its bytes along", async ({ expect }) => {
    const source = { source_type: "image_base64", content_type: "image/jpeg", data: toBase64(jpeg) };
    expect((await ada.pin(pinOf({ media_source: source }))).status).toBe(201);
    expect((await bookOf("pinterest", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(jpeg));
    for (const wrong of [{ content_type: "image/webp" }, { content_type: "image/png" }, { data: "%%%" }]) {
      expect(await codeOf(await ada.pin(pinOf({ media_source: { ...source, ...wrong } })))).toBe("400 1");
    }
  });

  test("stands on a secret board with all scopes for it", async ({ expect }) => {
    const open = await person({ scope: `${SCOPES},${SECRET}` });
    const reader = await person({ scope: `${SCOPES},boards:read_secret` });
    const body = pinOf({ board_id: "549755885178" });
    expect(await codeOf(await reader.pin(body))).toBe("403 7");
    expect((await open.pin(body)).status).toBe(201);
  });
});

describe("a carousel", () => {
  test("has two to five images of one size, in their order", async ({ expect }) => {
    const answer = await ada.pin(pinOf({ media_source: urls("portrait.jpg", "portrait.jpg") }));
    expect(answer.status).toBe(201);
    expect((await bookOf("pinterest", "ada")).at(-1)).toMatchObject({
      kind: "carousel",
      media: [{ type: "image" }, { type: "image" }],
    });
    const six = Array.from({ length: 6 }, () => "portrait.jpg");
    expect(await messageOf(await ada.pin(pinOf({ media_source: urls(...six) })))).toContain("constraint: maxItems=5");
    expect(await codeOf(await ada.pin(pinOf({ media_source: urls("portrait.jpg") })))).toBe("400 1");
    expect(await codeOf(await ada.pin(pinOf({ media_source: urls("portrait.jpg", "square.png") })))).toBe("400 1");
    expect(await codeOf(await ada.pin(pinOf({ media_source: urls("portrait.jpg", "gone.jpg") })))).toBe("400 1");
  });

  test("may bring its bytes along", async ({ expect }) => {
    const item = { content_type: "image/jpeg", data: toBase64(jpeg) };
    const source = { source_type: "multiple_image_base64", items: [item, item] };
    expect((await ada.pin(pinOf({ media_source: source }))).status).toBe(201);
  });
});

describe("a video", () => {
  const statusOf = async (id: string): Promise<string> =>
    (await (await ada.api("GET", `/media/${id}`)).json<{ status: string }>()).status;

  test("is registered, sent to S3, processed, pinned", async ({ expect }) => {
    const registered = await ada.register();
    expect(registered).toMatchObject({
      media_id: expect.stringMatching(/^\d+$/) as string,
      media_type: "video",
      upload_url: "https://pinterest-media-upload.s3-accelerate.amazonaws.com/",
    });
    const { media_id: id, upload_url, upload_parameters } = registered;
    expect(await statusOf(id)).toBe("registered");
    expect((await postForm(upload_url, formOf(upload_parameters, film))).status).toBe(204);
    expect(await statusOf(id)).toBe("processing");
    expect(await codeOf(await ada.pin(pinOf(videoOf(id))))).toBe("400 1");
    pass(2000);
    expect(await statusOf(id)).toBe("succeeded");
    expect((await ada.pin(pinOf(videoOf(id)))).status).toBe(201);
    expect((await bookOf("pinterest", "ada")).at(-1)).toMatchObject({
      kind: "video",
      media: [{ type: "video", sha256: await sha256Hex(film) }],
      options: { cover: 1 },
    });
  });

  test("needs a cover", async ({ expect }) => {
    const id = await ada.video(film);
    pass(2000);
    expect(await messageOf(await ada.pin(pinOf(videoOf(id, {}))))).toContain(
      "cover_image_url or cover_image_content_type",
    );
    expect((await ada.pin(pinOf(videoOf(id, { cover_image_url: at("portrait.jpg") })))).status).toBe(201);
    const inline = { cover_image_content_type: "image/jpeg", cover_image_data: toBase64(jpeg) };
    expect((await ada.pin(pinOf(videoOf(id, inline)))).status).toBe(201);
  });

  test("is for its owner alone, and only videos are registered", async ({ expect }) => {
    const id = await ada.video(film);
    pass(2000);
    const ben = await person({ login: "ben" });
    expect((await ben.api("GET", `/media/${id}`)).status).toBe(404);
    expect(await codeOf(await ben.pin(pinOf({ board_id: "549755886001", ...videoOf(id) })))).toBe("400 1");
    expect(await codeOf(await ada.api("POST", "/media", { media_type: "image" }))).toBe("400 1");
  });

  test.for(["portrait.mp4", "page.jpg"])("that is none or too short fails: %s", async (name, { expect }) => {
    const id = await ada.video(await sample(name));
    pass(2000);
    expect(await statusOf(id)).toBe("failed");
    expect(await codeOf(await ada.pin(pinOf(videoOf(id))))).toBe("400 1");
  });

  test("of many chunks arrives whole, whatever it holds", async ({ expect }) => {
    const large = new Uint8Array(700_000);
    large.set(film);
    large.set(new TextEncoder().encode('\r\n--x\r\nname="file"\r\n\r\n'), 300_000);
    const id = await ada.video(large);
    pass(2000);
    await ada.pin(pinOf(videoOf(id)));
    expect((await bookOf("pinterest", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(large));
  });
});

describe("the form for S3", () => {
  const codeIn = async (answer: Response): Promise<string> =>
    `${answer.status} ${/<Code>(?<code>\w+)<\/Code>/.exec(await answer.text())?.groups?.["code"]}`;
  const changed = ({ upload_parameters }: Registered, change: Record<string, string>): FormData =>
    formOf({ ...upload_parameters, ...change }, film);

  test("is refused with a wrong, a missing or a late field, a second time, and an hour later", async ({ expect }) => {
    const registered = await ada.register();
    const { upload_url: url, upload_parameters } = registered;
    expect(await codeIn(await postForm(url, changed(registered, { policy: "x" })))).toBe("403 AccessDenied");
    const { "x-amz-date": _date, ...fewer } = upload_parameters;
    expect(await codeIn(await postForm(url, formOf(fewer, film)))).toBe("403 AccessDenied");
    const early = new FormData();
    early.append("file", new Blob([film]), "film.mp4");
    for (const [name, value] of Object.entries(upload_parameters)) {
      early.append(name, value);
    }
    expect(await codeIn(await postForm(url, early))).toBe("403 AccessDenied");
    expect((await postForm(url, changed(registered, {}))).status).toBe(204);
    expect(await codeIn(await postForm(url, changed(registered, {})))).toBe("403 AccessDenied");
    const late = await ada.register();
    pass(3_600_000);
    expect(await codeIn(await postForm(late.upload_url, changed(late, {})))).toBe("403 AccessDenied");
  });

  test("has a length and no bearer", async ({ expect }) => {
    const registered = await ada.register();
    const url = registered.upload_url;
    const headed = await postForm(url, changed(registered, {}), { authorization: ada.authorization });
    expect(await codeIn(headed)).toBe("400 InvalidRequest");
    const encoded = new Response(changed(registered, {}));
    const type = encoded.headers.get("content-type") ?? "";
    // Through here its length is not known beforehand.
    const body = encoded.body!.pipeThrough(new IdentityTransformStream());
    const chunked = await call(url, { method: "POST", headers: { "content-type": type }, body });
    expect(await codeIn(chunked)).toBe("411 MissingContentLength");
    const plain = await call(url, { method: "POST", headers: { "content-type": "video/mp4" }, body: film });
    expect(await codeIn(plain)).toBe("400 MalformedPOSTRequest");
  });
});

describe("access and spam", () => {
  test("a trial app pins in Pinterest's own sandbox alone", async ({ expect }) => {
    await settings("pinterest", { access: "trial" });
    expect(await messageOf(await ada.pin(pinOf()))).toBe(
      "403 Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.",
    );
    expect((await ada.pin(pinOf(), "https://api-sandbox.pinterest.com/v5")).status).toBe(201);
  });

  test("many pins in a minute are taken for spam", async ({ expect }) => {
    await settings("pinterest", { creates_per_minute: 2 });
    const words = [];
    for (let made = 0; made < 3; made += 1) {
      words.push(await codeOf(await ada.pin(pinOf())));
    }
    expect(words).toEqual(["201", "201", "403 9"]);
    pass(60_000);
    expect((await ada.pin(pinOf())).status).toBe(201);
  });

  test("a board may fail in the middle of several, with the pin there nevertheless", async ({ expect }) => {
    await fault("pinterest", { match: { path: "/v5/pins" }, effect: "answer_after", status: 503 });
    expect((await ada.pin(pinOf({ title: "there" }))).status).toBe(503);
    expect((await bookOf("pinterest", "ada")).at(-1)?.title).toBe("there");
  });
});

describe("reading back", () => {
  interface Page {
    readonly items: readonly Pin[];
    readonly bookmark: string | null;
  }
  const list = async (query = ""): Promise<Page> =>
    (await ada.api("GET", `/boards/${BOARD}/pins${query}`)).json<Page>();
  const made = async (title: string): Promise<Pin> => (await ada.pin(pinOf({ title }))).json<Pin>();

  test("a board lists the newest first, page by page, as late as the settings say", async ({ expect }) => {
    const first = await made("first");
    pass(1000);
    const second = await made("second");
    await ada.pin(pinOf({ board_id: "549755885176" }));
    const page = await list("?page_size=1");
    expect(page.items).toMatchObject([{ id: second.id, title: "second", is_owner: true }]);
    expect((await list(`?page_size=1&bookmark=${page.bookmark}`)).items[0]?.id).toBe(first.id);
    await settings("pinterest", { verify_lag_ms: 5000 });
    pass(5000);
    const third = await made("third");
    expect((await list()).items[0]?.id).toBe(second.id);
    pass(5000);
    expect((await list()).items[0]?.id).toBe(third.id);
    expect((await (await ada.api("GET", "/pins?page_size=1")).json<Page>()).items[0]?.id).toBe(third.id);
    expect(await codeOf(await ada.api("GET", "/boards/549755886001/pins"))).toBe("404 40");
  });

  test("a pin is read and deleted by its owner, once", async ({ expect }) => {
    const { id } = await made("short");
    const ben = await person({ login: "ben" });
    expect(await codeOf(await ben.api("GET", `/pins/${id}`))).toBe("404 50");
    expect(await codeOf(await ben.api("DELETE", `/pins/${id}`))).toBe("404 50");
    expect(await (await ada.api("GET", `/pins/${id}`)).json()).toMatchObject({ id, title: "short" });
    expect((await ada.api("DELETE", `/pins/${id}`)).status).toBe(204);
    expect(await codeOf(await ada.api("DELETE", `/pins/${id}`))).toBe("404 50");
    expect((await list()).items.map((pin) => pin.id)).not.toContain(id);
  });
});

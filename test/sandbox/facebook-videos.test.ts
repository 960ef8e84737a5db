import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { type Holder, pageHolder, pairOf, SHOP, WORKSHOP } from "./facebook-person.ts";
import { bookOf, ORIGIN, sample, settings } from "./help.ts";
import { call } from "./outbound.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

const at = (name: string): string => `${ORIGIN}/sandbox/media/${name}`;
const film = await sample("portrait.mp4");

let shop: Holder;
beforeEach(async () => {
  pass(2 * 86_400_000);
  shop = await pageHolder();
});
afterEach(() =>
  settings("facebook", {
    quota: null,
    refuse_file_url: null,
    robots_deny: null,
    processing_error: null,
    vertical_drafts: null,
  }),
);

interface Started {
  readonly video_id: string;
  readonly upload_url: string;
}

interface Status {
  readonly status: {
    readonly video_status: string;
    readonly uploading_phase: { readonly status: string; readonly bytes_transferred: number };
    readonly processing_phase: { readonly status: string; readonly errors?: readonly { code: number }[] };
    readonly publishing_phase: { readonly status: string; readonly publish_status?: string };
  };
  readonly published: boolean;
  readonly permalink_url: string;
}

const start = async (who = shop, page = SHOP): Promise<Started> =>
  (await who.write(`/${page}/video_reels`, { upload_phase: "start" })).json<Started>();
const send = (url: string, headers: Record<string, string>, body?: Uint8Array<ArrayBuffer>): Promise<Response> =>
  call(url, { method: "POST", headers: { authorization: `OAuth ${shop.token}`, ...headers }, ...(body && { body }) });
const hosted = (url: string, name = "portrait.mp4"): Promise<Response> => send(url, { file_url: at(name) });
const finish = (video_id: string, more: object = {}): Promise<Response> =>
  shop.write(`/${SHOP}/video_reels`, {
    upload_phase: "finish",
    video_id,
    video_state: "PUBLISHED",
    description: "caption",
    ...more,
  });
const statusOf = async (id: string): Promise<Status> =>
  (await shop.read(`/${id}`, { fields: "status,published,permalink_url" })).json<Status>();
const wordOf = async (answer: Response): Promise<string> => {
  const { debug_info } = await answer.json<{ debug_info: { type: string; retriable: boolean } }>();
  return `${answer.status} ${debug_info.type} ${debug_info.retriable}`;
};

describe("a reel", () => {
  test("is started, fetched, processed, finished, and public after that", async ({ expect }) => {
    const { video_id: id, upload_url } = await start();
    expect(upload_url).toBe(`https://rupload.facebook.com/video-upload/v25.0/${id}`);
    expect(await pairOf(await finish(id))).toBe("400 6000/-");
    expect(await statusOf(id)).toMatchObject({ status: { video_status: "uploading" }, published: false });
    expect(await (await hosted(upload_url)).json()).toEqual({ success: true });
    expect(await statusOf(id)).toMatchObject({
      status: {
        video_status: "processing",
        uploading_phase: { status: "complete", bytes_transferred: film.length },
        processing_phase: { status: "in_progress" },
        publishing_phase: { status: "not_started" },
      },
    });
    pass(2000);
    expect(await statusOf(id)).toMatchObject({
      status: { video_status: "upload_complete", processing_phase: { status: "complete" } },
    });
    expect(await (await finish(id, { title: "Bowls" })).json()).toEqual({ success: true });
    expect(await statusOf(id)).toMatchObject({ status: { publishing_phase: { status: "in_progress" } } });
    pass(2000);
    expect(await statusOf(id)).toMatchObject({
      status: { video_status: "ready", publishing_phase: { status: "complete", publish_status: "published" } },
      published: true,
      permalink_url: `/reel/${id}`,
    });
    expect((await bookOf("facebook", SHOP)).at(-1)).toEqual({
      id,
      url: `https://www.facebook.com/reel/${id}`,
      account: SHOP,
      kind: "reel",
      text: "caption",
      title: "Bowls",
      media: [{ type: "video", sha256: await sha256Hex(film) }],
      options: { placement: "reels" },
      accepted_at: expect.any(String) as string,
    });
  });

  test("finished twice is one post", async ({ expect }) => {
    const { video_id: id, upload_url } = await start();
    await hosted(upload_url);
    await finish(id);
    expect((await finish(id, { description: "another" })).status).toBe(200);
    pass(4000);
    const entries = (await bookOf("facebook", SHOP)).filter((entry) => entry.id === id);
    expect(entries.map((entry) => entry.text)).toEqual(["caption"]);
  });

  test("is finished by its Page, as PUBLISHED, in a phase that exists", async ({ expect }) => {
    const { video_id: id, upload_url } = await start();
    await hosted(upload_url);
    const workshop = await pageHolder(WORKSHOP);
    const theirs = { upload_phase: "finish", video_id: id, video_state: "PUBLISHED" };
    expect(await pairOf(await workshop.write(`/${WORKSHOP}/video_reels`, theirs))).toBe("400 100/33");
    expect(await pairOf(await finish(id, { video_state: "DRAFT" }))).toBe("400 100/-");
    expect(await pairOf(await shop.write(`/${SHOP}/video_reels`, { upload_phase: "transfer" }))).toBe("400 100/-");
    expect(await pairOf(await finish("123"))).toBe("400 100/33");
  });

  test("no more than 30 in 24 hours, or what the settings say", async ({ expect }) => {
    await settings("facebook", { quota: 1 });
    const { video_id: id, upload_url } = await start();
    await hosted(upload_url);
    await finish(id);
    expect(await pairOf(await shop.write(`/${SHOP}/video_reels`, { upload_phase: "start" }))).toBe("400 613/-");
    pass(86_400_000);
    expect(await pairOf(await shop.write(`/${SHOP}/video_reels`, { upload_phase: "start" }))).toBe("200");
  });

  test.for<[name: string, code: number]>([
    ["page.jpg", 352],
    ["portrait.jpg", 352],
  ])("of %s fails in processing with %i", async ([name, code], { expect }) => {
    const { video_id: id, upload_url } = await start();
    await hosted(upload_url, name);
    pass(2000);
    expect(await statusOf(id)).toMatchObject({
      status: { video_status: "error", processing_phase: { status: "error", errors: [{ code }] } },
    });
  });

  test("fails in processing for what the settings say, and for its length", async ({ expect }) => {
    await settings("facebook", { processing_error: 1_363_129 });
    const marked = await start();
    await hosted(marked.upload_url);
    await settings("facebook", { processing_error: null });
    // The same film, said to be two minutes long: the header counts 1000 a second.
    const long = film.slice();
    const header = new TextDecoder("latin1").decode(long).indexOf("mvhd") + 4;
    const view = new DataView(long.buffer);
    view.setUint32(header + 16, 120 * view.getUint32(header + 12));
    const stretched = await start();
    await send(stretched.upload_url, { offset: "0", file_size: String(long.length) }, long);
    pass(2000);
    for (const [id, code] of [
      [marked.video_id, 1_363_129],
      [stretched.video_id, 1_363_128],
    ] as const) {
      expect(await statusOf(id)).toMatchObject({ status: { processing_phase: { errors: [{ code }] } } });
    }
  });
});

describe("rupload", () => {
  const size = String(film.length);

  test("takes bytes from where they stopped", async ({ expect }) => {
    const { video_id: id, upload_url } = await start();
    const half = Math.floor(film.length / 2);
    const first = await send(upload_url, { offset: "0", file_size: size }, film.slice(0, half));
    expect(await wordOf(first)).toBe("400 PartialRequestError true");
    expect(await statusOf(id)).toMatchObject({
      status: { uploading_phase: { status: "in_progress", bytes_transferred: half } },
    });
    const wrong = await send(upload_url, { offset: "0", file_size: size }, film.slice(0, half));
    expect(await wordOf(wrong)).toBe("400 OffsetInvalidError true");
    const rest = film.slice(half);
    expect(await (await send(upload_url, { offset: String(half), file_size: size }, rest)).json()).toEqual({
      success: true,
    });
    await finish(id);
    pass(4000);
    expect((await bookOf("facebook", SHOP)).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(film));
  });

  test("wants the Page's token as OAuth, and its headers", async ({ expect }) => {
    const { upload_url } = await start();
    const bytes = { offset: "0", file_size: size };
    expect(await wordOf(await send(upload_url, { ...bytes, authorization: `Bearer ${shop.token}` }, film))).toBe(
      "400 NotAuthorizedError false",
    );
    const workshop = await pageHolder(WORKSHOP);
    expect(await wordOf(await send(upload_url, { ...bytes, authorization: `OAuth ${workshop.token}` }, film))).toBe(
      "400 NotAuthorizedError false",
    );
    expect(await wordOf(await send(upload_url, { offset: "0" }, film))).toBe("400 ParameterValidationError false");
    expect(await wordOf(await send(upload_url, { offset: "0", file_size: "10" }, film))).toBe(
      "400 ParameterValidationError false",
    );
    expect(await (await send(upload_url, bytes, film)).json()).toEqual({ success: true });
    expect(await wordOf(await send(upload_url, bytes, film))).toBe("400 OffsetInvalidError false");
  });

  test("fetches nothing that the host forbids, nothing that is not there", async ({ expect }) => {
    const { upload_url } = await start();
    await settings("facebook", { robots_deny: true });
    expect(await wordOf(await hosted(upload_url))).toBe("400 ProcessingFailedError false");
    await settings("facebook", { robots_deny: false, refuse_file_url: true });
    expect(await wordOf(await hosted(upload_url))).toBe("400 ParameterValidationError false");
    await settings("facebook", { refuse_file_url: false });
    expect(await wordOf(await hosted(upload_url, "gone.mp4"))).toBe("400 ProcessingFailedError true");
    expect(await (await hosted(upload_url)).json()).toEqual({ success: true });
  });
});

describe("a video on the timeline", () => {
  const VIDEOS = "https://graph-video.facebook.com/v25.0";
  const upload = (body: object): Promise<Response> => shop.write(`/${SHOP}/videos`, body, VIDEOS);
  const made = async (body: object): Promise<string> => (await (await upload(body)).json<{ id: string }>()).id;

  test("is one visible call; its labels can be found again", async ({ expect }) => {
    const custom_labels = ["ref-1"];
    const id = await made({ file_url: at("landscape.mp4"), description: "wide", title: "Kiln", custom_labels });
    expect(await (await shop.read(`/${SHOP}/videos`, { fields: "id" })).json()).not.toMatchObject({ data: [{ id }] });
    pass(2000);
    const fields = "id,description,created_time,custom_labels,permalink_url";
    expect(await (await shop.read(`/${SHOP}/videos`, { fields, limit: "1" })).json()).toMatchObject({
      data: [{ id, description: "wide", custom_labels, permalink_url: `/${SHOP}/videos/${id}/` }],
    });
    expect((await bookOf("facebook", SHOP)).at(-1)).toMatchObject({
      id,
      kind: "video",
      text: "wide",
      title: "Kiln",
      media: [{ type: "video", sha256: await sha256Hex(await sample("landscape.mp4")) }],
      options: { placement: "timeline" },
    });
  });

  test("that stands upright may end as a draft that nobody sees", async ({ expect }) => {
    await settings("facebook", { vertical_drafts: true });
    const id = await made({ file_url: at("portrait.mp4"), description: "upright" });
    pass(10_000);
    expect(await statusOf(id)).toMatchObject({ status: { video_status: "ready" }, published: false });
    expect((await bookOf("facebook", SHOP)).some((entry) => entry.id === id)).toBe(false);
    const wide = await made({ file_url: at("landscape.mp4"), description: "wide enough" });
    pass(10_000);
    expect(await statusOf(wide)).toMatchObject({ published: true });
  });

  test.for<[name: string, pair: string]>([
    ["gone.mp4", "400 389/-"],
    ["portrait.jpg", "400 352/-"],
  ])("cannot be made of %s", async ([name, pair], { expect }) => {
    expect(await pairOf(await upload({ file_url: at(name) }))).toBe(pair);
  });
});
